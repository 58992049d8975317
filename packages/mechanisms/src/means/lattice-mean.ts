import { addUp, divideDown, divideUp, multiplyUp, sqrtUp } from '@lethe/numerics';
import {
  defineMean,
  InvalidParameter,
  type CoreEvent,
  type CentralMean,
  type Moment,
  type MeanShape,
  type MeanRun,
  type Norm,
  type PrivacyEvent,
} from '@lethe/core';
import * as z from 'zod';
import { l1Clip } from '../clips/l1-clip.js';
import { l2Clip } from '../clips/l2-clip.js';
import { cappedSquareUp } from '../clips/moment.js';
import { discreteGaussian } from '../noise/discrete-gaussian.js';
import { discreteLaplace } from '../noise/discrete-laplace.js';
import { skellam } from '../noise/skellam.js';
import { assertPublicSlots } from '../samplers/slots.js';
import { assertDimension, assertLength, assertNoiseVariance } from './checks.js';
import { isLattice, latticeLimit, latticeSensitivity, roundWithin, type LatticeBall } from './lattice.js';

const params = z
  .strictObject({ radius: z.number().positive().max(1e280), spacing: z.number().positive() })
  .refine(({ radius, spacing }) => isLattice(radius, spacing), {
    message: 'the radius is from 1 to 2^26 times the spacing',
    path: ['spacing'],
  });
type Params = z.output<typeof params>;
const l2Ball = ({ radius, spacing }: Params): LatticeBall => ({ norm: 'l2', radius, spacing });
const l1Ball = ({ radius, spacing }: Params): LatticeBall => ({ norm: 'l1', radius, spacing });

/** Sums up to this leave room for noise of every scale that is proved. */
const largestSum = 2 ** 52;

/** @throws {InvalidParameter} when sums of so many records could reach 2⁵². */
function assertRoom(ball: LatticeBall, slots: number): void {
  assertPublicSlots(slots);
  const most = multiplyUp(slots, latticeSensitivity(ball));
  if (most <= largestSum) return;
  throw new InvalidParameter(
    `sums of ${slots} records of up to ${latticeSensitivity(ball)} steps could reach ${most}; ` +
      'at most 2^52 steps are counted. Use a coarser grid.',
    { slots, ...ball },
  );
}

function sensitivityOf(ball: LatticeBall, slots: number): ReturnType<CentralMean['sensitivity']> {
  assertRoom(ball, slots);
  const one = latticeSensitivity(ball);
  return { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one };
}

/** Sums of whole numbers, which are exact in any order. */
function runOf(ball: LatticeBall, { dimension, slots }: MeanShape): MeanRun {
  assertDimension(dimension);
  assertRoom(ball, slots);
  const limit = latticeLimit(ball);
  const step = ball.spacing / slots;
  const sum = new Float64Array(dimension);
  const record = new Float64Array(dimension);
  const point = new Float64Array(dimension);
  // So many records more cannot take an entry beyond the largest sum.
  let unheld = Math.floor(divideDown(largestSum, latticeSensitivity(ball)));
  return {
    add(_slot, gradient) {
      assertLength(gradient, dimension);
      record.set(gradient);
      roundWithin(point, record, ball, limit);
      unheld -= 1;
      if (unheld >= 0) {
        for (let j = 0; j < dimension; j++) sum[j] += point[j];
        return;
      }
      // Held where integers are exact: under add-remove there may be many more records than slots. Each step
      // is 1-Lipschitz, so holding costs no sensitivity.
      for (let j = 0; j < dimension; j++)
        sum[j] = Math.max(-largestSum, Math.min(largestSum, sum[j] + point[j]));
    },
    value: () => sum.slice(),
    finish: (noised) => noised.map((steps) => steps * step),
  };
}

/** Upper bound on what rounding moves a clipped record by, in its norm. */
const roundingOf = ({ norm, spacing }: LatticeBall, dimension: number): number =>
  multiplyUp(spacing, addUp(norm === 'l1' ? dimension : sqrtUp(dimension), 1));

