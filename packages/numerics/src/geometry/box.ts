import { InvalidParameter } from '../errors.js';
import { multiplyUp, sqrtUp, subtractUp, sumUp, scaleByPowerOfTwo, exponentOf } from '../rounding/index.js';
import type { Domain } from './domain.js';
import { requireDimension, requireFinite, requireLength } from './vectors.js';

/** Bounds of every coordinate. */
export interface BoxParameters {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** Upper bound of the ℓ2 norm of a nonnegative vector, without intermediate overflow. */
function normUp(sides: Float64Array): number {
  const largest = sides.reduce((a, b) => Math.max(a, b), 0);
  if (largest === 0 || largest === Infinity) return largest;
  const exponent = exponentOf(largest);
  // Scaling may round tiny sides to zero; one subnormal step per side compensates for it.
  const squares = Array.from(sides, (side) => {
    const scaled = scaleByPowerOfTwo(side, -exponent) + Number.MIN_VALUE;
    return multiplyUp(scaled, scaled);
  });
  const scaled = sqrtUp(sumUp(squares));
  const result = scaleByPowerOfTwo(scaled, exponent);
  return scaleByPowerOfTwo(result, -exponent) < scaled ? result + Number.MIN_VALUE : result;
}

/**
 * The box `lower ≤ x ≤ upper`, coordinate by coordinate. Projection is exact, and is nearest in every norm.
 *
 * @throws {InvalidParameter} unless the bounds are finite, of one length, and `lower[i] ≤ upper[i]`.
 */
export function box({ lower, upper }: BoxParameters): Domain {
  const dimension = lower.length;
  requireDimension(dimension);
  requireFinite('lower', lower, dimension);
  requireFinite('upper', upper, dimension);
  const [low, high] = [lower.slice(), upper.slice()];
  const crossed = low.findIndex((bound, index) => bound > high[index]);
  if (crossed >= 0) {
    const bounds = { index: crossed, lower: low[crossed], upper: high[crossed] };
    throw new InvalidParameter(
      `lower[${crossed}] is ${bounds.lower} but upper[${crossed}] is ${bounds.upper}: give lower ≤ upper`,
      bounds,
    );
  }
  const coordinate = (index: number, value: number): number =>
    Math.min(Math.max(value, low[index]), high[index]);
  const centre = low.map((bound, index) =>
    Math.min(Math.max(bound / 2 + high[index] / 2, bound), high[index]),
  );
  const clamp: Domain['projectInto'] = (out, point) => {
    requireFinite('point', point, dimension);
    requireLength('out', out, dimension);
    for (let index = 0; index < dimension; index++) out[index] = coordinate(index, point[index]);
    return out;
  };
  return {
    name: 'box',
    dimension,
    diameter: normUp(low.map((bound, index) => subtractUp(high[index], bound))),
    centre,
    reach: normUp(centre.map((x, index) => Math.max(subtractUp(high[index], x), subtractUp(x, low[index])))),
    contains(point, tolerance = 0) {
      requireLength('point', point, dimension);
      return point.every(
        (x, index) => Number.isFinite(x) && low[index] - x <= tolerance && x - high[index] <= tolerance,
      );
    },
    projectInto: clamp,
    nearestInMaxNormInto: clamp,
    coordinate,
  };
}
