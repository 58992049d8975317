import { addUp, divideUp, multiplyUp, sqrtUp } from '@lethe/numerics';
import {
  defineMean,
  type CentralMean,
  type Moment,
  type MeanShape,
  type MeanRun,
  type Sensitivity,
  type Vector,
} from '@lethe/core';
import * as z from 'zod';
import { ballFactor } from '../clips/clip-to-ball.js';
import { l1Clip } from '../clips/l1-clip.js';
import { l2Clip } from '../clips/l2-clip.js';
import { momentRootUp } from '../clips/moment.js';
import { gaussian } from '../noise/gaussian.js';
import { laplace } from '../noise/laplace.js';
import { assertPublicSlots } from '../samplers/slots.js';
import { projectL1Ball } from '../solvers/project-l1-ball.js';
import { projectL1L2Balls } from '../solvers/project-l1-l2-balls.js';
import { ghazi } from '../sources.js';
import { assertDimension, assertLength, assertNoiseVariance, radiusUpTo } from './checks.js';
import { projectionMeanSquaredError } from './projection-error.js';

/** Parameters of every mean of this form. */
export const projectionParams = z.strictObject({
  radius: radiusUpTo(1e270),
  sparsity: z
    .int()
    .positive()
    .max(2 ** 32),
});
type Params = z.output<typeof projectionParams>;

/** ℓ1 radius of what `sparsity` entries of ℓ2 norm `radius` can be, in a space of so many dimensions. */
export const l1RadiusOf = ({ radius, sparsity }: Params, dimension: number): number =>
  multiplyUp(radius, sqrtUp(Math.min(sparsity, dimension)));

const same = (mean: Vector): Vector => mean;

/** The set that the noised mean is projected onto. */
interface ProjectedSet {
  /** Holds a record to the set, in the ℓ2 ball, by a factor. @defaultValue to both balls */
  bound?(given: Params, record: Vector): void;
  nearest(given: Params, dimension: number): MeanRun['finish'];
  /** Its largest ℓ2 norm. */
  extent(given: Params, dimension: number): number;
}

function holdToBalls(given: Params, record: Vector): void {
  l2Clip.clipInPlace({ radius: given.radius }, record);
  l1Clip.clipInPlace({ radius: l1RadiusOf(given, record.length) }, record);
}

/** The ℓ1 and the ℓ2 ball that hold every record. */
const bothBalls: ProjectedSet = {
  nearest: (given, dimension) => {
    const balls = { l1Radius: l1RadiusOf(given, dimension), l2Radius: given.radius };
    return (noised) => projectL1L2Balls(noised, balls);
  },
  extent: ({ radius }) => radius,
};

/**
 * Bounded records are summed, and the noised mean goes to the nearest point of a set that holds every mean.
 */
function runOf(
  { dimension, slots }: MeanShape,
  bound: (record: Vector) => void,
  finish: MeanRun['finish'],
): MeanRun {
  assertDimension(dimension);
  assertPublicSlots(slots);
  const sum = new Float64Array(dimension);
  const record = new Float64Array(dimension);
  return {
    add(_slot, gradient) {
      assertLength(gradient, dimension);
      record.set(gradient);
      bound(record);
      for (let j = 0; j < dimension; j++) sum[j] += record[j];
    },
    value: () => sum.map((total) => total / slots),
    finish,
  };
}

function meanOf(radius: number, slots: number): Sensitivity {
  assertPublicSlots(slots);
  const one = divideUp(radius, slots);
  return { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one };
}

const nearestAnswer = {
  property: 'nearest-answer',
  statement:
    'finish gives the point nearest to the noised value among all that means of bounded records can be',
} as const;

/** What both noises have in common. */
const common = {
  source: ghazi('Algorithm 1'),
  params: projectionParams,
  examples: [
    { radius: 1, sparsity: 1 },
    { radius: 0.25, sparsity: 2 },
    { radius: 2, sparsity: 40 },
  ],
  scaled: ({ radius, sparsity }: Params, factor: number) => ({ radius: radius * factor, sparsity }),
  event: ((_params, noise) => noise) satisfies CentralMean['event'],
} as const;

/**
 * The Gaussian form: records within both balls, sensitivity in ℓ2, and the nearest point of a symmetric
 * convex set that holds every record.
 */
