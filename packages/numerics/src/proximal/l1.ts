import { norm1, requireFinite, requirePositive } from '../geometry/vectors.js';
import type { Proximal } from './proximal.js';
import { requireStep } from './require-step.js';

/** `f(y) = strength · ‖y‖₁`. */
export interface L1Parameters {
  /** Greater than 0. */
  readonly strength: number;
}

/**
 * Lasso: `f(y) = strength · ‖y‖₁`; its proximal map is soft thresholding by `eta·strength`.
 *
 * @throws {InvalidParameter} unless the strength is positive and finite.
 */
export function proximalL1({ strength }: L1Parameters): Proximal {
  requirePositive('strength', strength);
  return {
    name: 'l1',
    lasso: strength,
    flat: true,
    value(y) {
      requireFinite('y', y, y.length);
      const norm = norm1(y);
      return norm === 0 ? 0 : strength * norm;
    },
    proxInto(out, z, eta) {
      requireStep(out, z, eta);
      const threshold = eta * strength;
      for (let index = 0; index < z.length; index++)
        out[index] = Math.sign(z[index]) * Math.max(0, Math.abs(z[index]) - threshold);
      return out;
    },
    coordinate: (_index, z, eta) => Math.sign(z) * Math.max(0, Math.abs(z) - eta * strength),
  };
}
