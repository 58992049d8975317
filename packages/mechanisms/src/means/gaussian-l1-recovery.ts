import { addUp, divideUp, multiplyUp } from '@lethe/numerics';
import {
  defineMean,
  InvalidParameter,
  Unsupported,
  type CoreEvent,
  type MeanShape,
  type RandomSource,
  type Vector,
} from '@lethe/core';
import * as z from 'zod';
import { l2Clip } from '../clips/l2-clip.js';
import { momentRootUp } from '../clips/moment.js';
import { classicalGaussian } from '../noise/classical-gaussian.js';
import { gaussian } from '../noise/gaussian.js';
import { assertPublicSlots } from '../samplers/slots.js';
import { basisPursuit } from '../solvers/basis-pursuit.js';
import { ghazi } from '../sources.js';
import { assertDimension, assertLength, assertNoiseVariance, radiusUpTo } from './checks.js';
import { keepLargestEntries } from './largest-entries.js';
import { measurementsWithin, sensingNormWithin, sparseNormBound } from './restricted-isometry.js';

/** Rows of the matrix. */
export const mostMeasurements = 2 ** 16;

const common = {
  radius: radiusUpTo(1e270),
  sparsity: z
    .int()
    .positive()
    .max(2 ** 32),
  measurements: z.int().positive().max(mostMeasurements),
};
const params = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('certified'), ...common, failure: z.number().positive().lt(1) }),
  z.strictObject({ mode: z.literal('verified'), ...common }),
  z.strictObject({ mode: z.literal('literal'), ...common, failure: z.number().positive().lt(1) }),
]);
type Params = z.output<typeof params>;

/** Entries of the matrix that fit into memory: one gibibyte of doubles. */
export const mostEntries = 2 ** 27;

/**
 * The mean of sparse records from few noisy measurements: the value is `A · mean` for a matrix A of
 * independent N(0, 1/measurements) entries, and the answer is the vector of least ℓ1 norm with the noised
 * measurements, or zero when that is longer than `2 · radius`.
 *
 * A is drawn anew from the curator's randomness when each release begins, independently of the records. Each
 * record is truncated to its `sparsity` entries of largest size and scaled to an ℓ2 norm of at most `radius`.
 * A replacement is two removals, so that the norm of A on vectors of
 * that sparsity counts, not of twice that many entries.
 *
 * - `certified`: that norm is at most κ, {@link sensingNormWithin}, but with probability `failure`, which
 *   goes into the event as a way to fail. The sensitivity is `2κ·radius/slots`.
 * - `verified`: the matrix that was drawn is divided by an upper bound on its norm there,
 *   {@link sparseNormBound}, so that the sensitivity is `2·radius/slots` for certain and nothing can fail.
 *   Scaling the matrix and not the noise leaves the declared sensitivity a public number. The bound on the
 *   norm is close for few entries or for few dimensions; for many of both it is that of the whole matrix, and
 *   `certified` is better.
 *
 * - `literal`: the printed noise, for comparison. The norm is taken as 3/2 and noise is calibrated by the
 *   textbook condition, so that with `failure = δ/2` and a target of (ε, δ/2) its variance is
 *   `18·radius²·ln(2.5/δ)/(slots·ε)²`. The paper asks for `δ ≥ 6·exp(−c·measurements)` with an unknown c, and
 *   for `K ≥ 2` in `measurements = K·sparsity·ln(dimension/sparsity)`. Here 3/2 must be proved, which implies
 *   both with c = 1/8: measurements are refused below {@link measurementsWithin} of 3/2, as at the small
 *   batches of Algorithm 3. Wherever it is taken, `certified` adds no more noise.
 *
 * {@link l1RecoveryOrProjection} chooses between this oracle and others by public numbers.
 *
 * Basis pursuit and the test of length read the noised value only; their running time may depend on it. If
 * the matrix is too ill-conditioned to solve, the answer is zero.
 *
 * Bounds on bias and variance follow from the largest possible answer, for
 * noise of every scale; sharper ones need unknown constants.
 *
 * @param params - `radius` and `sparsity` of records; `measurements`: rows of A, fewer than the dimension;
 * `mode`, and `failure` for `certified`.
 */
