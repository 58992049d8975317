import type { Domain } from './domain.js';
import { requireFinite, requireLength } from './vectors.js';

/**
 * Wraps the projection of outside points: checks the input, and returns points of the set unchanged, bit for
 * bit.
 */
export function projectionOf(
  dimension: number,
  contains: (point: Float64Array) => boolean,
  projectOutside: Domain['projectInto'],
): Domain['projectInto'] {
  return (out, point) => {
    requireFinite('point', point, dimension);
    requireLength('out', out, dimension);
    if (!contains(point)) return projectOutside(out, point);
    if (out !== point) out.set(point);
    return out;
  };
}