/** `E‖answer − E answer‖₂²`, from `E‖clipped record − its mean‖²`. */
function varianceOf(
  ball: LatticeBall,
  { dimension, slots }: MeanShape,
  clipped: number,
  noiseVariance: number,
): number {
  assertRoom(ball, slots);
  assertNoiseVariance(noiseVariance);
  const step = divideUp(ball.spacing, slots);
  const spread = Math.min(
    ball.radius,
    addUp(sqrtUp(clipped), roundingOf({ ...ball, norm: 'l2' }, dimension)),
  );
  return addUp(
    multiplyUp(multiplyUp(dimension, noiseVariance), multiplyUp(step, step)),
    divideUp(multiplyUp(spread, spread), slots),
  );
}

/**
 * The event of whole Gaussian noise with what makes it nearly that of real-valued noise: the grid, one step
 * in the event's unit of sensitivity, and the number of entries.
 */
function eventOnGrid(ball: LatticeBall, noise: PrivacyEvent, dimension: number): PrivacyEvent {
  if (noise.kind !== 'core/discrete-gaussian') return noise;
  const event = noise as CoreEvent<'core/discrete-gaussian'>;
  const unit = event.sensitivity['zero-out'] ?? event.sensitivity['add-remove'];
  if (unit === undefined) return noise;
  // Rounded up: the noise counts as no more steps than it has.
  const onGrid: CoreEvent<'core/discrete-gaussian'> = {
    ...event,
    grid: divideUp(unit, latticeSensitivity(ball)),
    entries: dimension,
  };
  return onGrid;
}

const common = {
  source: { id: 'canonne-kamath-steinke-2020', item: 'Algorithms 2 and 3, on a grid' },
  params,
  integers: true,
  hiddenSize: true,
  trust: 'central',
  privacyRestsOn: 'clip',
  scaled: ({ radius, spacing }: Params, factor: number) => ({
    radius: radius * factor,
    spacing: spacing * factor,
  }),
  examples: [
    { radius: 1, spacing: 2 ** -10 },
    { radius: 0.25, spacing: 0.0007 },
    { radius: 3, spacing: 1 },
  ],
} as const;

/** Everything but the noise of means in ℓ2. */
const inL2 = {
  ...common,
  claims: [
    {
      property: 'sensitivity',
      statement:
        '2·√floor(radius²/spacing²) steps of the grid under replace-one, half of it under zero-out and ' +
        'add-remove, checked in whole numbers',
    },
    {
      property: 'sensitivity-attained',
      statement: 'by opposite records on an axis, or one, up to a step of the grid',
    },
    { property: 'permutation-invariant', statement: 'value() is a sum of whole numbers, without rounding' },
    { property: 'bias-bound', statement: 'that of the clip, and spacing·(√dimension + 1) from rounding' },
    {
      property: 'variance-bound',
      statement:
        'dimension · noise variance · (spacing/slots)² + min(radius, √(E‖clip(z) − E ' +
        'clip(z)‖²) + spacing·(√dimension + 1))²/slots',
    },
  ],
  norm: (): Norm => 'l2',
  event: (given: Params, noise: PrivacyEvent, { dimension }: MeanShape) =>
    eventOnGrid(l2Ball(given), noise, dimension),
  sensitivity: (given: Params, { slots }: MeanShape) => sensitivityOf(l2Ball(given), slots),
  begin: (given: Params, context: MeanShape) => runOf(l2Ball(given), context),
  biasBound(given: Params, { dimension, slots }: MeanShape, moment: Moment) {
    assertRoom(l2Ball(given), slots);
    return addUp(l2Clip.biasBound({ radius: given.radius }, moment), roundingOf(l2Ball(given), dimension));
  },
  varianceBound: (given: Params, context: MeanShape, moment: Moment, noiseVariance: number) =>
    varianceOf(l2Ball(given), context, l2Clip.varianceBound({ radius: given.radius }, moment), noiseVariance),
} as const;