export const gaussianL1Recovery = defineMean({
  name: 'gaussian-l1-recovery',
  summary: 'Mean of sparse records from few noisy Gaussian measurements, by basis pursuit.',
  source: ghazi('Algorithm 2'),
  params,
  examples: [
    { mode: 'verified', radius: 1, sparsity: 1, measurements: 1 },
    { mode: 'certified', radius: 1, sparsity: 1, measurements: 1, failure: 1e-9 },
    { mode: 'verified', radius: 0.5, sparsity: 2, measurements: 2 },
    { mode: 'certified', radius: 3, sparsity: 2, measurements: 3, failure: 1e-6 },
    { mode: 'literal', radius: 1, sparsity: 1, measurements: 62, failure: 0.9 },
  ],
  claims: [
    {
      property: 'sensitivity',
      statement:
        '2κ·radius/slots under replace-one, κ·radius/slots under ' +
        'zero-out and add-remove; κ = 1 when verified, 3/2 when literal',
    },
    { property: 'permutation-invariant', statement: 'value() is a sum over records, up to rounding' },
    {
      property: 'least-norm-answer',
      statement:
        'without noise no vector of the same measurements has a smaller ℓ1 norm than the answer, ' +
        'so that its norm is at most that of the mean',
    },
    { property: 'bias-bound', statement: '2·radius + E‖z‖: answers have norm at most 2·radius' },
    { property: 'variance-bound', statement: '4·radius²' },
  ],
  trust: 'central',
  privacyRestsOn: 'clip',
  mechanism: ({ mode }) => (mode === 'literal' ? classicalGaussian({}) : gaussian({})),
  norm: () => 'l2',
  sensitivity(given, context) {
    assertShape(given, context);
    const one = divideUp(multiplyUp(normOf(given, context), given.radius), context.slots);
    return { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one };
  },
  begin(given, context, random) {
    assertShape(given, context);
    const { radius, sparsity, measurements } = given;
    const { dimension, slots } = context;
    const matrix = sensingMatrix(given, context, random);
    const sum = new Float64Array(dimension);
    const record = new Float64Array(dimension);
    return {
      add(_slot, gradient) {
        assertLength(gradient, dimension);
        record.set(gradient);
        if (!record.every(Number.isFinite)) return;
        keepLargestEntries(record, sparsity);
        l2Clip.clipInPlace({ radius }, record);
        for (let j = 0; j < dimension; j++) sum[j] += record[j];
      },
      addSparse(_slot, indices, values) {
        const entries = values.slice();
        if (!entries.every(Number.isFinite)) return;
        keepLargestEntries(entries, sparsity);
        l2Clip.clipInPlace({ radius }, entries);
        for (let k = 0; k < entries.length; k++) sum[indices[k]] += entries[k];
      },
      value() {
        const out = new Float64Array(measurements);
        for (let j = 0; j < dimension; j++) {
          // Zeros too: the running time must not depend on the number of non-zero entries of a record.
          const mean = sum[j] / slots;
          for (let i = 0; i < measurements; i++) out[i] += matrix[j * measurements + i] * mean;
        }
        return out;
      },
      finish(noised) {
        if (noised.length !== measurements)
          throw new InvalidParameter(
            `${noised.length} noised measurements were given; there are ${measurements}`,
            { length: noised.length, measurements },
          );
        return shortEnough(recovered(matrix, noised), 2 * radius);
      },
    };
  },
  scaled: (given, factor) => ({ ...given, radius: given.radius * factor }),
  event: (given, noise) =>
    given.mode === 'verified'
      ? noise
      : ({
          kind: 'core/failing',
          v: 1,
          delta: given.failure,
          event: noise,
        } satisfies CoreEvent<'core/failing'>),
  biasBound({ radius }, { slots }, moment) {
    assertPublicSlots(slots);
    return addUp(2 * radius, momentRootUp(checkedMoment(moment)));
  },
  varianceBound({ radius }, { slots }, moment, noiseVariance) {
    assertPublicSlots(slots);
    assertNoiseVariance(noiseVariance);
    checkedMoment(moment);
    return multiplyUp(4, multiplyUp(radius, radius));
  },
});

