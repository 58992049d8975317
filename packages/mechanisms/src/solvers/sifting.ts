import { InvalidParameter, type Vector } from '@lethe/core';
import { dot, type Columns } from './pivoting-basis.js';

/** A point of the right image with few entries, and its dual certificate. */
export interface Vertex {
  readonly point: Vector;
  readonly dual: Vector;
  readonly gap: number;
  readonly residual: number;
  readonly iterations: number;
}

/** How the programme over some of the columns is solved. */
export interface Sifting {
  /** Solves the programme over these columns, with so many exchanges. */
  readonly solve: (columns: Columns, most: number) => Vertex;
  /** By how much a dual constraint may be broken. */
  readonly slack: number;
  /** Most exchanges in all. */
  readonly most: number;
}

/** Columns that join the programme in a round, for each row. */
const joining = 30;

/**
 * The programme over all columns by those over some: the columns whose dual constraints are broken most join
 * until none is broken, so that the last vertex is one of the whole.
 *
 * @throws {InvalidParameter} as `solve` does over all columns.
 * @see Bixby, Gregory, Lustig, Marsten and Shanno 1992.
 */
export function sifted(columns: Columns, target: Vector, { solve, slack, most }: Sifting): Vertex {
  const { rows, columns: count } = columns;
  const costs = new Float64Array(count);
  const chosen = new Set<number>();
  /** The columns that agree most with a vector, relative to their length where that is asked for. */
  const join = (vector: Vector, least: number, relative: boolean): number => {
    for (let j = 0; j < count; j++) {
      const cost = Math.abs(dot(columns, j, vector));
      costs[j] = relative && cost > 0 ? cost / lengthOf(columns, j) : cost;
    }
    const before = chosen.size;
    for (const j of largest(costs, joining * rows, least)) chosen.add(j);
    return chosen.size - before;
  };
  join(target, 0, true);
  let spent = 0;
  for (;;) {
    const members = Uint32Array.from(chosen).toSorted();
    const found = solveAmong(members);
    if (found === null) {
      // They span too little: half of all columns that are left, then all.
      for (let j = 0, wanted = 2 * chosen.size; j < count && chosen.size < wanted; j++) chosen.add(j);
      continue;
    }
    spent += found.iterations;
    const broken = join(found.dual, 1 + slack, false);
    if (broken > 0 && spent < most && members.length < count) continue;
    const excess = Math.max(1, largestOf(costs) * (1 + 2 ** -50 * rows));
    const dual = found.dual.map((x) => x / excess);
    const point = new Float64Array(count);
    found.point.forEach((x, k) => {
      point[members[k]] = x;
    });
    const bound = target.reduce((sum, b, i) => sum + b * dual[i], 0);
    const norm = found.point.reduce((sum, x) => sum + Math.abs(x), 0);
    return { point, dual, gap: Math.max(0, norm - bound), residual: found.residual, iterations: spent };
  }

  /** `null` where the columns do not span all rows. */
  function solveAmong(members: Uint32Array): Vertex | null {
    const data = new Float64Array(members.length * rows);
    members.forEach((j, k) => data.set(columns.data.subarray(j * rows, (j + 1) * rows), k * rows));
    try {
      return solve({ data, rows, columns: members.length }, most - spent);
    } catch (error) {
      if (error instanceof InvalidParameter && members.length < count) return null;
      throw error;
    }
  }
}

function lengthOf({ data, rows }: Columns, j: number): number {
  let square = 0;
  for (let i = j * rows; i < (j + 1) * rows; i++) square += data[i] * data[i];
  return Math.sqrt(square);
}

const largestOf = (numbers: Float64Array): number => numbers.reduce((most, x) => Math.max(most, x), 0);

/** Places of the at most `count` largest numbers above `least`. */
function largest(numbers: Float64Array, count: number, least: number): readonly number[] {
  const above: number[] = [];
  for (let j = 0; j < numbers.length; j++) if (numbers[j] > least) above.push(j);
  if (above.length <= count) return above;
  // The bound that leaves about as many is found on a sample, so that few are sorted.
  const step = Math.max(1, Math.floor(above.length / 10_000));
  const sample = Float64Array.from(
    { length: Math.floor(above.length / step) },
    (_, k) => numbers[above[k * step]],
  );
  sample.sort();
  const bound = sample[Math.max(0, Math.floor(sample.length * (1 - (1.5 * count) / above.length)) - 1)];
  const likely = above.filter((j) => numbers[j] >= bound);
  return (likely.length >= count ? likely : above)
    .toSorted((a, b) => numbers[b] - numbers[a])
    .slice(0, count);
}
