import type { Plan } from './plan.js';
import { atomsAmong } from './coarse-cells.js';

/** How narrow an answer shall be. */
export interface Asked {
  /** Width in ε; that which takes little time where it is left out. */
  readonly width?: number | undefined;
  /** Nothing narrower than this is needed, and no more than a part of the work is to be done for it. */
  readonly enough?: number | undefined;
}

/** As narrow as takes little time. Where atoms are beside a density, the characteristic function does not vanish, and costs more. */
export function usualWidth({ factors }: Plan): number {
  const rough = factors.some(({ cells }) => { const atoms = atomsAmong(cells); return atoms.includes(true) && cells.some(({ p }, i) => p > 0.001 && !atoms[i]!); });
  return 1e-4 * Math.min(6, Math.max(rough ? 5 : 1, factors.length / 4));
}
