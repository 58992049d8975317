import type { EProcess } from './e-process.js';
import { wealth } from './wealth.js';

/**
 * H0: observations are independent with the density in the denominator.
 *
 * @param logRatio - `ln q(x) − ln p(x)`: alternative `q`, hypothesis `p`. `±Infinity` if one of them is 0.
 */
export const likelihoodRatio = (logRatio: (x: number) => number): EProcess => wealth(logRatio);
