import { addUp, logDown, logUp, multiplyUp, sqrtUp, subtractUp } from '@lethe/numerics';
import { InvalidParameter } from '@lethe/core';

/** A noisy mean that is projected onto the ℓ1 ball it is known to lie in. */
export interface NoisyProjection {
  readonly noise: 'gaussian' | 'laplace';
  /** Scale of the noise on every entry: standard deviation, or Laplace scale. */
  readonly scale: number;
  readonly dimension: number;
  /** Of the ℓ1 ball: `radius · √sparsity` for means of sparse records. */
  readonly l1Radius: number;
}

/**
 * Bound on `E‖answer − mean‖²` over the noise ξ, for every mean in the ball: the smaller of
 * `E‖ξ‖² = dimension · variance` and `2 · l1Radius · E‖ξ‖∞`, where `E‖ξ‖∞` is at most
 * `scale·√(2 ln(2·dimension))` for Gaussian noise and `scale·(1 + ln dimension)` for Laplace's. Rounded up.
 *
 * @throws {InvalidParameter} unless all numbers are positive and finite, and the dimension is whole.
 * @see Ghazi and others, Lemma 3.1: `‖answer − mean‖² ≤ 2 · l1Radius · ‖ξ‖∞` always.
 */
export function projectionMeanSquaredError(projection: NoisyProjection): number {
  const { noise, scale, dimension, l1Radius } = checked(projection);
  const perEntry = multiplyUp(noise === 'gaussian' ? 1 : 2, multiplyUp(scale, scale));
  const largest =
    noise === 'gaussian' ? sqrtUp(multiplyUp(2, logUp(2 * dimension))) : addUp(1, logUp(dimension));
  return Math.min(multiplyUp(dimension, perEntry), multiplyUp(2 * l1Radius, multiplyUp(scale, largest)));
}

/**
 * What `‖answer − mean‖` exceeds with probability at most `failure`: the smaller of a bound on `‖ξ‖` and one
 * on `√(2 · l1Radius · ‖ξ‖∞)`. Rounded up.
 *
 * @throws {InvalidParameter} as {@link projectionMeanSquaredError}, and unless `failure` is in (0, 1).
 * @see Ghazi and others, Theorems 3.2 and 3.3.
 */
export function projectionErrorWithin(projection: NoisyProjection, failure: number): number {
  const { noise, scale, dimension, l1Radius } = checked(projection);
  if (!(failure > 0 && failure < 1))
    throw new InvalidParameter(`a failure probability of ${failure} was given; it must be between 0 and 1`, {
      failure,
    });
  const ln = (count: number): number => subtractUp(logUp(count), logDown(failure));
  const largest = noise === 'gaussian' ? sqrtUp(multiplyUp(2, ln(2 * dimension))) : ln(dimension);
  const length =
    noise === 'gaussian'
      ? addUp(sqrtUp(dimension), sqrtUp(multiplyUp(2, ln(1))))
      : multiplyUp(sqrtUp(dimension), largest);
  return Math.min(multiplyUp(scale, length), sqrtUp(multiplyUp(2 * l1Radius, multiplyUp(scale, largest))));
}

function checked(projection: NoisyProjection): NoisyProjection {
  for (const name of ['scale', 'dimension', 'l1Radius'] as const) {
    const value = projection[name];
    if (!(value > 0 && value < Infinity))
      throw new InvalidParameter(`${name} is ${value}; it must be positive and finite`, { [name]: value });
  }
  if (!Number.isSafeInteger(projection.dimension))
    throw new InvalidParameter(`the dimension is ${projection.dimension}; it must be a whole number`, {
      dimension: projection.dimension,
    });
  return projection;
}
