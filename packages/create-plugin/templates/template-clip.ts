import { defineClip, InvalidParameter, type Moment, type Vector } from '@lethe/core';
import { divideUp, multiplyUp, powDown } from '@lethe/numerics';
import * as z from 'zod';

/**
 * Replaces a vector longer than the radius by zero. Say here what yours does, and what it does in doubles.
 *
 * @param params - `radius`: positive and finite, in the unit of the vectors.
 */
export const templateClip = defineClip({
  name: 'template-clip',
  summary: 'Drops each record whose ℓ2 norm exceeds a given radius.',
  source: { id: 'lethe', item: 'template' },
  params: z.strictObject({ radius: z.number().positive() }),
  examples: [{ radius: 1 }],
  claims: [
    { property: 'bounded-norm', statement: '‖clip(z)‖ ≤ radius' },
    { property: 'non-finite-to-zero', statement: 'clip(z) = 0 when an entry of z is not finite' },
    { property: 'bias-bound', statement: '‖E clip(z) − E z‖ ≤ E‖z‖^k / radius^(k−1)' },
    { property: 'variance-bound', statement: 'E‖clip(z) − E clip(z)‖² ≤ radius²' },
  ],
  norm: 'l2',
  isProjection: false,
  radius: ({ radius }) => radius,
  factor: ({ radius }, norm) => (norm <= radius ? 1 : 0),
  clipInPlace({ radius }, vector) {
    if (!isWithin(vector, radius)) vector.fill(0);
  },
  biasBound({ radius }, moment) {
    assertMoment(moment);
    if (moment.value === 0) return 0;
    // The power of a small radius may round down to 0.
    const power = powDown(radius, moment.order - 1);
    return power > 0 ? divideUp(moment.value, power) : Infinity;
  },
  varianceBound({ radius }, moment) {
    assertMoment(moment);
    return multiplyUp(radius, radius);
  },
});

/**
 * Compares ratios, so that nothing overflows or underflows
 * where it matters; false when an entry is not finite.
 */
function isWithin(vector: Vector, radius: number): boolean {
  let sum = 0;
  for (const entry of vector) sum += (entry / radius) ** 2;
  return sum <= 1;
}

function assertMoment(moment: Moment): void {
  const { order, value } = moment;
  if (order >= 2 && order < Infinity && value >= 0 && value < Infinity) return;
  throw new InvalidParameter(
    'a moment needs a finite order of at least 2 and a finite value that is not negative',
    { moment },
  );
}
