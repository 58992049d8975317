import { requireFinite, requirePositive } from '../geometry/vectors.js';
import { InvalidParameter } from '../errors.js';
import type { Proximal } from './proximal.js';
import { requireStep } from './require-step.js';

/** `f(y) = ½ Σ_j strength_j (y_j − centre_j)²`. */
export interface L2SquaredParameters {
  /** The constant of strong convexity, or one for each coordinate, greater than 0. */
  readonly strength: number | Float64Array;
  /** @defaultValue the origin */
  readonly centre?: Float64Array;
}

/**
 * Ridge: `f(y) = ½ Σ_j strength_j (y_j − centre_j)²` with
 * `prox(z)_j = (z_j + eta·strength_j·centre_j) / (1 + eta·strength_j)`.
 *
 * @throws {InvalidParameter} unless every strength is positive and finite, and the centre finite and as long.
 */
export function proximalL2Squared({
  strength: givenStrength,
  centre: givenCentre,
}: L2SquaredParameters): Proximal {
  const strengths = typeof givenStrength === 'number' ? null : givenStrength.slice();
  if (strengths === null) requirePositive('strength', givenStrength as number);
  else strengths.forEach((strength, j) => requirePositive(`strength[${j}]`, strength));
  const centre = givenCentre?.slice();
  if (centre !== undefined) requireFinite('centre', centre, centre.length);
  if (strengths !== null && centre !== undefined && strengths.length !== centre.length)
    throw new InvalidParameter(
      `${strengths.length} strengths were given and a centre of ${centre.length} coordinates; give as many`,
      { strengths: strengths.length, centre: centre.length },
    );
  const length = strengths?.length ?? centre?.length;
  const strengthAt = (j: number): number => (strengths === null ? (givenStrength as number) : strengths[j]);
  const coordinate = (j: number, z: number, eta: number): number => {
    const weight = eta * strengthAt(j);
    const pulled = weight === Infinity ? 1 : weight / (1 + weight);
    return z / (1 + weight) + pulled * (centre?.[j] ?? 0);
  };
  return {
    name: 'l2-squared',
    ...(strengths === null
      ? {}
      : { ridge: { strength: strengths, centre: centre ?? new Float64Array(strengths.length) } }),
    value(y) {
      requireFinite('y', y, length ?? y.length);
      let sum = 0;
      for (let j = 0; j < y.length; j++) {
        const distance = Math.abs(y[j] - (centre?.[j] ?? 0));
        const slope = strengthAt(j) * distance;
        // A subnormal slope has lost digits; this form keeps them in the value.
        sum += slope < 1e-290 ? (Math.sqrt(strengthAt(j)) * distance) ** 2 : slope * distance;
      }
      return sum / 2;
    },
    proxInto(out, z, eta) {
      requireStep(out, z, eta, length);
      for (let j = 0; j < z.length; j++) out[j] = coordinate(j, z[j], eta);
      return out;
    },
    coordinate,
  };
}
