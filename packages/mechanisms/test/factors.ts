import type { Participation, PrefixSum, PrefixSumShape } from '@lethe/core';

/** Rows of a dense matrix. */
export type Rows = readonly (readonly number[])[];

export const range = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
export const allOnes = (steps: number): Rows =>
  range(steps).map((row) => range(steps).map((column) => Number(column <= row)));
export const transpose = (a: Rows): Rows => a[0].map((_, j) => a.map((row) => row[j]));
export const product = (a: Rows, b: Rows): Rows =>
  a.map((row) => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0)));
export const largestDifference = (a: Rows, b: Rows): number =>
  Math.max(...a.flatMap((row, i) => row.map((x, j) => Math.abs(x - b[i][j]))));

/** The lower triangular L with L Lᵀ = a, for a positive definite a. */
export function cholesky(a: Rows): Rows {
  const rows: number[][] = [];
  for (let i = 0; i < a.length; i++) {
    const row = a.map(() => 0);
    rows.push(row);
    for (let j = 0; j <= i; j++) {
      let rest = a[i][j];
      for (let k = 0; k < j; k++) rest -= row[k] * rows[j][k];
      row[j] = i === j ? Math.sqrt(rest) : rest / rows[j][j];
    }
  }
  return rows;
}

/** The x with l x = b, for a lower triangular l. */
export function solveLower(l: Rows, b: Rows): Rows {
  const rows: number[][] = [];
  for (let i = 0; i < l.length; i++)
    rows.push(
      b[i].map((value, j) => rows.reduce((rest, row, k) => rest - l[i][k] * row[j], value) / l[i][i]),
    );
  return rows;
}

/** The inverse of a positive definite matrix. */
export function inverse(a: Rows): Rows {
  const l = cholesky(a);
  const half = solveLower(
    l,
    range(a.length).map((i) => range(a.length).map((j) => Number(i === j))),
  );
  return product(transpose(half), half);
}

type Tested = Pick<PrefixSum, 'encoder' | 'begin'>;

export const encoderMatrix = (plugin: Tested, params: unknown, steps: number): Rows =>
  range(steps).map((row) =>
    range(steps).map((column) => plugin.encoder(params as never, { steps, dimension: 1 }, row, column)),
  );

/**
 * B, read off a run whose noise row `s` is the unit vector `s`: entry `s` of the running sum is `B[t][s]`.
 */
export function decoderMatrix(plugin: Tested, params: unknown, steps: number): Rows {
  const run = plugin.begin(params as never, { steps, dimension: steps });
  const increment = new Float64Array(steps);
  const sum = new Float64Array(steps);
  return range(steps).map(() => {
    run.nextInto(increment, (row, out) => {
      out.fill(0);
      out[row] = 1;
    });
    increment.forEach((x, j) => {
      sum[j] += x;
    });
    return [...sum];
  });
}

/** Every set of steps one slot may take part in. */
export function patternsOf(
  steps: number,
  { times, gap }: Participation,
  first = 0,
): readonly (readonly number[])[] {
  if (times === 0) return [[]];
  const begun = range(steps)
    .filter((t) => t >= first)
    .flatMap((t) => patternsOf(steps, { times: times - 1, gap }, t + gap).map((later) => [t, ...later]));
  return [[], ...begun];
}

/**
 * The largest ‖C u‖ over u in {−1, 0, 1}^steps supported on a
 * pattern: the vertices of the differences allowed.
 */
export function bruteForceNorm(c: Rows, { steps }: PrefixSumShape, participation: Participation): number {
  let largest = 0;
  for (const pattern of patternsOf(steps, participation)) {
    for (let signs = 0; signs < 2 ** Math.max(0, pattern.length - 1); signs++) {
      const image = c.map((row) =>
        pattern.reduce((sum, t, i) => sum + ((signs >> i) & 1 ? -row[t] : row[t]), 0),
      );
      largest = Math.max(largest, Math.hypot(...image));
    }
  }
  return largest;
}
