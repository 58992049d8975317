import { coordinateDescentOptimizers } from './coordinate-descent/optimizers.js';
import { heavyTailsOptimizers } from './heavy-tails/optimizers.js';
import { standardOptimizers } from './standard/optimizers.js';

/** Every private optimizer of this package. */
export const optimizers = [...standardOptimizers, ...heavyTailsOptimizers, ...coordinateDescentOptimizers] as const;
