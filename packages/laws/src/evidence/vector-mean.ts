import { InvalidParameter } from '@lethe/core';
import { bet } from './bet.js';
import type { VectorEProcess } from './e-process.js';
import { requireCount, requirePositive } from './require.js';
import { fedBy } from './wealth.js';

/** The declared mean of a random vector. */
export interface VectorMeanOptions {
  /** `[d]`. */
  readonly mean: ArrayLike<number>;
  /** `‖X − mean‖₂ ≤ radius`, always. */
  readonly radius: number;
  /** Allowed distance of the expectation from `mean`. @defaultValue 0 */
  readonly bias?: number;
  /** Number of draws for learning the direction, without bets. @defaultValue 200 */
  readonly explore?: number;
}

/**
 * H0: `‖E[X | past] − mean‖₂ ≤ bias`. Bets on the direction of the mean error so far, so that the dimension
 * costs little.
 *
 * @throws {InvalidParameter} for a vector of another length or outside the ball.
 */
export function vectorMean({ mean, radius, bias = 0, explore = 200 }: VectorMeanOptions): VectorEProcess {
  const d = requireCount('the dimension of the mean', mean.length, 1);
  requirePositive('radius', radius);
  if (!(bias >= 0 && bias < Infinity))
    throw new InvalidParameter(`bias is ${bias}; give a finite distance, at least 0`, { bias });
  requireCount('explore', explore, 0);
  const sum = new Float64Array(d);
  const offset = new Float64Array(d);
  const rounding = 1 + (d + 8) * 2 ** -52;
  let seen = 0;
  return fedBy(
    bet({ largestLoss: radius + bias, largestGain: Math.max(0, radius - bias) }),
    (x: ArrayLike<number>) => {
      if (x.length !== d)
        throw new InvalidParameter(`the vector has ${x.length} coordinates, its mean ${d}`, {
          given: x.length,
          expected: d,
        });
      let along = 0;
      let length = 0;
      let norm = 0;
      for (let i = 0; i < d; i++) {
        offset[i] = x[i] - mean[i];
        along += offset[i] * sum[i];
        length += sum[i] * sum[i];
        norm += offset[i] * offset[i];
      }
      const distance = Math.sqrt(norm);
      if (!(distance <= radius * rounding))
        throw new InvalidParameter(
          `the vector is ${distance} away from the mean; it must be at most ${radius} away`,
          { distance, radius },
        );
      for (let i = 0; i < d; i++) sum[i] += offset[i];
      if (++seen <= explore || length === 0) return 0;
      return Math.max(along / Math.sqrt(length), -radius) - bias;
    },
  );
}
