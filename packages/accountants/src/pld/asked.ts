import type { Plan } from './plan.js';
import { atomsAmong } from './coarse-cells.js';

/** Requested width of an answer. */
export interface Asked {
  /** Width in ε; by default a width that takes little time. */
  readonly width?: number | undefined;
  /** Sufficient width: no narrower answer is needed, and the work is limited accordingly. */
  readonly enough?: number | undefined;
}

/** Width, relative to ε, of answers that decide whether a budget is kept. */
export const decidingShare = 1e-5;

/**
 * Default width. It is larger for atoms beside a density, where the characteristic function does not vanish.
 */
export function usualWidth({ factors }: Plan): number {
  const hasAtoms = factors.some(({ cells }) => {
    const atoms = atomsAmong(cells);
    return atoms.includes(true) && cells.p.some((p, i) => p > 0.001 && !atoms[i]);
  });
  return 1e-4 * Math.min(6, Math.max(hasAtoms ? 5 : 1, factors.length / 4));
}
