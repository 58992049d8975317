import { coordinateDescentOptimizers } from '@lethe/algorithms';
import type { Paper } from '../paper.js';
import { coordinateDescentChecks } from './index.js';

/** Maranjyan, Sadiev and Richtárik 2024. */
export const coordinateDescent: Paper = {
  id: 'coordinate-descent',
  keys: ['maranjyan', 'maranjyan-2024'],
  title: 'Differentially Private Random Block Coordinate Descent',
  optimizers: coordinateDescentOptimizers,
  lowerBounds: [],
  claims: '@lethe/algorithms/coordinate-descent/claims.json',
  checks: () => coordinateDescentChecks(),
};
