import type { Participation } from '@lethe/core';
import type { Rows } from './factors.js';

/** Inner products of the columns of C. */
export function gramOf(c: Rows): Rows {
  const size = c.length;
  return Array.from({ length: size }, (_, i) =>
    Float64Array.from({ length: size }, (_entry, j) => {
      let product = 0;
      for (let row = Math.max(i, j); row < size; row++) product += c[row][i] * c[row][j];
      return product;
    }),
  );
}

/**
 * Squared norm of `C u` for unit vectors on a pattern, each
 * optimal given the others; a lower bound on the maximum.
 */
export function reachOf(gram: Rows, pattern: readonly number[], dimension: number): number {
  // Columns that all align are farthest together, whatever the dimension.
  if (pattern.every((i) => pattern.every((j) => gram[i][j] >= 0)))
    return pattern.reduce((sum, i) => pattern.reduce((row, j) => row + gram[i][j], sum), 0);
  let best = 0;
  for (let mask = 0; mask < 2 ** Math.min(pattern.length - 1, 7); mask++)
    best = Math.max(
      best,
      climbed(
        gram,
        pattern,
        pattern.map((_, i) => Float64Array.of((mask >> i) & 1 ? -1 : 1)),
      ),
    );
  if (dimension === 1 || pattern.length < 3) return best;
  const width = Math.min(dimension, pattern.length);
  for (let start = 1; start <= 3; start++) {
    best = Math.max(
      best,
      climbed(
        gram,
        pattern,
        pattern.map((_, i) =>
          unit(Float64Array.from({ length: width }, (_entry, j) => Math.cos(1 + start * (i + 1) * (j + 2)))),
        ),
      ),
    );
  }
  return best;
}

/** The same for long patterns in dimension 1, from two starts: equal and alternating signs. */
export const longReach = (gram: Rows, pattern: readonly number[]): number =>
  Math.max(
    ...[0, 1].map((turn) =>
      climbed(
        gram,
        pattern,
        pattern.map((_, i) => Float64Array.of(turn === 1 && i % 2 === 1 ? -1 : 1)),
      ),
    ),
  );

const unit = (vector: Float64Array): Float64Array => {
  const size = Math.hypot(...vector);
  return size > 0 ? vector.map((x) => x / size) : vector;
};

/** Hill climb: turns each vector towards the gradient given the others, which never lowers the norm. */
function climbed(gram: Rows, pattern: readonly number[], start: readonly Float64Array[]): number {
  const vectors = [...start];
  const width = vectors[0].length;
  const pull = (i: number, withSelf: boolean): Float64Array => {
    const sum = new Float64Array(width);
    for (let j = 0; j < pattern.length; j++) {
      if (j === i && !withSelf) continue;
      const product = gram[pattern[i]][pattern[j]];
      for (let k = 0; k < width; k++) sum[k] = sum[k] + product * vectors[j][k];
    }
    return sum;
  };
  for (let round = 0; round < (width === 1 ? 4 : 40); round++) {
    for (let i = 0; i < pattern.length; i++) {
      const wanted = pull(i, false);
      if (wanted.some((x) => x !== 0)) vectors[i] = unit(wanted);
    }
  }
  let total = 0;
  for (let i = 0; i < pattern.length; i++) {
    const sum = pull(i, true);
    for (let k = 0; k < width; k++) total += sum[k] * vectors[i][k];
  }
  return total;
}

/** All sets of steps allowed by the participation, as bit masks; for short streams. */
export function masksOf(steps: number, { times, gap }: Participation): readonly number[] {
  const masks: number[] = [];
  for (let mask = 1; mask < 2 ** steps; mask++) {
    let last = -Infinity;
    let count = 0;
    let allowed = true;
    for (let t = 0; t < steps && allowed; t++) {
      if (((mask >> t) & 1) === 0) continue;
      allowed = ++count <= times && t - last >= gap;
      last = t;
    }
    if (allowed) masks.push(mask);
  }
  return masks;
}

/**
 * The maximal number of participations at the minimal gap, from
 * each relevant first step: the worst patterns of long streams.
 */
export function densestPatterns(
  steps: number,
  { times, gap }: Participation,
): readonly (readonly number[])[] {
  const firsts = times === 1 ? steps : Math.min(gap, steps, 16);
  return Array.from({ length: firsts }, (_, first) => {
    const pattern: number[] = [];
    for (let t = first; t < steps && pattern.length < times; t += gap) pattern.push(t);
    return pattern;
  });
}
