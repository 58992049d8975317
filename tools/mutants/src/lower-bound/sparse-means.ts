import {
  defineMeanErrorBound,
  defineMechanism,
  type HardMean,
  type LowerBound,
  type MeanErrorLowerBound,
  type MeanErrorValue,
  type Registry,
} from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { losses } from '@lethe/losses';
import {
  approximateSparseMeanBound,
  blockDiagonal,
  drawSupport,
  packingMeanBound,
  pureSparseMeanBound,
} from '@lethe/lower-bounds';
import { laplace, laplaceProjectionMechanism } from '@lethe/mechanisms';
import { defined, type ZodSchema } from '@lethe/numerics';
import type * as z from 'zod';
import { defineMutant } from '../mutant.js';

const source = 'sparse-gradients';
const registry: Registry = [...losses, laplaceProjectionMechanism, laplace];

type Given<P extends ZodSchema> = z.output<P>;
type Bugs<P extends ZodSchema> = Partial<Omit<MeanErrorLowerBound<P>, 'kind' | 'measure'>>;

/** A bound with changed methods, at parameters of its own. */
const planted = <P extends ZodSchema>(
  bound: MeanErrorLowerBound<P>,
  params: z.input<P>,
  bugs: Bugs<P>,
  plugins: Registry = registry,
): Subject<'lowerBound'> =>
  subjectsOf(
    defineMeanErrorBound({ ...bound, ...bugs, examples: [params] } as Omit<
      MeanErrorLowerBound<P>,
      'kind' | 'measure'
    >) as unknown as LowerBound,
    { registry: [...plugins] },
  )[0] as Subject<'lowerBound'>;

const rate = (value: number): MeanErrorValue => ({
  value,
  probability: null,
  rootMeanSquare: null,
  explicit: false,
  terms: {},
});
const drawnAs = <P extends ZodSchema>(
  bound: MeanErrorLowerBound<P>,
  change: (drawn: HardMean, given: Given<P>) => Partial<HardMean>,
): Bugs<P> => ({
  instance(given, random) {
    const drawn = defined(bound.instance)(given, random);
    return { ...drawn, ...change(drawn, given) };
  },
});

const pureRate = { n: 100, dimension: 400, sparsity: 5, epsilon: 0.5, constants: 'hidden' } as const;
const pure = { n: 12, dimension: 24, sparsity: 2, epsilon: 0.5 } as const;

