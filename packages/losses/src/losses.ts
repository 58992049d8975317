import { huber } from './huber.js';
import { linear } from './linear.js';
import { logistic } from './logistic.js';
import { squared } from './squared.js';

/** Every loss of this package. */
export const losses = [squared, huber, logistic, linear] as const;
