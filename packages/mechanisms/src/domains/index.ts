import type { Registry } from '@lethe/core';
import { boxDomain } from './box.js';
import { intersectionDomain } from './intersection.js';
import { l1BallDomain } from './l1-ball.js';
import { l2BallDomain } from './l2-ball.js';
import { simplexDomain } from './simplex.js';
import { wholeSpaceDomain } from './whole-space.js';

export { boxDomain, intersectionDomain, l1BallDomain, l2BallDomain, simplexDomain, wholeSpaceDomain };

/** The domains. */
export const domains: Registry = Object.freeze([
  wholeSpaceDomain,
  l2BallDomain,
  l1BallDomain,
  boxDomain,
  simplexDomain,
  intersectionDomain,
]);
