import type { Domain } from './domain.js';
import { allFinite, requireDimension, requireFinite, requireLength } from './vectors.js';

/** All of `R^dimension`. @throws {InvalidParameter} unless `dimension` is a positive integer. */
export function wholeSpace(dimension: number): Domain {
  requireDimension(dimension);
  const identity: Domain['projectInto'] = (out, point) => {
    requireFinite('point', point, dimension);
    requireLength('out', out, dimension);
    if (out !== point) out.set(point);
    return out;
  };
  return {
    name: 'whole-space',
    dimension,
    diameter: Infinity,
    unconstrained: true,
    coordinate: (_index, value) => value,
    centre: new Float64Array(dimension),
    contains(point) {
      requireLength('point', point, dimension);
      return allFinite(point);
    },
    projectInto: identity,
    nearestInMaxNormInto: identity,
  };
}
