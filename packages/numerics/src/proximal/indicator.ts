import type { Domain } from '../geometry/domain.js';
import { requireFinite } from '../geometry/vectors.js';
import type { Proximal } from './proximal.js';
import { requireStep } from './require-step.js';

/**
 * The indicator of a domain (0 on it, `Infinity` off it), whose
 * proximal map is the projection for every step size.
 */
export function proximalIndicator(domain: Domain): Proximal {
  return {
    name: 'indicator',
    domain,
    flat: true,
    value(y) {
      requireFinite('y', y, domain.dimension);
      return domain.contains(y) ? 0 : Infinity;
    },
    proxInto(out, z, eta) {
      requireStep(out, z, eta, domain.dimension);
      return domain.projectInto(out, z);
    },
  };
}