/**
 * Clip each record to the ℓ2 ball, round it to a grid, add up whole numbers, add exact discrete Gaussian
 * noise; the answer is scaled back. No step between the records and the release relies on real arithmetic: a
 * record's whole numbers are checked against an exact bound, sums of them are exact, and so is the noise.
 * Certificates of its releases carry no assumption about floating point.
 *
 * `value()` and its sensitivity are in steps of the grid: `√floor(radius²/spacing²)` when a record becomes
 * null, twice that when it is replaced, whatever the number of slots, which only `finish` divides by.
 * Rounding costs no sensitivity, since it never leaves the ball (see {@link roundToLatticeInto}); it is
 * deterministic, and a bias of at most `spacing · (√dimension + 1)` is its price. A spacing well below the
 * deviation of the noise on the sum makes it disappear. Where sums could reach 2⁵² steps, slots are refused.
 *
 * Batches of hidden size are taken too: only `finish` divides, by the public normaliser, and sums of many
 * records are held at 2⁵² steps. From 1024 steps of noise on, the event states the grid, and costs what
 * real-valued noise of that multiplier costs but for one part in 10³ at 1024 steps and 10¹⁰ at 2²¹.
 *
 * The noise deviation is `standardDeviation · multiplier · sensitivity`
 * steps; that of an answer's entry is `spacing/slots` of it.
 *
 * @param params - `radius` of the ball and `spacing` of the grid,
 * in the unit of the records; the radius is 1 to 2²⁶ spacings.
 */
export const latticeMean = defineMean({
  ...inL2,
  name: 'lattice-mean',
  summary: 'Mean of clipped records rounded to a grid, with exact discrete Gaussian noise.',
  mechanism: () => discreteGaussian({}),
});

/**
 * The same with exact Skellam noise, of which sums are such noise again: for noise that several parties add
 * in parts. Its deviation is from 64 to 2¹⁴ steps, where it costs as much as discrete Gaussian noise, within
 * some thousandths of the multiplier; other noise is refused.
 *
 * @param params - As those of {@link latticeMean}.
 */
export const skellamLatticeMean = defineMean({
  ...inL2,
  name: 'skellam-lattice-mean',
  summary: 'Mean of clipped records rounded to a grid, with exact Skellam noise.',
  source: { id: 'agarwal-kairouz-liu-2021', item: 'Section 4, for one curator' },
  examples: [
    { radius: 1, spacing: 2 ** -10 },
    { radius: 0.25, spacing: 0.0007 },
  ],
  mechanism: () => skellam({ leastScale: 64 }),
});

/**
 * The same with exact discrete Laplace noise, for pure differential privacy: records are scaled into the ℓ1
 * ball. Sensitivity, `floor(radius/spacing)` steps, moments and bounds are in ℓ1.
 *
 * @param params - As those of {@link latticeMean}.
 */
export const laplaceLatticeMean = defineMean({
  ...common,
  name: 'laplace-lattice-mean',
  summary: 'Mean of clipped records rounded to a grid, with exact discrete Laplace noise.',
  claims: [
    {
      property: 'sensitivity',
      statement:
        '2·floor(radius/spacing) steps of the grid in ℓ1 under replace-one, ' +
        'half of it under zero-out and add-remove, checked in whole numbers',
    },
    { property: 'sensitivity-attained', statement: 'by opposite records on an axis, or one' },
    { property: 'permutation-invariant', statement: 'value() is a sum of whole numbers, without rounding' },
    {
      property: 'bias-bound',
      statement: 'in ℓ1: that of the clip, and spacing·(dimension + 1) from rounding',
    },
    {
      property: 'variance-bound',
      statement: 'in ℓ1: dimension times the bound in ℓ2 of records with ‖z‖₂ ≤ ‖z‖₁',
    },
  ],
  mechanism: () => discreteLaplace({}),
  norm: () => 'l1',
  event: (_params, noise) => noise,
  sensitivity: (given, { slots }) => sensitivityOf(l1Ball(given), slots),
  begin: (given, context) => runOf(l1Ball(given), context),
  biasBound(given, { dimension, slots }, moment) {
    assertRoom(l1Ball(given), slots);
    return addUp(l1Clip.biasBound({ radius: given.radius }, moment), roundingOf(l1Ball(given), dimension));
  },
  varianceBound: (given, context, moment: Moment, noiseVariance) =>
    multiplyUp(
      context.dimension,
      varianceOf(l1Ball(given), context, cappedSquareUp(moment, given.radius), noiseVariance),
    ),
});
