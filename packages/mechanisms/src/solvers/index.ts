import type { Registry } from '@lethe/core';
import { acceleratedGradient } from './accelerated-gradient.js';

export { acceleratedGradientIterations } from './accelerated-gradient.js';
export { basisPursuit, type BasisPursuitProblem, type BasisPursuitSolution } from './basis-pursuit.js';
export { l1Gap, projectL1Ball, type CertifiedProjection } from './project-l1-ball.js';
export { projectL1L2Balls, type L1L2Balls } from './project-l1-l2-balls.js';
export { projectSparseHull, sparseHullNorm, type SparseHull } from './sparse-hull.js';
export { acceleratedGradient };

/** The solvers. */
export const solvers: Registry = Object.freeze([acceleratedGradient]);
