import { addDown, divideUp, multiplyUp, scaleByPowerOfTwo } from '@lethe/numerics';
import { defineClip, type Vector } from '@lethe/core';
import * as z from 'zod';
import { clipToBall } from './clip-to-ball.js';
import { assertMoment, momentRootUp } from './moment.js';
import { normalisingBias } from './normalising-bias.js';
import { scaledNorm } from './scaled-norm.js';

/** Above this, the sum of norm and stability constant could overflow; both are then scaled by 2^-64. */
const large = 1e300;
const unit = 2 ** -64;

/** `radius / (norm + stability)`; 0 for a norm that is not finite. */
function factorOf(radius: number, stability: number, norm: number): number {
  if (!(norm < Infinity)) return 0;
  return norm + stability <= large
    ? radius / (norm + stability)
    : (radius * unit) / (norm * unit + stability * unit);
}

function scaleInPlace(vector: Vector, radius: number, stability: number): void {
  const { root, exponent } = scaledNorm(vector);
  if (Number.isNaN(root)) {
    vector.fill(0);
    return;
  }
  const norm = scaleByPowerOfTwo(root, exponent);
  const factor = factorOf(radius, stability, norm);
  if (factor >= 2 ** -1000 && norm <= large) for (let j = 0; j < vector.length; j++) vector[j] *= factor;
  else {
    const divisor = scaleByPowerOfTwo(root, exponent - 64) + stability * unit;
    for (let j = 0; j < vector.length; j++) vector[j] = ((vector[j] * unit) / divisor) * radius;
  }
  // Rounding alone can move the result out of the ball.
  if (!(norm <= large) || factor * norm > radius * (1 - 2 ** -20)) clipToBall(vector, radius, scaledNorm);
}

/**
 * The normalising ("automatic") clip `z · radius / (‖z‖ + stability)`. It keeps directions and changes every
 * length; long vectors end just inside the ball of `radius`. It is not a projection: vectors shorter than
 * `radius − stability` grow, by a factor of up to `radius / stability`. So it has a bias at small moments
 * too, and distances may grow by the same factor.
 *
 * With `radius` 1 and a small `stability` this is the "R-free" form of the literature, where `radius` is only
 * the unit of the noise. A vector with a NaN or infinite entry becomes zero, and so does zero itself.
 *
 * @param params - `radius` and `stability` (γ): positive, in
 * the unit of the vectors, within a factor 1e150 of each other.
 */
export const automaticClip = defineClip({
  name: 'automatic',
  summary: 'Normalises each record to just under a given ℓ2 norm, smoothly at zero.',
  source: { id: 'bu-wang-zha-karypis-2023', item: 'AUTO-S' },
  params: z
    .strictObject({ radius: z.number().positive(), stability: z.number().positive() })
    .refine(
      ({ radius, stability }) => radius / stability <= 1e150 && stability / radius <= 1e150,
      'radius and stability must be within a factor 1e150 of each other',
    ),
  examples: [
    { radius: 1, stability: 0.01 },
    { radius: 1, stability: 0.6 },
    { radius: 0.003, stability: 0.005 },
  ],
  claims: [
    { property: 'bounded-norm', statement: '‖clip(z)‖ < radius, up to rounding' },
    { property: 'radius-attained', statement: 'in the limit of long vectors' },
    { property: 'non-finite-to-zero', statement: 'clip(z) = 0 when an entry of z is not finite' },
    {
      property: 'bias-bound',
      statement:
        '‖E clip(z) − E z‖ ≤ sup E h(‖z‖), h(s) = s·|s + γ − radius| / (s + γ): ' +
        'h((E‖z‖^k)^(1/k)) for radius ≤ γ; else that at small and large moments, ' +
        'and between them the common tangent of h’s two branches as functions of s^k',
    },
    {
      property: 'bias-bound-attained',
      statement:
        'for every moment, by a distribution on one point, ' +
        'or on a short and a long one in opposite directions',
    },
    {
      property: 'variance-bound',
      statement: 'E‖clip(z) − E clip(z)‖² ≤ (radius·m / (m + γ))² with m = (E‖z‖^k)^(1/k)',
    },
    { property: 'variance-bound-attained', statement: 'by symmetric distributions on two points' },
  ],
  norm: 'l2',
  isProjection: false,
  radius: ({ radius }) => radius,
  factor: ({ radius, stability }, norm) => factorOf(radius, stability, norm),
  scaled: ({ radius, stability }, factor) => ({ radius: radius * factor, stability: stability * factor }),
  clipInPlace({ radius, stability }, vector) {
    scaleInPlace(vector, radius, stability);
  },
  biasBound: ({ radius, stability }, moment) => normalisingBias(radius, stability, moment),
  varianceBound({ radius, stability }, moment) {
    assertMoment(moment);
    const norm = momentRootUp(moment);
    if (norm === 0) return 0;
    const root = Math.min(radius, multiplyUp(radius, divideUp(norm, addDown(norm, stability))));
    return multiplyUp(root, root);
  },
});
