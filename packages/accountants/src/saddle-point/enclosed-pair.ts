import { type Bounds, type DominatingPair, type LossLaw, Unsupported } from '@lethe/core';
import { encloseLaw, type Enclosure } from './atoms.js';
import { firstEdges, refineEdges } from './mesh.js';
import type { Factor } from './tilt.js';
import { tiltAll } from './tilt.js';

/** A composed pair between two products of measures on finitely many losses. */
export interface EnclosedPair {
  readonly lambda: number;
  readonly lower: readonly Factor[];
  readonly upper: readonly Factor[];
  /** Bounds on the probability that any loss is infinite. */
  readonly infinite: Bounds;
}

/** Atoms of all laws together at the most. */
const mostCells = 16_000;
/** Relative difference of δ between both ends which is not worth more atoms. */
const enough = 1e-4;

interface Draft { readonly law: LossLaw; readonly count: number; edges: Float64Array; enclosure: Enclosure }

/**
 * Encloses a pair by atoms that lie where the law tilted by `saddle(factors)` does.
 *
 * @throws {Unsupported} on a law of which only the profile is known.
 */
export function enclosePair({ factors }: DominatingPair, saddle: (factors: readonly Factor[]) => number): EnclosedPair {
  const drafts = factors.filter(({ count }) => count > 0).map(({ law, count }): Draft => {
    if (law.massesInto === undefined) throw new Unsupported('the saddle-point accountant needs the masses of a law of loss, and this one tells its profile only; use an accountant that needs no more', {});
    const edges = firstEdges(law);
    return { law, count, edges, enclosure: encloseLaw(law, edges) };
  });
  const most = Math.max(64, Math.floor(mostCells / Math.max(1, drafts.length)));
  const first = Math.min(300, most);
  const refine = (lambda: number, cells: number): void => {
    for (const draft of drafts) {
      draft.edges = refineEdges(draft.edges, draft.law, draft.enclosure, lambda, cells);
      draft.enclosure = encloseLaw(draft.law, draft.edges);
    }
  };
  let lambda = drafts.length === 0 ? 1.5 : saddle(lowerOf(drafts));
  for (let round = 0; round < 12; round++) {
    refine(lambda, first);
    const next = drafts.length === 0 ? 1.5 : saddle(lowerOf(drafts));
    const settled = round > 1 && Math.abs(next - lambda) < 0.02 * lambda;
    lambda = next;
    if (settled) break;
  }
  let gap = gapOf(drafts, lambda);
  for (let cells = first; cells < most && gap > enough; ) {
    cells = Math.min(most, cells * 3);
    refine(lambda, cells);
    const next = gapOf(drafts, lambda);
    // What does not shrink with the cells is the rounding of their masses, many times.
    if (next > gap / 2) break;
    gap = next;
  }
  return { lambda, lower: lowerOf(drafts), upper: upperOf(drafts), infinite: infiniteOf(drafts) };
}

const lowerOf = (drafts: readonly Draft[]): readonly Factor[] => drafts.map(({ enclosure, count }) => ({ atoms: enclosure.lower, count }));
const upperOf = (drafts: readonly Draft[]): readonly Factor[] => drafts.map(({ enclosure, count }) => ({ atoms: enclosure.upper, count }));

function infiniteOf(drafts: readonly Draft[]): Bounds {
  const any = (end: 'lower' | 'upper'): number => -Math.expm1(drafts.reduce((sum, { enclosure, count }) => sum + count * Math.log1p(-Math.min(1, enclosure.infinite[end])), 0));
  return { lower: any('lower') * (1 - 1e-14), upper: Math.min(1, any('upper') * (1 + 1e-14)) };
}

/** How far apart both ends of `log E e^{λS}` are. */
const gapOf = (drafts: readonly Draft[], lambda: number): number => tiltAll(upperOf(drafts), lambda).log - tiltAll(lowerOf(drafts), lambda).log;
