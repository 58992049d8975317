import { multiplyUp } from '../rounding/index.js';
import type { Domain } from './domain.js';
import { ballCentre, type L2BallParameters } from './l2-ball.js';
import { projectionOf } from './projection.js';
import { simplexAmounts } from './simplex-threshold.js';
import { allFinite, norm1, requireLength, requirePositive, scaledDifference, shrinkInto } from './vectors.js';

/**
 * The cross-polytope `‖x − centre‖₁ ≤ radius`, with projection by soft thresholding, which is nearest
 * in the maximum norm, too. A projected point lies in it up to the rounding of its norm (2^-51 relative) and
 * of its coordinates.
 *
 * @throws {InvalidParameter} unless the radius is positive and finite, and the centre finite.
 */
export function l1Ball(parameters: L2BallParameters): Domain {
  const { radius } = parameters;
  const centre = ballCentre(parameters);
  const dimension = centre.length;
  requirePositive('radius', radius);
  const contains = (point: Float64Array, tolerance = 0): boolean => {
    requireLength('point', point, dimension);
    const { delta, scale } = scaledDifference(point, centre);
    return allFinite(point) && norm1(delta) / scale <= radius + tolerance;
  };
  const softThreshold = projectionOf(dimension, contains, (out, point) => {
    const { delta, scale } = scaledDifference(point, centre);
    const amounts = simplexAmounts(delta.map(Math.abs), radius * scale);
    const kept = amounts.map((amount, index) => (Math.sign(delta[index]) * amount) / scale);
    return shrinkInto(out, centre, kept, 1, contains);
  });
  return {
    name: 'l1-ball',
    dimension,
    diameter: multiplyUp(2, radius),
    centre: centre.slice(),
    reach: radius,
    contains,
    projectInto: softThreshold,
    nearestInMaxNormInto: softThreshold,
  };
}
