import { Unsupported, multiplyUp } from '@lethe/numerics';
import { type GaussianCurve, dominatingPair, type DominatingPair } from '@lethe/core';
import { gaussianMixtureLossDistribution } from '../pairs/index.js';

const mostRecords = 256;

/**
 * Pairs of a μ-Gaussian-private release from a Poisson sample, when `size` records are present or absent together. Each is drawn by its own
 * coin, so that with `i` of them in the sample the release is `iμ`-Gaussian-private: a set `S` of probability β without them has
 * at most the power `Φ(Φ⁻¹(β) + iμ)` with `i` of them, and the mixture of these powers over `i` is attained by shifts `iμ` of one
 * Gaussian, where the best sets for all `i` are the same. Likewise from below.
 *
 * Probabilities of those who are there are rounded up, at the cost of nobody's being there.
 *
 * @throws {Unsupported} where hardly ever nobody is in the sample, and for groups beyond counting.
 */
export function groupInPoisson({ mu }: GaussianCurve, rate: number, size: number): readonly DominatingPair[] {
  const nobody = (1 - rate) ** size;
  if (size > mostRecords || nobody < 1e-9 || !(multiplyUp(size, mu) < Infinity)) {
    throw new Unsupported(`no pair is known of a group of ${size} in a Poisson sample of rate ${rate}; it costs no more than in every sample`, { size, rate });
  }
  let probability = nobody;
  const probabilities = Array.from({ length: size }, (_, i) => {
    probability *= (size - i) / (i + 1) * (rate / (1 - rate));
    return Math.min(1, probability * (1 + size * 2 ** -48));
  });
  const some = probabilities.reduce((sum, p) => sum + p, 0);
  const shifts = [0, ...probabilities.map((_, i) => multiplyUp(i + 1, mu))];
  const weights = [Math.max(0, 1 - some), ...probabilities];
  return (['remove', 'add'] as const).map((direction) => dominatingPair(direction, gaussianMixtureLossDistribution(shifts, weights, direction)));
}
