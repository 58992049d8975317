import type { Registry } from '@lethe/core';
import { clippedGaussian } from './clipped-gaussian.js';
import { boxDomain } from './domains/box.js';
import { intersectionDomain } from './domains/intersection.js';
import { l1BallDomain } from './domains/l1-ball.js';
import { l2BallDomain } from './domains/l2-ball.js';
import { simplexDomain } from './domains/simplex.js';
import { wholeSpaceDomain } from './domains/whole-space.js';
import { full } from './full.js';
import { gaussian } from './gaussian.js';
import { independentIncrements } from './independent-increments.js';
import { independentPrefixes } from './independent-prefixes.js';
import { l2Clip } from './l2-clip.js';
import { laplace } from './laplace.js';
import { partition } from './partition.js';
import { poisson } from './poisson.js';
import { acceleratedGradient } from './solvers/accelerated-gradient.js';

/** Every plugin of this package, to be given to a curator or concatenated with others. */
export const mechanisms: Registry = Object.freeze([
  gaussian, laplace,
  l2Clip,
  clippedGaussian,
  full, partition, poisson,
  independentIncrements, independentPrefixes,
  wholeSpaceDomain, l2BallDomain, l1BallDomain, boxDomain, simplexDomain, intersectionDomain,
  acceleratedGradient,
]);
