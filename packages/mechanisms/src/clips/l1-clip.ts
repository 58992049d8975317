import { defineClip } from '@lethe/core';
import { multiplyUp } from '@lethe/numerics';
import * as z from 'zod';
import { ballFactor, clipToBall } from './clip-to-ball.js';
import { excessBound } from './excess-bound.js';
import { cappedSquareUp } from './moment.js';
import { scaledSum } from './scaled-norm.js';

/**
 * Scaling into the ℓ1 ball: `z` if `‖z‖₁ ≤ radius`, else
 * `z · radius / ‖z‖₁`. For mechanisms with ℓ1 sensitivity.
 *
 * It is not the Euclidean projection (the soft threshold that `domainClip` with an `l1-ball` applies), which
 * subtracts one amount from every entry and makes small ones zero. Both move a vector by `‖z‖₁ − radius` in
 * ℓ1, which is the minimum. Scaling keeps the direction and the ratios of entries; the projection is nearest
 * in ℓ2 and does not increase ℓ2 distances. Scaling may double ℓ1 distances.
 *
 * In doubles: the computed norm of the result is at most `radius`; no finite input overflows; a vector with a
 * NaN or infinite entry becomes zero. Moment, bias and variance are in ℓ1.
 *
 * @param params - `radius`: positive and finite, in the unit of the vectors.
 */
export const l1Clip = defineClip({
  name: 'l1',
  summary: 'Scales each record into the ℓ1 ball of a given radius.',
  source: { id: 'lethe', item: 'definition' },
  params: z.strictObject({ radius: z.number().positive() }),
  examples: [{ radius: 1 }, { radius: 0.003 }],
  claims: [
    { property: 'bounded-norm', statement: '‖clip(z)‖₁ ≤ radius' },
    { property: 'radius-attained', statement: '‖clip(z)‖₁ = radius for every z outside the ball' },
    { property: 'non-finite-to-zero', statement: 'clip(z) = 0 when an entry of z is not finite' },
    { property: 'idempotent', statement: 'clip(clip(z)) = clip(z), bit for bit' },
    { property: 'scale-equivariant', statement: 'c·radius clips c·z to c·clip(z)' },
    {
      property: 'bias-bound',
      statement:
        '‖E clip(z) − E z‖₁ ≤ sup E(‖z‖₁ − radius)₊: that of the ℓ2 clip, ' +
        'since a vector outside moves by its excess',
    },
    {
      property: 'bias-bound-attained',
      statement: 'for every moment some distribution on one ray has that bias',
    },
    {
      property: 'variance-bound',
      statement: 'E‖clip(z) − E clip(z)‖₁² ≤ 4·min(radius², (E‖z‖₁^k)^(2/k)), since ‖x − y‖₁ ≤ ‖x‖₁ + ‖y‖₁',
    },
    {
      property: 'variance-bound-attained',
      statement:
        'by the uniform distribution on n axes up to the factor (1 − 1/n)²: ' +
        'no smaller constant holds in every dimension',
    },
  ],
  norm: 'l1',
  isProjection: false,
  radius: ({ radius }) => radius,
  factor: ({ radius }, norm) => ballFactor(radius, norm),
  scaled: ({ radius }, factor) => ({ radius: radius * factor }),
  clipInPlace({ radius }, vector) {
    clipToBall(vector, radius, scaledSum);
  },
  biasBound: ({ radius }, moment) => excessBound(radius, moment),
  varianceBound: ({ radius }, moment) => multiplyUp(4, cappedSquareUp(moment, radius)),
});
