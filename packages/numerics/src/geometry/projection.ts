import type { Domain } from './domain.js';
import { requireFinite, requireLength } from './vectors.js';

/** A projection from what it does to points outside: input is checked, and a member of the set comes back bit for bit. */
export function projectionOf(dimension: number, contains: (point: Float64Array) => boolean, projectOutside: Domain['projectInto']): Domain['projectInto'] {
  return (out, point) => {
    requireFinite('point', point, dimension);
    requireLength('out', out, dimension);
    if (!contains(point)) return projectOutside(out, point);
    if (out !== point) out.set(point);
    return out;
  };
}
