import { addUp, multiplyUp, sqrtUp } from '@lethe/numerics';
import { defineClip } from '@lethe/core';
import * as z from 'zod';
import { isLattice, latticeLimit, roundWithin, type LatticeBall } from '../means/lattice.js';
import { excessBound } from './excess-bound.js';
import { cappedSquareUp } from './moment.js';

const params = z
  .strictObject({ radius: z.number().positive().max(1e280), spacing: z.number().positive() })
  .refine(({ radius, spacing }) => isLattice(radius, spacing), {
    message: 'the radius is from 1 to 2^26 times the spacing',
    path: ['spacing'],
  })
  .refine(({ spacing }) => spacing > 2 ** -1000 && 2 ** Math.round(Math.log2(spacing)) === spacing, {
    message: 'the spacing is a power of two above 2^-1000, so that multiples of it are exact',
    path: ['spacing'],
  });
const ballOf = ({ radius, spacing }: z.output<typeof params>): LatticeBall => ({
  norm: 'l2',
  radius,
  spacing,
});

/** The longest vectors for which the bounds on bias and variance hold. */
const longest = 2 ** 31;

/**
 * Projection onto the centred ℓ2 ball, then rounding to the nearest multiples of `spacing` that are in it, as
 * {@link roundToLatticeInto} does. A stream with whole noise needs it: its sums are counted in steps of the
 * grid.
 *
 * Rounding moves a vector by at most `spacing · (√length + 1)`. The bounds on bias and variance allow
 * vectors of up to 2³¹ entries, and are wide for short ones. It has no units to change, since a power of two
 * times any factor is none.
 *
 * @param params - `radius`, from 1 to 2²⁶ spacings, and `spacing`, a power of two; both in the unit of the
 * vectors.
 */
export const latticeClip = defineClip({
  name: 'lattice',
  summary: 'Projects each record onto an ℓ2 ball and rounds it to a grid inside it.',
  source: { id: 'agarwal-kairouz-liu-2021', item: 'Section 4, with rounding inside the ball' },
  params,
  examples: [
    { radius: 1, spacing: 2 ** -10 },
    { radius: 0.75, spacing: 2 ** -4 },
    { radius: 3, spacing: 1 },
  ],
  claims: [
    { property: 'bounded-norm', statement: '‖clip(z)‖ ≤ radius, checked in whole numbers' },
    { property: 'on-grid', statement: 'every entry is a whole multiple of spacing' },
    { property: 'non-finite-to-zero', statement: 'clip(z) = 0 when an entry of z is not finite' },
    { property: 'idempotent', statement: 'clip(clip(z)) = clip(z), bit for bit' },
    { property: 'bias-bound', statement: 'that of the ℓ2 clip, and spacing·(√2³¹ + 1) from rounding' },
    { property: 'variance-bound', statement: 'E‖clip(z) − E clip(z)‖² ≤ radius²' },
  ],
  norm: 'l2',
  isProjection: false,
  radius: ({ radius }) => radius,
  factor: null,
  spacing: ({ spacing }) => spacing,
  clipInPlace(given, vector) {
    const ball = ballOf(given);
    const out = new Float64Array(vector.length);
    roundWithin(out, vector, ball, latticeLimit(ball));
    for (let j = 0; j < out.length; j++) vector[j] = out[j] * given.spacing + 0;
  },
  biasBound: ({ radius, spacing }, moment) =>
    addUp(excessBound(radius, moment), multiplyUp(spacing, addUp(sqrtUp(longest), 1))),
  varianceBound({ radius }, moment) {
    cappedSquareUp(moment, radius);
    return multiplyUp(radius, radius);
  },
});
