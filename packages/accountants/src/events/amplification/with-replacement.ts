import type { PrivacyLossDistribution } from '@lethe/core';
import {
  addUp,
  divideUp,
  expm1Down,
  expm1Up,
  log1pDown,
  log1pUp,
  multiplyDown,
  multiplyUp,
  subtractUp,
} from '@lethe/numerics';
import { drawnAtAll } from '../drawn-at-all.js';
import type { GaussianMixture } from '../pairs/index.js';
import { binomialWindow } from './binomial.js';
import { nothingLearnt } from './inner-distribution.js';
import { amplifiedPure } from './subset.js';
import { tiltedMixture } from './tilted-mixture.js';
import { withGrain } from './discrete-distribution.js';

/** Maximum number of separate cases for the number of occurrences. */
const mostCases = 200;
const negligible = 1e-40;
/** If the mean number of occurrences is above this, the record counts as drawn every time. */
const mostOften = 1e8;

/**
 * Privacy-loss distribution of a release of `size` draws from `n` records, given that the record was drawn,
 * with the number of occurrences `k` revealed: `k` follows `Binomial(size, 1/n)` given `k ≥ 1`.
 *
 * @param lossDistributionOfGroup - Privacy-loss distribution of the release when `k` records are replaced.
 */
export function drawnLossDistribution(
  n: number,
  size: number,
  lossDistributionOfGroup: (k: number) => PrivacyLossDistribution,
): PrivacyLossDistribution {
  // No amplification with so many draws.
  if (n === 1 || size / n > mostOften) return lossDistributionOfGroup(size);
  const { first, masses, above, error } = binomialWindow(size, 1 / n);
  const from = Math.max(1, first);
  const share = -Math.expm1(size * Math.log1p(-1 / n));
  let end = masses.length;
  let lost = above;
  while (end > from - first + 1 && lost + masses[end - 1] < negligible * share) lost += masses[--end];
  const stride = Math.ceil((first + end - from) / mostCases);
  const cases = [];
  for (let low = from; low < first + end; low += stride) {
    const high = Math.min(low + stride, first + end);
    let mass = 0;
    for (let k = low; k < high; k++) mass += masses[k - first];
    // Larger groups cost more.
    if (mass > 0)
      cases.push({ p: mass / share, q: mass / share, distribution: lossDistributionOfGroup(high - 1) });
  }
  if (lost > 0) cases.push({ p: (lost * (1 + 2 ** -40)) / share, q: 0, distribution: nothingLearnt });
  return withGrain(tiltedMixture(cases), error + 2 ** -40);
}

/** The most numbers of occurrences that a mixture tells apart, and the probability of those left out. */
const mostShifts = 128;
const rare = 1e-25;
/** Larger shifts are lowered to this one, beyond which masses are not accurate. */
const farthest = 36;

/**
 * What a release shows of a record that is drawn `k` times, with `k` by `Binomial(size, 1/n)` and not told,
 * where each occurrence moves it by `mu` and nothing else does: a mixture of Gaussians, whose shifts and the
 * probabilities of which are rounded down. `undefined` if there are too many draws to tell.
 */
export function occurrencesOf(n: number, size: number, mu: number): GaussianMixture | undefined {
  if (n === 1) return { means: [Math.min(farthest, multiplyDown(size, mu))], probabilities: [1] };
  if (size / n > mostOften) return undefined;
  const { first, masses, error } = binomialWindow(size, 1 / n);
  const likely = [...masses.keys()].filter((i) => first + i > 0 && masses[i] > rare);
  const stride = Math.ceil(likely.length / mostShifts);
  const means = [0];
  const probabilities = [0];
  likely.forEach((i, place) => {
    // Those that share a shift have that of the least.
    if (place % stride === 0) {
      means.push(Math.min(farthest, multiplyDown(first + i, mu)));
      probabilities.push(0);
    }
    probabilities[probabilities.length - 1] += masses[i] * (1 - error - 2 ** -44);
  });
  probabilities[0] = Math.max(0, 1 - probabilities.reduce((sum, p) => sum + p, 0));
  return { means, probabilities };
}

/**
 * Pure ε of `size` draws with replacement, when the release is ε-private for each position.
 *
 * Let `M_k` be the probability of a set given `k` occurrences of the record, and `N_k` given `k` occurrences
 * of its replacement: `M_k ≤ e^{kε} min(M_0, N_k)` and `N_k ≥ e^{−kε} M_0`. The ratio of the two means over
 * `k` is largest with `N_k = M_0` for `k` with `e^{kε}` above the ratio, and `N_k = e^{−kε} M_0` for other
 * `k`. If the ratio is below `e^ε`, only the first case occurs.
 */
export function drawnPure(n: number, size: number, epsilon: number): number {
  if (epsilon === 0) return 0;
  const rate = divideUp(1, n);
  const all = multiplyUp(size, epsilon);
  const bounds = [all, amplifiedPure(drawnAtAll(n, size), all)];
  if (epsilon < 700) {
    const gain = multiplyUp(size, log1pUp(multiplyUp(rate, expm1Up(epsilon))));
    const below = multiplyUp(rate, -expm1Down(-epsilon));
    const apart = below < 1 ? subtractUp(gain, multiplyDown(size, log1pDown(-below))) : Infinity;
    bounds.push(apart < epsilon ? gain : apart);
  }
  return Math.min(...bounds.map((bound) => addUp(bound, 0)));
}
