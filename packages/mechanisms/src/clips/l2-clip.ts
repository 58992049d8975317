import {
  defineClip, divideUp, exponentOf, multiplyUp, nextDown, powDown, powUp, scaleByPowerOfTwo, subtractUp, type Moment, type Vector,
} from '@lethe/core';
import { z } from 'zod';
import { assertMoment, momentRootDown, momentRootUp } from './moment.js';
import { scaledNorm, unscaleFactors, type ScaledNorm } from './scaled-norm.js';

const lowyRazaviyayn = (item: string): { readonly id: string; readonly item: string } => ({ id: 'lowy-razaviyayn', item });

/**
 * Projection onto the centred ℓ2 ball: `z` if `‖z‖ ≤ radius`, else `z · radius / ‖z‖`.
 *
 * In doubles: the *computed* norm of the result never exceeds `radius` (entries are scaled down by a few units in the last
 * place until it does not), so clipping twice changes nothing; the true norm may exceed it by a factor `1 + length · 2^-53`.
 * No finite input overflows or underflows; a vector with a NaN or infinite entry becomes zero.
 *
 * @param params - `radius`: positive and finite, in the unit of the vectors.
 */
export const l2Clip = defineClip({
  name: 'l2',
  summary: 'Projects each record onto the ℓ2 ball of a given radius.',
  source: lowyRazaviyayn('Algorithm 1'),
  params: z.strictObject({ radius: z.number().positive() }),
  examples: [{ radius: 1 }, { radius: 0.003 }],
  claims: [
    { property: 'bounded-norm', statement: '‖clip(z)‖ ≤ radius' },
    { property: 'radius-attained', statement: '‖clip(z)‖ = radius for every z outside the ball' },
    { property: 'non-finite-to-zero', statement: 'clip(z) = 0 when an entry of z is not finite' },
    { property: 'idempotent', statement: 'clip(clip(z)) = clip(z), bit for bit' },
    { property: 'non-expansive', statement: '‖clip(y) − clip(z)‖ ≤ ‖y − z‖ up to rounding' },
    { property: 'scale-equivariant', statement: 'c·radius clips c·z to c·clip(z)' },
    {
      property: 'bias-bound', source: lowyRazaviyayn('Lemma 6, with the sharp constant'),
      statement: '‖E clip(z) − E z‖ ≤ ((k−1)^(k−1) / k^k) · E‖z‖^k / radius^(k−1), attained at ‖z‖ = k·radius/(k−1); ≤ (E‖z‖^k)^(1/k) − radius when that norm is reached',
    },
    { property: 'bias-bound-attained', statement: 'for every moment some law has that bias: on 0 and one more norm, or on one norm' },
    {
      property: 'variance-bound', source: lowyRazaviyayn('Lemma 6'),
      statement: 'E‖clip(z) − E clip(z)‖² ≤ min(radius², (E‖z‖^k)^(2/k)), attained by symmetric laws on two points',
    },
    { property: 'variance-bound-attained', statement: 'for every moment some law has that variance' },
  ],
  norm: 'l2',
  isProjection: true,
  radius: ({ radius }) => radius,
  factor: ({ radius }, norm) => factorOf(radius, norm),
  clipInPlace({ radius }, vector) {
    const norm = scaledNorm(vector);
    if (Number.isNaN(norm.root)) vector.fill(0);
    else if (exceeds(norm, radius)) shrink(vector, norm, radius);
  },
  biasBound: ({ radius }, moment) => biasBound(radius, moment),
  varianceBound({ radius }, moment) {
    assertMoment(moment);
    const root = Math.min(momentRootUp(moment), radius);
    return multiplyUp(root, root);
  },
});

/** `min(1, radius / norm)`, rounded so that the product with `norm` is at most `radius`; 0 for a norm that is not finite. */
function factorOf(radius: number, norm: number): number {
  if (norm <= radius) return 1;
  if (!(norm < Infinity)) return 0;
  const factor = radius / norm;
  return factor * norm > radius ? nextDown(factor) : factor;
}

const exceeds = ({ root, exponent }: ScaledNorm, radius: number): boolean => root > scaleByPowerOfTwo(radius, -exponent);

function shrink(vector: Vector, { root, exponent }: ScaledNorm, radius: number): void {
  const magnitude = exponentOf(root);
  const [first, second] = unscaleFactors(exponent + magnitude);
  const factor = radius / scaleByPowerOfTwo(root, -magnitude);
  for (let j = 0; j < vector.length; j++) vector[j] = vector[j] * first * second * factor;
  // Ends: the last pass multiplies by zero. One or two passes are usual.
  for (let excess = 2 ** -53; exceeds(scaledNorm(vector), radius); excess *= 2) {
    for (let j = 0; j < vector.length; j++) vector[j] *= 1 - excess;
  }
}

/**
 * `sup E (‖z‖ − radius)₊` over all laws with the given moment: in `u = ‖z‖^k` the least concave function above
 * `(u^(1/k) − radius)₊` is a line through 0 up to the tangent point `‖z‖ = k·radius/(k−1)`, and the function itself beyond.
 */
function biasBound(radius: number, moment: Moment): number {
  assertMoment(moment);
  const { order, value } = moment;
  if (value === 0) return 0;
  const rest = order - 1;
  if (momentRootDown(moment) >= multiplyUp(radius, divideUp(order, rest))) return subtractUp(momentRootUp(moment), radius);
  const constant = divideUp(powUp(divideUp(rest, order), rest), order);
  const scale = powDown(radius, rest);
  const line = scale === 0 ? Infinity : multiplyUp(constant, divideUp(value, scale));
  return Math.min(line, momentRootUp(moment));
}
