import { InvalidParameter, Unsupported, type Problem } from '@lethe/core';

/** The data sets of a problem, and what their answers count in averages. One machine is one silo. */
export interface Silos {
  /** Slots of each. */
  readonly slots: readonly number[];
  /** `p_i`, 1 in all. */
  readonly weights: readonly number[];
  /** Whether noise is added once, to the average, by a server that is trusted with sums. */
  readonly isNoisedOnce: boolean;
}

/** @throws {Unsupported} for a problem whose slots do not fit its trust model. */
export function silosOf({ slots, trust }: Problem): Silos {
  const count = trust.model === 'federated' ? trust.silos : 1;
  if (slots.length !== count || !slots.every((one) => Number.isFinite(one) && one >= 1))
    throw new Unsupported(
      `the problem has ${count === 1 ? 'one data set' : `${count} silos`} and declares slots ` +
        `[${slots.join(', ')}]; give one number for each, at least 1`,
      { slots },
    );
  const weights = (trust.model === 'federated' ? trust.weights : undefined) ?? slots.map(() => 1 / count);
  if (weights.length !== count || !(Math.abs(weights.reduce((sum, one) => sum + one, 0) - 1) <= 1e-9))
    throw new InvalidParameter(
      `trust.weights are ${weights.length} numbers that add up to ` +
        `${weights.reduce((sum, one) => sum + one, 0)}; give one for each silo, 1 in all`,
      { weights },
    );
  return { slots, weights, isNoisedOnce: trust.model === 'federated' && trust.server === 'trusted' };
}

/**
 * Standard deviation of one entry of the noise of an average, where noise on silo `i` alone has deviation
 * `unit/sizes_i`: `√Σ(p_i/b_i)²` times that of each silo, or the largest `p_i/b_i` where it is drawn once.
 */
export const noiseFactor = ({ weights, isNoisedOnce }: Silos, sizes: readonly number[]): number => {
  const shares = weights.map((weight, i) => weight / sizes[i]);
  return isNoisedOnce ? Math.max(...shares) : Math.hypot(...shares);
};

/** `1/Σ p_i²/b_i`: as many records as have an average of the same variance; `b` on one machine. */
export const effectiveSize = ({ weights }: Silos, sizes: readonly number[]): number =>
  1 / weights.reduce((sum, weight, i) => sum + weight ** 2 / sizes[i], 0);