export const projectedGaussian = ({ bound = holdToBalls, nearest, extent }: ProjectedSet) =>
  ({
    ...common,
    trust: 'central',
    privacyRestsOn: 'clip',
    norm: () => 'l2',
    sensitivity: ({ radius }, { slots }) => meanOf(radius, slots),
    linear(given, { dimension }) {
      const { radius } = given;
      const l1Radius = l1RadiusOf(given, dimension);
      return {
        norms: ['l2', 'l1'],
        factor: (l2, l1) => Math.min(ballFactor(radius, l2), ballFactor(l1Radius, l1)),
        radius: null,
        transform: () => ({ value: same, finish: nearest(given, dimension) }),
      };
    },
    begin: (given, context) =>
      runOf(context, (record) => bound(given, record), nearest(given, context.dimension)),
    biasBound({ radius, sparsity }, { dimension, slots }, moment) {
      assertPublicSlots(slots);
      const within =
        sparsity >= dimension ? radius : radius * Math.sqrt(sparsity / dimension) * (1 - 2 ** -50);
      return addUp(l2Clip.biasBound({ radius: within }, moment), Math.min(radius, momentRootUp(moment)));
    },
    varianceBound(given, { dimension, slots }, moment, noiseVariance) {
      assertPublicSlots(slots);
      const fromNoise = noiseError('gaussian', l1RadiusOf(given, dimension), dimension, noiseVariance);
      const most = extent(given, dimension);
      return Math.min(
        multiplyUp(most, most),
        addUp(fromNoise, divideUp(l2Clip.varianceBound({ radius: given.radius }, moment), slots)),
      );
    },
  }) satisfies Partial<CentralMean<typeof projectionParams>>;

/**
 * The projection mechanism for means of sparse records, with Gaussian noise: add noise to the mean, then go
 * to the nearest point of `𝒦 = {‖x‖₁ ≤ radius·√sparsity, ‖x‖₂ ≤ radius}`. Vectors of at most `sparsity`
 * entries that differ from zero and of ℓ2 norm at most `radius` lie in 𝒦, and so do their means.
 *
 * Records are held to 𝒦 by the mean itself, whatever they are: each is scaled by
 * `min(1, radius/‖z‖₂, radius·√sparsity/‖z‖₁)`. Sparse ones within the radius stay as they are; dense ones
 * keep their direction. So the sensitivity holds for every data set, sparse or not.
 *
 * The paper projects onto the ℓ1 ball alone; its analysis holds for every convex set between that ball and
 * the hull of sparse vectors, of which 𝒦 is the smaller. {@link l1ProjectionMechanism} is the printed form.
 *
 * Bounds hold for noise of every scale. With symmetric noise the projection onto a symmetric convex set has
 * bias at most the norm of the mean itself, attained as the noise grows: without knowing the noise no less
 * can be said. {@link projectionMeanSquaredError} and {@link projectionErrorWithin} say more for noise of a
 * given scale.
 *
 * @param params - `radius`: ℓ2 bound L of a record, in its unit;
 * `sparsity`: s, entries of a record that may differ from zero.
 */
export const projectionMechanism = defineMean({
  ...projectedGaussian(bothBalls),
  name: 'projection',
  summary: 'Mean with Gaussian noise, projected onto what means of sparse records can be.',
  claims: [
    {
      property: 'sensitivity',
      statement: '2·radius/slots in ℓ2 under replace-one, radius/slots under zero-out and add-remove',
      source: ghazi('Theorem 3.3'),
    },
    { property: 'sensitivity-attained', statement: 'by opposite records on an axis, or one' },
    { property: 'permutation-invariant', statement: 'value() is a sum over records, up to rounding' },
    nearestAnswer,
    {
      property: 'bias-bound',
      statement:
        'sup E(‖z‖ − radius·min(1, √(sparsity/dimension)))₊ from bounding records, ' +
        'and E‖bounded z‖ from the projection of symmetric noise of any scale',
    },
    {
      property: 'variance-bound',
      statement:
        'V/slots + min(dimension · noise variance, ' +
        '2·radius·√sparsity · E‖ξ‖∞), V = E‖bounded z‖²; at most radius²',
      source: ghazi('Lemma 3.1'),
    },
  ],
  mechanism: () => gaussian({}),
});

