import { defineClip } from '@lethe/core';
import { multiplyUp } from '@lethe/numerics';
import * as z from 'zod';
import { excessBound } from './excess-bound.js';
import { cappedSquareUp } from './moment.js';

/**
 * Clamps every entry to `[−radius, radius]`: the projection onto the cube, in every ℓp. For mechanisms with
 * ℓ∞ sensitivity; it declares no ℓ2 bound, which would be `√length · radius`.
 *
 * A vector with a NaN or infinite entry becomes zero as a whole. Moment, bias and variance are in ℓ∞.
 *
 * @param params - `radius`: positive and finite, in the unit of the entries.
 */
export const coordinateClip = defineClip({
  name: 'coordinate',
  summary: 'Clamps every entry of each record to a given size.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithm 12' },
  params: z.strictObject({ radius: z.number().positive() }),
  examples: [{ radius: 1 }, { radius: 0.003 }],
  claims: [
    { property: 'bounded-norm', statement: '‖clip(z)‖∞ ≤ radius, exactly' },
    { property: 'radius-attained', statement: '‖clip(z)‖∞ = radius for every z outside the cube' },
    { property: 'non-finite-to-zero', statement: 'clip(z) = 0 when an entry of z is not finite' },
    { property: 'idempotent', statement: 'clip(clip(z)) = clip(z), bit for bit' },
    { property: 'non-expansive', statement: '‖clip(y) − clip(z)‖ ≤ ‖y − z‖, in ℓ∞ and in every ℓp' },
    { property: 'scale-equivariant', statement: 'c·radius clips c·z to c·clip(z)' },
    {
      property: 'bias-bound',
      source: { id: 'lowy-razaviyayn', item: 'Lemma 58, with the sharp constant' },
      statement: '‖E clip(z) − E z‖∞ ≤ sup E(‖z‖∞ − radius)₊: that of the ℓ2 clip in one dimension',
    },
    {
      property: 'bias-bound-attained',
      statement: 'for every moment some distribution on one axis has that bias',
    },
    {
      property: 'variance-bound',
      statement: 'E‖clip(z) − E clip(z)‖∞² ≤ 4·min(radius², (E‖z‖∞^k)^(2/k)), since ‖x − y‖∞ ≤ ‖x‖∞ + ‖y‖∞',
    },
    {
      property: 'variance-bound-attained',
      statement:
        'by n corners of the cube with one negative entry each, up to the factor (1 − 1/n)²: ' +
        'no smaller constant holds in every dimension',
    },
  ],
  norm: 'linf',
  isProjection: false,
  radius: ({ radius }) => radius,
  factor: null,
  scaled: ({ radius }, factor) => ({ radius: radius * factor }),
  clipInPlace({ radius }, vector) {
    for (let j = 0; j < vector.length; j++) {
      const entry = vector[j];
      if (!(Math.abs(entry) < Infinity)) {
        vector.fill(0);
        return;
      }
      if (entry > radius) vector[j] = radius;
      else if (entry < -radius) vector[j] = -radius;
    }
  },
  biasBound: ({ radius }, moment) => excessBound(radius, moment),
  varianceBound: ({ radius }, moment) => multiplyUp(4, cappedSquareUp(moment, radius)),
});
