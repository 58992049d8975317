import type { Columns } from './columns.js';
import { COARSE_ORIGIN, FINEST_ORIGIN, levelOf, unitsOf } from './margin-grid.js';
import type { Change } from './row-work.js';

/** Cached margins of a range of rows, with the changes that lead to the requested point. */
export interface Outdated {
  /** `[rows]`: margins, each plus its origin in `grid`; valid only in the range. */
  readonly z: Float64Array;
  /** `[rows]`: c_i of margin-grid.ts. */
  readonly grid: Float64Array;
  /** Whether `grid` holds nothing but COARSE_ORIGIN. */
  readonly shared: boolean;
  /** Changes to apply to all rows of the range before {@link Outdated.done}. */
  readonly changes: readonly Change[];
  done(): void;
}

/** Caches margins of recent points; results do not depend on the cache. */
export interface MarginCache {
  at(w: Float64Array, from: number, to: number): Outdated;
}

/** Number of cached points: neighbouring levels of two runs. */
const MOST_KEPT = 4;
/** Number of arrays with one number per row used by {@link keepMargins}. */
export const KEPT_ARRAYS = MOST_KEPT + 1;
const FEW = 32;
const ONE_STEP = 2;

interface Kept {
  readonly z: Float64Array;
  readonly at: Float64Array;
  level: number;
  from: number;
  to: number;
}

/**
 * @param norms - `[rows]`. @param coarse - Whether small differences between margins may be ignored: see
 * margin-grid.ts.
 */
export function keepMargins(columns: Columns, norms: Float64Array, coarse: boolean): MarginCache {
  const leastOrigin = coarse ? COARSE_ORIGIN : FINEST_ORIGIN;
  const units = unitsOf(norms);
  const largestUnit = units.reduce((largest, unit) => Math.max(largest, unit), 0);
  const differing = new Uint32Array(columns.count);
  /** Most recently used first. */
  const all: Kept[] = [];
  let grid: Float64Array | undefined;
  let gridLevel = NaN;

  const gridAt = (level: number): Float64Array => {
    grid ??= columns.beside();
    if (level !== gridLevel)
      for (let i = 0; i < units.length; i++) grid[i] = Math.max(leastOrigin, units[i] * level);
    gridLevel = level;
    return grid;
  };
  /** The nearest cached margins; `differing` lists the entries in which their point differs. */
  const nearest = (
    w: Float64Array,
    level: number,
    from: number,
    to: number,
    gridNow: Float64Array,
  ): readonly [Kept, number] => {
    let best: Kept | undefined;
    let distance = Infinity;
    for (const kept of all) {
      if (kept.level !== level || kept.from !== from || kept.to !== to) continue;
      const apart = listDifferences(differing, w, kept.at, distance);
      if (apart <= ONE_STEP) return [kept, apart];
      if (apart < distance) [best, distance] = [kept, apart];
    }
    if (best !== undefined && (distance <= Math.max(FEW, w.length / 8) || distance < entriesNotZero(w) / 2))
      return [best, listDifferences(differing, w, best.at, Infinity)];
    const fresh = all.length < MOST_KEPT ? newKept(w.length) : all[all.length - 1];
    fresh.at.fill(0);
    fresh.z.set(gridNow.subarray(from, to), from);
    return [Object.assign(fresh, { level, from, to }), listDifferences(differing, w, fresh.at, Infinity)];
  };
  const newKept = (dimension: number): Kept => {
    const kept = { z: columns.beside(), at: new Float64Array(dimension), level: NaN, from: 0, to: 0 };
    all.push(kept);
    return kept;
  };
  return {
    at(w, from, to) {
      const own = levelOf(w);
      // The grid is equal for all levels at which every row has the smallest origin.
      const isLeast = largestUnit * own <= leastOrigin;
      const level = isLeast ? 0 : own;
      const current = gridAt(level);
      const [kept, count] = nearest(w, level, from, to, current);
      if (all[0] !== kept) all.unshift(...all.splice(all.indexOf(kept), 1));
      const changes = Array.from({ length: count }, (_, k): Change => ({
        column: columns.column(differing[k]),
        before: kept.at[differing[k]],
        after: w[differing[k]],
      }));
      // The margins are invalid until all rows are updated.
      kept.level = NaN;
      return {
        z: kept.z,
        grid: current,
        shared: coarse && isLeast,
        changes,
        done() {
          kept.at.set(w);
          kept.level = level;
        },
      };
    },
  };
}

/** Lists the indices at which `a` and `b` differ, up to `enough`; returns their number. */
function listDifferences(list: Uint32Array, a: Float64Array, b: Float64Array, enough: number): number {
  let count = 0;
  for (let j = 0; j < a.length && count < enough; j++) if (a[j] !== b[j]) list[count++] = j;
  return count;
}

function entriesNotZero(w: Float64Array): number {
  let count = 0;
  for (let j = 0; j < w.length; j++) if (w[j] !== 0) count++;
  return count;
}