/** @throws {InvalidParameter} for an invalid moment. */
function checkedMoment<M extends Parameters<typeof l2Clip.biasBound>[1]>(moment: M): M {
  l2Clip.biasBound({ radius: 1 }, moment);
  return moment;
}

function assertShape(given: Params, { dimension, slots }: MeanShape): void {
  const { measurements } = given;
  assertDimension(dimension);
  assertPublicSlots(slots);
  if (measurements >= dimension) {
    throw new InvalidParameter(
      `${measurements} measurements of vectors in dimension ${dimension} save nothing; ` +
        "give fewer than the dimension, or use 'clipped'",
      { measurements, dimension },
    );
  }
  if (measurements * dimension > mostEntries) {
    throw new Unsupported(
      `a matrix of ${measurements} by ${dimension} needs more than a gibibyte; ` +
        "take fewer measurements, or use 'projection'",
      { measurements, dimension, most: mostEntries },
    );
  }
  if (given.mode === 'literal') assertPrintedNorm(given, dimension);
}

/** The norm on records that the paper's noise is for. */
const printedNorm = 1.5;

/** @throws {Unsupported} unless the printed norm is proved, which implies what the paper asks for. */
function assertPrintedNorm(
  { sparsity, measurements, failure }: Params & { readonly mode: 'literal' },
  dimension: number,
): void {
  const needed = measurementsWithin({ norm: printedNorm, dimension, sparsity }, failure);
  if (measurements >= needed) return;
  const [delta, least] = [2 * failure, 6 * Math.exp(-measurements / 8)];
  const entries = Math.min(sparsity, dimension);
  const spread = measurements / (entries * Math.log(dimension / entries));
  const norm = sensingNormWithin({ measurements, dimension, sparsity }, failure);
  throw new Unsupported(
    `${measurements} measurements do not prove the printed norm of 3/2 on records, only ${norm}: ` +
      `6·exp(−measurements/8) is ${least} and must be at most delta = ${delta}, ` +
      `K is ${spread} and must be at least 2, and measurements must be at least ${needed}. ` +
      (needed < dimension
        ? `Give ${needed} measurements, or use mode 'certified', 'verified' or the mean 'projection'.`
        : `That is the dimension, ${dimension}, or more: use mode 'certified', 'verified' or 'projection'.`),
    { measurements, needed, norm, delta, least, spread },
  );
}

function normOf(given: Params, { dimension }: MeanShape): number {
  if (given.mode === 'verified') return 1;
  if (given.mode === 'literal') return printedNorm;
  const { measurements, sparsity, failure } = given;
  return sensingNormWithin({ measurements, dimension, sparsity }, failure);
}

/** By columns; of norm at most 1 on sparse vectors when verified. */
function sensingMatrix(
  { mode, sparsity, measurements }: Params,
  { dimension }: MeanShape,
  random: RandomSource,
): Float64Array {
  const matrix = random.fork('matrix').gaussianInto(new Float64Array(measurements * dimension));
  const deviation = 1 / Math.sqrt(measurements);
  for (let at = 0; at < matrix.length; at++) matrix[at] *= deviation;
  if (mode !== 'verified') return matrix;
  const bound = sparseNormBound(matrix, measurements, sparsity);
  for (let at = 0; at < matrix.length; at++) matrix[at] /= bound;
  return matrix;
}

function recovered(matrix: Float64Array, target: Vector): Vector {
  const rows = target.length;
  const columns = matrix.length / rows;
  try {
    return basisPursuit({
      matrix: { data: matrix, rows, columns, offset: 0, rowStride: 1, columnStride: rows },
      target,
    }).point;
  } catch (error) {
    // A release that is charged must not end the run: this public matrix cannot be solved.
    if (error instanceof InvalidParameter) return new Float64Array(columns);
    throw error;
  }
}

/**
 * Zero instead of a vector that is too long to be a mean's: not scaled down, since its direction is noise.
 */
function shortEnough(vector: Vector, most: number): Vector {
  const copy = vector.slice();
  l2Clip.clipInPlace({ radius: most }, copy);
  return copy.every((x, j) => x === vector[j]) ? vector : new Float64Array(vector.length);
}
