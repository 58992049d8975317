import { addUp, multiplyUp } from '@lethe/numerics';
import { defineClip } from '@lethe/core';
import * as z from 'zod';
import { ballFactor, clipToBall } from './clip-to-ball.js';
import { excessBound } from './excess-bound.js';
import { cappedSquareUp } from './moment.js';
import { scaledNorm } from './scaled-norm.js';

const constant = z.number().nonnegative();
const params = z
  .strictObject({
    lipschitz: z.number().positive().optional(),
    smoothness: constant.optional(),
    growth: constant.default(1),
    travel: constant.optional(),
    weight: constant.optional(),
    cap: z.number().positive().optional(),
  })
  .superRefine((given, context) => {
    const radius = radiusOf(given);
    if (radius > 0 && radius < Infinity) return;
    context.addIssue({
      code: 'custom',
      message:
        `nothing bounds the difference by a positive finite number (it is ${radius}): give cap, ` +
        'or lipschitz with weight or with smoothness and travel',
    });
  });

type Params = Pick<z.output<typeof params>, 'growth'> & Partial<z.output<typeof params>>;

/** `a · b` rounded up, with `0 · b = 0`, and infinity for an unknown factor. */
const product = (a = Infinity, b = Infinity): number => (a === 0 || b === 0 ? 0 : multiplyUp(a, b));

/** The parameters in the unit of the vectors, scaled by a factor. */
const times = (
  factor: number,
  sizes: Readonly<Record<string, number | undefined>>,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(sizes).flatMap(([name, size]) => (size === undefined ? [] : [[name, size * factor]])),
  );

function radiusOf({ lipschitz, smoothness, growth, travel, weight, cap = Infinity }: Params): number {
  const change = Math.min(product(smoothness, travel), product(2, product(lipschitz, weight)));
  return Math.min(cap, addUp(product(growth, lipschitz), change));
}

/**
 * Projection onto an ℓ2 ball that contains the gradient differences of a smooth, Lipschitz loss: for one
 * record's `η₁∇f(x₁) − η₀∇f(x₀)`, whose norm is at most `|η₁ − η₀|·G + min(η₁, η₀)·min(M·‖x₁ − x₀‖, 2G)`.
 * Clipping the difference once keeps privacy for any loss; clipping the two gradients apart would not, since
 * a weight multiplies their difference. Where the constants hold it changes nothing. The radius is rounded up
 * and is the least that serves all such losses, convex ones included.
 *
 * One query: `growth` = |η₁ − η₀|, `travel` = min(η₁, η₀)·‖x₁ − x₀‖, `weight` = min(η₁, η₀). A stream, whose
 * bound is fixed when it is opened: the largest of each over its steps. For weights t and t − 1 growth is 1;
 * with averaged iterates of a set of diameter D the travel is below 2D (the radius G + 2MD of corrected
 * momentum); where the step has no such bound, `cap` alone gives a free threshold.
 *
 * @param params - `lipschitz` G and `smoothness` M of every record's loss; `growth` (1 unless given),
 * `travel` (unit of the points) and `weight`, bounds over the steps the clip is used for; `cap`: a threshold
 * that holds whatever the others say. What is left out is unbounded.
 */
export const gradientDifferenceClip = defineClip({
  name: 'gradient-difference',
  summary:
    'Projects a weighted difference of two gradients of a record onto the ℓ2 ball that smoothness allows it.',
  source: { id: 'dp-mu2-fl', item: 'Lemma 4' },
  params,
  examples: [
    { lipschitz: 1, smoothness: 0.5, travel: 2 },
    { lipschitz: 2, smoothness: 100, growth: 0.5, travel: 3, weight: 0.25 },
    { lipschitz: 1, smoothness: 1, travel: 1e6, cap: 12 },
    { cap: 0.003 },
  ],
  claims: [
    { property: 'bounded-norm', statement: '‖clip(z)‖ ≤ min(cap, growth·G + min(M·travel, 2G·weight))' },
    { property: 'radius-attained', statement: '‖clip(z)‖ is the radius for every z outside the ball' },
    { property: 'non-finite-to-zero', statement: 'clip(z) = 0 when an entry of z is not finite' },
    { property: 'idempotent', statement: 'clip(clip(z)) = clip(z), bit for bit' },
    { property: 'non-expansive', statement: '‖clip(y) − clip(z)‖ ≤ ‖y − z‖ up to rounding' },
    {
      property: 'bias-bound',
      statement:
        'that of the ℓ2 clip, for any difference with the moment; 0 for those that obey the constants',
      source: { id: 'lowy-razaviyayn', item: 'Lemma 6, with the sharp constant' },
    },
    { property: 'bias-bound-attained', statement: 'for every moment some distribution has that bias' },
    {
      property: 'variance-bound',
      statement: 'E‖clip(z) − E clip(z)‖² ≤ min(radius², (E‖z‖^k)^(2/k))',
      source: { id: 'lowy-razaviyayn', item: 'Lemma 6' },
    },
    {
      property: 'variance-bound-attained',
      statement: 'for every moment some distribution has that variance',
    },
  ],
  norm: 'l2',
  isProjection: true,
  radius: radiusOf,
  factor: (given, norm) => ballFactor(radiusOf(given), norm),
  scaled: (given, factor) => ({
    ...given,
    ...times(factor, { lipschitz: given.lipschitz, smoothness: given.smoothness, cap: given.cap }),
  }),
  clipInPlace(given, vector) {
    clipToBall(vector, radiusOf(given), scaledNorm);
  },
  biasBound: (given, moment) => excessBound(radiusOf(given), moment),
  varianceBound: (given, moment) => cappedSquareUp(moment, radiusOf(given)),
});
