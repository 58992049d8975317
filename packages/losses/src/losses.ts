import { linear } from './linear.js';
import { logistic } from './logistic.js';
import { squared } from './squared.js';

/** Every loss of this package. */
export const losses = [squared, logistic, linear] as const;
