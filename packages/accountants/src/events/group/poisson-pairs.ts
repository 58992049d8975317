import { Unsupported, multiplyUp } from '@lethe/numerics';
import { type GaussianCurve, dominatingPair, type DominatingPair } from '@lethe/core';
import { gaussianMixtureLossDistribution } from '../pairs/index.js';

const mostRecords = 256;

/**
 * Dominating pairs of a μ-Gaussian-private release from a Poisson sample, for `size` records present or
 * absent together. Each record is drawn independently, and with `i` of them in the sample the release is
 * `iμ`-Gaussian-private: a set `S` of probability β without them has power at most `Φ(Φ⁻¹(β) + iμ)` with `i`
 * of them. Shifts `iμ` of one Gaussian attain the mixture of these powers over `i`, because the optimal sets
 * for all `i` are the same. The lower side is symmetric.
 *
 * Probabilities of `i ≥ 1` are rounded up, and the probability of `i = 0` is reduced accordingly.
 *
 * @throws {Unsupported} when the probability of an empty intersection is below 1e-9, or the group is too
 * large.
 */
export function groupInPoisson({ mu }: GaussianCurve, rate: number, size: number): readonly DominatingPair[] {
  const none = (1 - rate) ** size;
  if (size > mostRecords || none < 1e-9 || !(multiplyUp(size, mu) < Infinity)) {
    throw new Unsupported(
      `no pair is known of a group of ${size} in a Poisson sample of rate ${rate}; ` +
        'it costs no more than in every sample',
      { size, rate },
    );
  }
  let probability = none;
  const probabilities = Array.from({ length: size }, (_, i) => {
    probability *= ((size - i) / (i + 1)) * (rate / (1 - rate));
    return Math.min(1, probability * (1 + size * 2 ** -48));
  });
  const some = probabilities.reduce((sum, p) => sum + p, 0);
  const shifts = [0, ...probabilities.map((_, i) => multiplyUp(i + 1, mu))];
  const weights = [Math.max(0, 1 - some), ...probabilities];
  return (['remove', 'add'] as const).map((direction) =>
    dominatingPair(direction, gaussianMixtureLossDistribution(shifts, weights, direction)),
  );
}
