import { absolute } from './absolute.js';
import { hinge } from './hinge.js';
import { huber } from './huber.js';
import { linear } from './linear.js';
import { logistic } from './logistic.js';
import { matrixFactorisation } from './matrix-factorisation.js';
import { multiOutputSquared } from './multi-output-squared.js';
import { poissonRegression } from './poisson-regression.js';
import { sineLink } from './sine-link.js';
import { softmax } from './softmax.js';
import { squared } from './squared.js';
import { squaredDistance } from './squared-distance.js';
import { twoLayerPerceptron } from './two-layer-perceptron.js';

/** Every loss of this package. */
export const losses = [
  squared,
  huber,
  logistic,
  linear,
  squaredDistance,
  absolute,
  hinge,
  sineLink,
  softmax,
  poissonRegression,
  multiOutputSquared,
  matrixFactorisation,
  twoLayerPerceptron,
] as const;
