import type { Atoms } from './atoms.js';
import { unit } from './tilt.js';

/** A bound on `log δ` of a single release as a function of ε, by summing over its finite losses. */
export const direct =
  ({ positions, masses }: Atoms, end: 'lower' | 'upper'): ((epsilon: number) => number) =>
  (epsilon) => {
    let sum = 0;
    for (let i = positions.length - 1; i >= 0 && positions[i] > epsilon; i--)
      sum += masses[i] * -Math.expm1(epsilon - positions[i]);
    // All terms are positive. Each has an error of a few units, and so does every addition.
    const error = unit * (16 + positions.length);
    return (
      Math.log(sum * (end === 'upper' ? 1 + error : 1 - error)) + (end === 'upper' ? 1 : -1) * 1024 * unit
    );
  };
