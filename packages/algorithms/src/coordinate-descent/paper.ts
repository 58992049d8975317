import type { Paper } from '../paper.js';
import { coordinateDescentOptimizers } from './optimizers.js';

/** Maranjyan, Sadiev and Richtárik 2024. */
export const coordinateDescent: Paper = {
  id: 'coordinate-descent',
  keys: ['maranjyan', 'maranjyan-2024'],
  title: 'Differentially Private Random Block Coordinate Descent',
  optimizers: coordinateDescentOptimizers,
  claims: '@lethe/algorithms/coordinate-descent/claims.json',
};
