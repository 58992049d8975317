import { InvalidParameter, Unsupported, type Problem } from '@lethe/core';

/** The data sets of a problem, and what their answers count in averages. One machine is one silo. */
export interface Silos {
  /** Slots of each. */
  readonly slots: readonly number[];
  /** `p_i`, 1 in all; `null` where a sum over all records of a round is divided by their number. */
  readonly weights: readonly number[] | null;
  /** Where noise is added: in each silo, once by a trusted server, or to a secure sum in shares. */
  readonly noise:
    | { readonly by: 'silos' }
    | {
        readonly by: 'server';
        /** By how much it is larger than the silos need, where it stands for shares. */
        readonly factor: number;
      }
    | { readonly by: 'shares'; readonly silos: number; readonly counted: number };
  /** By how much the noise of each silo is larger; left out, 1 for all. */
  readonly noiseFactors?: readonly number[];
}

/**
 * @param noiseFactors - By how much the noise of each silo is larger, at least 1. @defaultValue 1 for all
 * @throws {Unsupported} for a problem whose slots or factors do not fit its trust model.
 */
export function silosOf(problem: Problem, noiseFactors?: readonly number[]): Silos {
  const silos = sizedSilos(problem);
  if (noiseFactors === undefined) return silos;
  if (problem.trust.model !== 'federated' || noiseFactors.length !== silos.slots.length)
    throw new Unsupported(
      `noiseFactors are ${noiseFactors.length} numbers, one for each silo of a federation; the problem has ` +
        `${silos.slots.length} data sets in the ${problem.trust.model} model`,
      { noiseFactors, trust: problem.trust.model },
    );
  return { ...silos, noiseFactors };
}

function sizedSilos({ slots, trust }: Problem): Silos {
  const count = 'silos' in trust ? trust.silos : 1;
  if (slots.length !== count || !slots.every((one) => Number.isFinite(one) && one >= 1))
    throw new Unsupported(
      `the problem has ${count === 1 ? 'one data set' : `${count} silos`} and declares slots ` +
        `[${slots.join(', ')}]; give one number for each, at least 1`,
      { slots },
    );
  if (trust.model === 'secure-aggregation') {
    const counted = trust.survivors - trust.corrupted;
    return { slots, weights: null, noise: { by: 'shares', silos: count, counted } };
  }
  const weights = (trust.model === 'federated' ? trust.weights : undefined) ?? slots.map(() => 1 / count);
  if (weights.length !== count || !(Math.abs(weights.reduce((sum, one) => sum + one, 0) - 1) <= 1e-9))
    throw new InvalidParameter(
      `trust.weights are ${weights.length} numbers that add up to ` +
        `${weights.reduce((sum, one) => sum + one, 0)}; give one for each silo, 1 in all`,
      { weights },
    );
  if (trust.model !== 'federated' || trust.server === 'untrusted')
    return { slots, weights, noise: { by: 'silos' } };
  const factor = Math.sqrt(count / (trust.simulatedShares ?? count));
  return { slots, weights, noise: { by: 'server', factor } };
}

const total = (sizes: readonly number[]): number => sizes.reduce((sum, one) => sum + one, 0);

/**
 * Standard deviation of one entry of the noise of an average, where noise on silo `i` alone has deviation
 * `unit/sizes_i`: `√Σ(p_i/b_i)²` times that of each silo, or the largest `p_i/b_i` where it is drawn once.
 * Where each of M silos adds one of H shares to the sum of all, `√(M/H)/Σb_i`. Factors of silos come beside
 * `p_i`.
 */
export function noiseFactor(silos: Silos, sizes: readonly number[]): number {
  const { noise, noiseFactors } = silos;
  if (noise.by === 'shares') return Math.sqrt(noise.silos / noise.counted) / total(sizes);
  const shares = sizes.map((size, i) => (weightAt(silos, sizes, i) / size) * (noiseFactors?.[i] ?? 1));
  return noise.by === 'server' ? noise.factor * Math.max(...shares) : Math.hypot(...shares);
}

/** `p_i` in rounds of these sizes. */
export const weightAt = ({ weights }: Pick<Silos, 'weights'>, sizes: readonly number[], i: number): number =>
  weights === null ? sizes[i] / total(sizes) : weights[i];

/** `1/Σ p_i²/b_i`: as many records as have an average of the same variance; `b` on one machine. */
export const effectiveSize = (silos: Silos, sizes: readonly number[]): number =>
  1 / sizes.reduce((sum, size, i) => sum + weightAt(silos, sizes, i) ** 2 / size, 0);
