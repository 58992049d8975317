import { absolute } from './absolute.js';
import { hinge } from './hinge.js';
import { huber } from './huber.js';
import { linear } from './linear.js';
import { logistic } from './logistic.js';
import { sineLink } from './sine-link.js';
import { squared } from './squared.js';
import { squaredDistance } from './squared-distance.js';

/** Every loss of this package. */
export const losses = [squared, huber, logistic, linear, squaredDistance, absolute, hinge, sineLink] as const;
