import type { EProcess } from './e-process.js';
import { wealth } from './wealth.js';

/**
 * H0: observations are independent with the density in the denominator.
 *
 * @param logRatio - `ln q(x) − ln p(x)`: alternative `q`, hypothesis `p`. `±Infinity` if one of them is 0.
 * @param options - `mostGain`: its largest value, if it has one, which tells `reach`.
 */
export const likelihoodRatio = (
  logRatio: (x: number) => number,
  { mostGain = Infinity }: { readonly mostGain?: number } = {},
): EProcess => wealth(logRatio, (samples) => (samples === 0 ? 0 : samples * mostGain));
