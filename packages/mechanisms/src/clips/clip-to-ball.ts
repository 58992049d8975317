import { exponentOf, nextDown, scaleByPowerOfTwo } from '@lethe/numerics';
import { type Vector } from '@lethe/core';
import { unscaleFactors, type ScaledNorm } from './scaled-norm.js';

/**
 * Scales a vector into the centred ball of a norm, in place. The *computed* norm of the result is at most
 * `radius`: entries are scaled down by a few units in the last place until it is. No finite vector overflows
 * or underflows; one with an entry that is not finite becomes zero.
 *
 * @returns whether all entries were finite.
 */
export function clipToBall(vector: Vector, radius: number, normOf: (vector: Vector) => ScaledNorm): boolean {
  const norm = normOf(vector);
  if (Number.isNaN(norm.root)) {
    vector.fill(0);
    return false;
  }
  if (!exceeds(norm, radius)) return true;
  const magnitude = exponentOf(norm.root);
  const [first, second] = unscaleFactors(norm.exponent + magnitude);
  const factor = radius / scaleByPowerOfTwo(norm.root, -magnitude);
  for (let j = 0; j < vector.length; j++) vector[j] = vector[j] * first * second * factor;
  // The loop ends, since the last pass multiplies by zero. Usually one or two passes suffice.
  for (let excess = 2 ** -53; exceeds(normOf(vector), radius); excess *= 2) {
    for (let j = 0; j < vector.length; j++) vector[j] *= 1 - excess;
  }
  return true;
}

const exceeds = ({ root, exponent }: ScaledNorm, radius: number): boolean =>
  root > scaleByPowerOfTwo(radius, -exponent);

/**
 * `min(1, radius / norm)`, rounded so that the product with
 * `norm` is at most `radius`; 0 for a norm that is not finite.
 */
export function ballFactor(radius: number, norm: number): number {
  if (norm <= radius) return 1;
  if (!(norm < Infinity)) return 0;
  const factor = radius / norm;
  return factor * norm > radius ? nextDown(factor) : factor;
}
