import { InvalidParameter } from '@lethe/core';

/** Silos of a secure sum, and what it withstands. */
export interface SumParameters {
  /** M. */
  readonly silos: number;
  /** C: silos that may side with the server, at most. */
  readonly corrupted: number;
  /** t: shares that reveal a secret, and signatures that make a set; `2t > M + C`. */
  readonly threshold: number;
  /** m: silos that a sum has at least. */
  readonly survivors: number;
  /** H = m − C: shares of noise that count. */
  readonly honest: number;
}

/**
 * The threshold `t = ⌊(M + C)/2⌋ + 1`, with which at most one set of a round is signed by t silos, and what
 * follows.
 *
 * @param options - `survivors`: m, from t to M. @defaultValue t
 * @throws {InvalidParameter} unless M ≥ 2 whole silos, 0 ≤ C < M and t ≤ m ≤ M.
 */
export function sumParameters({
  silos,
  corrupted,
  survivors,
}: {
  readonly silos: number;
  readonly corrupted: number;
  readonly survivors?: number;
}): SumParameters {
  if (!(Number.isSafeInteger(silos) && silos >= 2 && silos <= 255))
    throw new InvalidParameter(`a secure sum has 2 to 255 silos, not ${silos}`, { silos });
  if (!(Number.isSafeInteger(corrupted) && corrupted >= 0 && corrupted < silos))
    throw new InvalidParameter(
      `of ${silos} silos ${corrupted} were to be corrupted; give a whole number from 0 to ${silos - 1}`,
      { silos, corrupted },
    );
  const threshold = Math.floor((silos + corrupted) / 2) + 1;
  const least = survivors ?? threshold;
  if (!(Number.isSafeInteger(least) && least >= threshold && least <= silos))
    throw new InvalidParameter(
      `a sum of ${silos} silos, ${corrupted} of them corrupted, needs ${threshold} to ${silos} ` +
        `survivors, not ${least}`,
      { survivors: least, threshold },
    );
  return Object.freeze({ silos, corrupted, threshold, survivors: least, honest: least - corrupted });
}

/** Factor on the noise of a sum for the shares that do not count: `√(M/H)` of the standard deviation. */
export const noiseExcess = ({ silos, honest }: SumParameters): number => Math.sqrt(silos / honest);

/** Standard deviation of each silo's share, of which any H make `deviation`. */
export const noiseShare = ({ honest }: SumParameters, deviation: number): number =>
  deviation / Math.sqrt(honest);

/**
 * Bits of a whole value: 32 where no sum wraps, but with a probability that no one sees, else 64. Wrapping
 * costs utility and never privacy.
 *
 * @param largest - Largest whole entry of a sum without noise, `M T b k`.
 * @param deviation - Standard deviation of the counted noise, `σ_Z`.
 */
export const wordWidth = (parameters: SumParameters, largest: number, deviation: number): 32 | 64 =>
  largest + 12 * deviation * noiseExcess(parameters) < 2 ** 31 ? 32 : 64;

/**
 * Standard deviation in grid steps with which T sums, in which a record moves by at most 2k, are as private
 * as one Gaussian release of level μ: `2k√T/μ`.
 *
 * @param radius - k: largest ℓ2 norm of a record's whole part.
 */
export const noiseForLevel = (radius: number, sums: number, level: number): number =>
  (2 * radius * Math.sqrt(sums)) / level;

/** k: largest ℓ2 norm of a whole vector within `radius`, in steps of `grid`. */
export const wholeRadius = (radius: number, grid: number): number =>
  Math.sqrt(Math.floor(radius ** 2 / grid ** 2));
