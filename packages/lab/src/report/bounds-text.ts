import type { Interval } from '@lethe/core';
import { roundOutward } from './format.js';

const digits = 4;

/** An interval for ε in words: an upper end alone where nothing is known from below. */
export const boundsText = ({ lower, upper }: Pick<Interval, 'lower' | 'upper'>): string =>
  lower > 0 || upper === 0
    ? `epsilon in [${roundOutward(lower, 'lower', digits)}, ${roundOutward(upper, 'upper', digits)}]`
    : `epsilon at most ${roundOutward(upper, 'upper', digits)}`;