/**
 * The projection mechanism with Laplace noise, for pure differential privacy: the mean of records held to
 * `‖z‖₁ ≤ radius·√sparsity` by scaling, noise, and the nearest point of that ball. Records need not be
 * sparse. Sensitivity, moments and bounds are in ℓ1.
 *
 * Bounds hold for noise of every scale; see {@link projectionMechanism}, and
 * {@link projectionMeanSquaredError} for the error in ℓ2 at a given one.
 *
 * @param params - As those of {@link projectionMechanism}; in
 * fewer than `sparsity` dimensions their number stands for it.
 */
export const laplaceProjectionMechanism = defineMean({
  ...common,
  name: 'laplace-projection',
  summary: 'Mean with Laplace noise, projected onto the ℓ1 ball that holds means of sparse records.',
  claims: [
    {
      property: 'sensitivity',
      statement: '2·radius·√sparsity/slots in ℓ1 under replace-one, half of it under zero-out and add-remove',
      source: ghazi('Theorem 3.2'),
    },
    { property: 'sensitivity-attained', statement: 'by opposite records on an axis, or one' },
    { property: 'permutation-invariant', statement: 'value() is a sum over records, up to rounding' },
    nearestAnswer,
    {
      property: 'bias-bound',
      statement:
        'in ℓ1: that of scaling into the ball, and at most min(ρ + E‖bounded z‖₁, ' +
        '√dimension · E‖bounded z‖₁) from the projection of symmetric noise, ρ = radius·√sparsity',
    },
    {
      property: 'variance-bound',
      statement:
        'in ℓ1: dimension times the bound in ℓ2, ' +
        'V/slots + min(dimension · noise variance, 2ρ·E‖ξ‖∞); at most 4ρ²',
      source: ghazi('Lemma 3.1'),
    },
  ],
  trust: 'central',
  privacyRestsOn: 'clip',
  mechanism: () => laplace({}),
  norm: () => 'l1',
  sensitivity: (given, { dimension, slots }) => meanOf(l1RadiusOf(given, dimension), slots),
  linear(given, { dimension }) {
    const radius = l1RadiusOf(given, dimension);
    return {
      norms: ['l1'],
      factor: (norm) => ballFactor(radius, norm),
      radius: null,
      transform: () => ({ value: same, finish: (noised) => projectL1Ball(noised, radius).point }),
    };
  },
  begin(given, context) {
    const radius = l1RadiusOf(given, context.dimension);
    return runOf(
      context,
      (record) => l1Clip.clipInPlace({ radius }, record),
      (noised) => projectL1Ball(noised, radius).point,
    );
  },
  biasBound(given, { dimension, slots }, moment) {
    assertPublicSlots(slots);
    const radius = l1RadiusOf(given, dimension);
    const size = boundedSize(radius, moment);
    return addUp(
      l1Clip.biasBound({ radius }, moment),
      Math.min(addUp(radius, size), multiplyUp(sqrtUp(dimension), size)),
    );
  },
  varianceBound(given, { dimension, slots }, moment, noiseVariance) {
    assertPublicSlots(slots);
    const radius = l1RadiusOf(given, dimension);
    const size = boundedSize(radius, moment);
    const inL2 = addUp(
      noiseError('laplace', radius, dimension, noiseVariance),
      divideUp(multiplyUp(size, size), slots),
    );
    return Math.min(multiplyUp(4, multiplyUp(radius, radius)), multiplyUp(dimension, inL2));
  },
});

/** Bound on `E‖bounded z‖`, and on the root of its square's expectation. */
function boundedSize(radius: number, moment: Moment): number {
  return Math.sqrt(l2Clip.varianceBound({ radius }, moment)) * (1 + 2 ** -50);
}

function noiseError(
  noise: 'gaussian' | 'laplace',
  l1Radius: number,
  dimension: number,
  noiseVariance: number,
): number {
  assertNoiseVariance(noiseVariance);
  if (noiseVariance === 0) return 0;
  return projectionMeanSquaredError({
    noise,
    l1Radius,
    dimension,
    scale: sqrtUp(noise === 'gaussian' ? noiseVariance : noiseVariance / 2),
  });
}
