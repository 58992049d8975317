import { norm2, requireFinite, requirePositive } from '../domains/vectors.js';
import type { Proximal } from './proximal.js';
import { requireStep } from './require-step.js';

/** `f(y) = (strength / 2) ‖y − centre‖₂²`. */
export interface L2SquaredParameters {
  /** The constant of strong convexity, greater than 0. */
  readonly strength: number;
  /** @defaultValue the origin */
  readonly centre?: Float64Array;
}

/**
 * Ridge: `f(y) = (strength / 2) ‖y − centre‖₂²` with `prox(z) = (z + eta·strength·centre) / (1 + eta·strength)`.
 *
 * @throws {InvalidParameter} unless the strength is positive and finite, and the centre finite.
 */
export function proximalL2Squared({ strength, centre: given }: L2SquaredParameters): Proximal {
  requirePositive('strength', strength);
  if (given !== undefined) requireFinite('centre', given, given.length);
  const centre = given?.slice();
  return {
    name: 'l2-squared',
    value(y) {
      requireFinite('y', y, centre?.length ?? y.length);
      const distance = norm2(centre === undefined ? y : y.map((value, index) => value - centre[index]));
      const slope = strength * distance;
      // A subnormal slope has lost digits that the value need not lose.
      return slope < 1e-290 ? (Math.sqrt(strength) * distance) ** 2 / 2 : (slope * distance) / 2;
    },
    proxInto(out, z, eta) {
      requireStep(out, z, eta, centre?.length);
      const weight = eta * strength;
      const kept = 1 / (1 + weight);
      const pulled = weight === Infinity ? 1 : weight / (1 + weight);
      for (let index = 0; index < z.length; index++) out[index] = kept * z[index] + pulled * (centre?.[index] ?? 0);
      return out;
    },
  };
}