export const sparseMeans1 = defineMutant({
  id: 'lower-bound/logarithm-of-sparse-means-vanishes-past-d-over-epsilon',
  title: 'the logarithm ln(d/(εn)) is held above 0 and not above 1',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/padded'],
  within: 41,
  plant: () =>
    planted(pureSparseMeanBound, pureRate, {
      evaluate({ n, dimension: d, sparsity: s, epsilon }) {
        const en = epsilon * n;
        return rate(Math.min(1, Math.sqrt((s * Math.log(Math.max(1, d / en))) / en), Math.sqrt(s * d) / en));
      },
    }),
});
export const sparseMeans2 = defineMutant({
  id: 'lower-bound/pure-rate-of-sparse-means-for-every-epsilon',
  title: 'the pure rate is given for ε above 1, as printed',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/below-mean-errors'],
  within: 2000,
  plant: () =>
    planted(pureSparseMeanBound, pureRate, {
      evaluate({ n, dimension: d, sparsity: s, epsilon }) {
        const en = epsilon * n;
        const logarithm = Math.log(Math.max(Math.E, d / en));
        return rate(Math.min(1, Math.sqrt((s * logarithm) / en), Math.sqrt(s * d) / en));
      },
    }),
});
export const sparseMeans3 = defineMutant({
  id: 'lower-bound/pure-rate-of-sparse-means-lacks-root-of-n',
  title: 'the pure rate has √(s ln(d/(εn)))/√ε for √(s ln(d/(εn))/(εn))',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/below-mean-errors'],
  within: 2000,
  plant: () =>
    planted(pureSparseMeanBound, pureRate, {
      evaluate({ n, dimension: d, sparsity: s, epsilon }) {
        const logarithm = Math.log(Math.max(Math.E, d / (epsilon * n)));
        return rate(
          Math.min(1, Math.sqrt((s * logarithm) / epsilon), Math.sqrt(s * d) / Math.sqrt(epsilon * n)),
        );
      },
    }),
});
export const sparseMeans4 = defineMutant({
  id: 'lower-bound/approximate-rate-of-sparse-means-for-every-delta',
  title: 'the rate under (ε, δ) has no condition on ln(1/δ), as printed',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/below-mean-errors'],
  within: 2000,
  plant: () =>
    planted(
      approximateSparseMeanBound,
      { n: 1000, dimension: 400, sparsity: 40, epsilon: 0.5, delta: 1e-6, constants: 'hidden' },
      {
        evaluate({ n, dimension: d, sparsity: s, epsilon, delta }) {
          const [en, logDelta] = [epsilon * n, -Math.log(delta)];
          return rate(Math.min(1, (s * logDelta) ** 0.25 / Math.sqrt(en), Math.sqrt(d * logDelta) / en));
        },
      },
    ),
});
export const sparseMeans5 = defineMutant({
  id: 'lower-bound/one-record-of-packing-where-less-than-one-fits',
  title: 'ln(p/2)/ε is rounded up to one copy where it is below 1',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/private-answers'],
  within: 1500,
  plant: () => {
    const given = { n: 1, dimension: 3, sparsity: 1, epsilon: 2 };
    const values = Float64Array.of(1);
    return planted(packingMeanBound, given, {
      evaluate: () => ({
        value: Math.SQRT1_2 / 2,
        probability: 0.5,
        rootMeanSquare: 0.2,
        explicit: true,
        terms: { points: 3, copies: 1 },
      }),
      instance: (_given, random) =>
        blockDiagonal({ rows: 1, columns: 3, blocks: 1, rowsPerBlock: 1, columnsPerBlock: 3 }, () => [
          { row: { columns: drawSupport({ columns: 3, entries: 1 }, random), values }, copies: 1 },
        ]),
    });
  },
});
export const sparseMeans6 = defineMutant({
  id: 'lower-bound/packing-of-all-supports',
  title: 'a packing of all supports, some of which are nearer than 1/√2',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/separated'],
  within: 400,
  plant: () => {
    const shape = { columns: 12, entries: 6 };
    const values = new Float64Array(6).fill(1 / Math.sqrt(6));
    return planted(
      packingMeanBound,
      { n: 1, dimension: 12, sparsity: 6, epsilon: 1 },
      {
        instance: (_given, random) =>
          blockDiagonal({ rows: 1, columns: 12, blocks: 1, rowsPerBlock: 1, columnsPerBlock: 12 }, () => [
            { row: { columns: drawSupport(shape, random), values }, copies: 1 },
          ]),
      },
    );
  },
});
export const sparseMeans7 = defineMutant({
  id: 'lower-bound/fingerprints-lose-more-than-they-can',
  title: 'the mean square of fingerprints has (m + m)/(3(m + 2)) for (m + 4)/(3(m + 2))',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/private-answers'],
  within: 1500,
  plant: () =>
    planted(
      approximateSparseMeanBound,
      { n: 30, dimension: 100, sparsity: 100, epsilon: 1e-3, delta: 1e-9 },
      {
        evaluate: (given) => ({
          ...approximateSparseMeanBound.evaluate(given),
          rootMeanSquare: Math.sqrt(60 / (3 * 32)),
        }),
        instance: (given, random) => {
          const means = Float64Array.from({ length: 100 }, () => 2 * random.uniform() - 1);
          const columns = Uint32Array.from(means, (_, j) => j);
          return blockDiagonal(
            { rows: given.n, columns: 100, blocks: 1, rowsPerBlock: given.n, columnsPerBlock: 100 },
            () =>
              Array.from({ length: given.n }, () => ({
                row: { columns, values: means.map((p) => (random.uniform() < (1 + p) / 2 ? 0.1 : -0.1)) },
                copies: 1,
              })),
          );
        },
      },
    ),
});
export const sparseMeans8 = defineMutant({
  id: 'lower-bound/same-support-for-every-draw',
  title: 'every draw has the same supports',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/records'],
  within: 12,
  plant: () =>
    planted(pureSparseMeanBound, pure, {
      instance: ({ n, dimension }) =>
        blockDiagonal(
          { rows: n, columns: dimension, blocks: 1, rowsPerBlock: 1, columnsPerBlock: 24 },
          () => [{ row: { columns: Uint32Array.of(1), values: Float64Array.of(1) }, copies: 1 }],
        ),
    }),
});
export const sparseMeans9 = defineMutant({
  id: 'lower-bound/mean-of-records-that-are-not-zero',
  title: 'the declared mean is that of the records that are not zero',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/records'],
  within: 12,
  plant: () =>
    planted(
      pureSparseMeanBound,
      { ...pure, n: 40 },
      drawnAs(pureSparseMeanBound, ({ mean, rows, features }) => {
        const starts = features instanceof Float64Array ? [] : Array.from(features.rowStarts);
        const filled = starts.slice(1).filter((start, i) => start > starts[i]).length;
        return { mean: mean.map((x) => (x * rows) / filled) };
      }),
    ),
});
export const sparseMeans10 = defineMutant({
  id: 'lower-bound/flat-vectors-not-divided-by-root-s',
  title: 'entries of a flat vector are 1 and not 1/√s',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/records'],
  within: 12,
  plant: () =>
    planted(
      pureSparseMeanBound,
      pure,
      drawnAs(pureSparseMeanBound, ({ features, mean }, { sparsity }) => ({
        features:
          features instanceof Float64Array
            ? features
            : { ...features, values: features.values.map((x) => x * Math.sqrt(sparsity)) },
        mean: mean.map((x) => x * Math.sqrt(sparsity)),
      })),
    ),
});
export const sparseMeans11 = defineMutant({
  id: 'lower-bound/error-of-padded-records-not-rescaled',
  title: 'records of zeros are added and the error is not divided',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/below-mean-errors'],
  within: 2000,
  plant: () =>
    planted(pureSparseMeanBound, pure, {
      evaluate: (given) => pureSparseMeanBound.evaluate({ ...given, n: Math.min(given.n, 100) }),
    }),
});
export const sparseMeans12 = defineMutant({
  id: 'lower-bound/value-of-sparse-means-forgets-radius',
  title: 'the value is for records of norm 1',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/homogeneous'],
  within: 40,
  plant: () =>
    planted(pureSparseMeanBound, pure, {
      evaluate: (given) => pureSparseMeanBound.evaluate({ ...given, radius: 1 }),
    }),
});
export const sparseMeans13 = defineMutant({
  id: 'lower-bound/private-mean-with-thousandth-of-noise',
  title: 'the noise of a private mean of the registry is a thousandth of what it should be',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/private-answers'],
  within: 100,
  plant: () =>
    planted(packingMeanBound, { n: 1, dimension: 8, sparsity: 2, epsilon: 0.5 }, {}, [
      laplaceProjectionMechanism,
      defineMechanism({
        ...laplace,
        multiplierFor: (params, target) => laplace.multiplierFor(params, target) / 1000,
      }),
    ]),
});
const near = { n: 9, dimension: 8, sparsity: 4, epsilon: 1 } as const;
export const sparseMeans14 = defineMutant({
  id: 'lower-bound/error-of-packing-is-whole-distance',
  title: 'an answer is said to miss a point of a packing by the whole distance of two points',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/separated'],
  within: 100,
  plant: () =>
    planted(packingMeanBound, near, {
      evaluate(given) {
        const found = packingMeanBound.evaluate(given);
        return { ...found, value: 2 * found.value };
      },
    }),
});
export const sparseMeans15 = defineMutant({
  id: 'lower-bound/copies-of-point-not-rounded-down',
  title: 'the value has ln(p/2)/ε and not its whole part, which is the number of copies',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/separated'],
  within: 100,
  plant: () =>
    planted(packingMeanBound, near, {
      evaluate(given) {
        const found = packingMeanBound.evaluate(given);
        const copies = Math.log(found.terms['points'] / 2) / given.epsilon;
        return { ...found, value: (found.value * copies) / found.terms['copies'] };
      },
    }),
});
export const sparseMeans16 = defineMutant({
  id: 'lower-bound/approximate-rate-of-sparse-means-has-root-for-fourth-root',
  title: 'the rate under (ε, δ) has the root of s ln(1/δ) and not its fourth root',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/below-mean-errors'],
  within: 2000,
  plant: () =>
    planted(
      approximateSparseMeanBound,
      { n: 1000, dimension: 1e7, sparsity: 400, epsilon: 0.5, delta: 1e-6, constants: 'hidden' },
      {
        evaluate(given) {
          const { n, dimension: d, sparsity: s, epsilon, delta } = given;
          approximateSparseMeanBound.evaluate(given);
          const [en, logDelta] = [epsilon * n, -Math.log(delta)];
          return rate(Math.min(1, Math.sqrt((s * logDelta) / en), Math.sqrt(d * logDelta) / en));
        },
      },
    ),
});
export const sparseMeans17 = defineMutant({
  id: 'lower-bound/probability-of-pure-sparse-means-too-high',
  title: 'the error is said to be as large with a probability .3 higher',
  kind: 'lowerBound',
  source,
  killedBy: ['lowerBound/lone-record'],
  within: 3000,
  plant: () =>
    planted(
      pureSparseMeanBound,
      { n: 3, dimension: 3, sparsity: 1, epsilon: 0.25 },
      {
        evaluate(given) {
          const found = pureSparseMeanBound.evaluate(given);
          return { ...found, probability: (found.probability ?? 0) + 0.3 };
        },
      },
    ),
});
