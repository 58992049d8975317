import type { PrefixSumShape, Vector } from '@lethe/core';
import type { Violation } from '../../law/finding.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';

/** Rows of a matrix. */
export type Rows = readonly Float64Array[];
/**
 * Contributions of one unit of noise in each row to a run:
 * `increments[t][s]`, and their running sums, the rows of B.
 */
export interface Decoder {
  readonly increments: Rows;
  readonly sums: Rows;
  readonly violation?: Violation;
}

/** Rounding tolerance of entries of B and C, per term, in units of 2⁻⁵³: they may come from recursions. */
export const entryRounding = 2 ** 12 * 2 ** -53;
/** Stream lengths tested by every law; lengths that a plugin refuses are left out. */
export const lengths: readonly number[] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 64, 100, 128,
];

/** The shapes of these lengths that the plugin accepts. */
export function shapesTaken(
  { plugin, params }: Subject<'prefixSum'>,
  steps: readonly number[],
  dimensionOf: (steps: number) => number,
): readonly PrefixSumShape[] {
  return steps
    .map((count): PrefixSumShape => ({ steps: count, dimension: dimensionOf(count) }))
    .filter((shape) => attempt(() => plugin.begin(params, shape)).declined === undefined);
}

/** C as declared by the plugin. */
export const encoderOf = ({ plugin, params }: Subject<'prefixSum'>, shape: PrefixSumShape): Rows =>
  Array.from({ length: shape.steps }, (_, row) =>
    Float64Array.from({ length: shape.steps }, (_entry, column) =>
      plugin.encoder(params, shape, row, column),
    ),
  );

/**
 * B, measured in one pass over a stream as wide as it is long: noise row `s` is the unit vector `s`, so that
 * entry `s` of the output is the contribution of that row.
 */
export function decoderOf({ plugin, params }: Subject<'prefixSum'>, shape: PrefixSumShape): Decoder {
  const { steps, dimension } = shape;
  const run = plugin.begin(params, shape);
  const increments: Float64Array[] = [];
  const sums: Float64Array[] = [];
  let sum = new Float64Array(dimension);
  for (let step = 0; step < steps; step++) {
    let stray: number | undefined;
    const out = new Float64Array(dimension).fill(NaN);
    run.nextInto(out, (row, noise) => {
      if (!(Number.isInteger(row) && row >= 0 && row <= step)) stray = row;
      noise.fill(0);
      noise[row] = 1;
    });
    if (stray !== undefined)
      return {
        increments,
        sums,
        violation: {
          what:
            `at step ${step} it asks for row ${stray} of the noise; C is lower triangular, ` +
            `so that only rows 0 to ${step} are part of the sum`,
          input: { steps, step, row: stray },
        },
      };
    increments.push(out);
    sum = sum.map((value, s) => value + out[s]);
    sums.push(sum);
  }
  return { increments, sums };
}

/** Standard noise by row, equal at every request for a row. */
export const noiseOf =
  (rows: Rows) =>
  (row: number, out: Vector): void => {
    const values = rows[row];
    if (values === undefined) out.fill(NaN);
    else out.set(values);
  };
