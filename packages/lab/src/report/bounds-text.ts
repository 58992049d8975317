import type { Interval } from '@lethe/core';
import { roundOutward } from './format.js';

/** Whether something is known of a number from below as well. */
export const hasLowerEnd = ({ lower, upper }: Pick<Interval, 'lower' | 'upper'>): boolean =>
  lower > 0 || upper === 0;

/** An interval for ε in words: an upper end alone where nothing is known from below. */
export const boundsText = ({ lower, upper }: Pick<Interval, 'lower' | 'upper'>, digits = 4): string =>
  hasLowerEnd({ lower, upper })
    ? `epsilon in [${roundOutward(lower, 'lower', digits)}, ${roundOutward(upper, 'upper', digits)}]`
    : `epsilon at most ${roundOutward(upper, 'upper', digits)}`;
