import { defineClip } from '@lethe/core';
import * as z from 'zod/mini';
import { lowyRazaviyayn } from '../sources.js';
import { ballFactor, clipToBall } from './clip-to-ball.js';
import { excessBound } from './excess-bound.js';
import { cappedSquareUp } from './moment.js';
import { scaledNorm } from './scaled-norm.js';

/**
 * Projection onto the centred ℓ2 ball: `z` if `‖z‖ ≤ radius`, else `z · radius / ‖z‖`.
 *
 * In doubles: the *computed* norm of the result never exceeds `radius` (entries are scaled down by a few
 * units in the last place until it does not), so clipping twice changes nothing; the true norm may exceed it
 * by a factor `1 + length · 2^-53`. No finite input overflows or underflows; a vector with a NaN or infinite
 * entry becomes zero.
 *
 * @param params - `radius`: positive and finite, in the unit of the vectors.
 */
export const l2Clip = defineClip({
  name: 'l2',
  summary: 'Projects each record onto the ℓ2 ball of a given radius.',
  source: lowyRazaviyayn('Algorithm 1'),
  params: z.strictObject({ radius: z.number().check(z.positive()) }),
  examples: [{ radius: 1 }, { radius: 0.003 }],
  claims: [
    { property: 'bounded-norm', statement: '‖clip(z)‖ ≤ radius' },
    { property: 'radius-attained', statement: '‖clip(z)‖ = radius for every z outside the ball' },
    { property: 'non-finite-to-zero', statement: 'clip(z) = 0 when an entry of z is not finite' },
    { property: 'idempotent', statement: 'clip(clip(z)) = clip(z), bit for bit' },
    { property: 'non-expansive', statement: '‖clip(y) − clip(z)‖ ≤ ‖y − z‖ up to rounding' },
    { property: 'scale-equivariant', statement: 'c·radius clips c·z to c·clip(z)' },
    {
      property: 'bias-bound',
      source: lowyRazaviyayn('Lemma 6, with the sharp constant'),
      statement:
        '‖E clip(z) − E z‖ ≤ ((k−1)^(k−1) / k^k) · E‖z‖^k / radius^(k−1), ' +
        'attained at ‖z‖ = k·radius/(k−1); ≤ (E‖z‖^k)^(1/k) − radius when that norm is reached',
    },
    {
      property: 'bias-bound-attained',
      statement: 'for every moment some distribution has that bias: on 0 and one more norm, or on one norm',
    },
    {
      property: 'variance-bound',
      source: lowyRazaviyayn('Lemma 6'),
      statement:
        'E‖clip(z) − E clip(z)‖² ≤ min(radius², (E‖z‖^k)^(2/k)), ' +
        'attained by symmetric distributions on two points',
    },
    {
      property: 'variance-bound-attained',
      statement: 'for every moment some distribution has that variance',
    },
  ],
  norm: 'l2',
  isProjection: true,
  radius: ({ radius }) => radius,
  factor: ({ radius }, norm) => ballFactor(radius, norm),
  scaled: ({ radius }, factor) => ({ radius: radius * factor }),
  clipInPlace({ radius }, vector) {
    clipToBall(vector, radius, scaledNorm);
  },
  biasBound: ({ radius }, moment) => excessBound(radius, moment),
  varianceBound: ({ radius }, moment) => cappedSquareUp(moment, radius),
});
