import { defined, InvalidParameter, Unsupported } from '@lethe/numerics';
import type { PrivacyLossDistribution } from '@lethe/core';
import { gaussianLossDistribution } from './gaussian.js';
import { type Component, mixturePairLossDistribution } from './mixture-pair.js';
import { presentInPoisson } from './present.js';

/** Smaller shifts are raised to `least`, an upper bound. */
const least = 1e-100;
/** Largest distance of two means, in units of the noise, that is accounted. */
const farthest = 1000;

/** Means of Gaussians of deviation 1, and the probability of each. */
export interface GaussianMixture {
  readonly means: readonly number[];
  readonly probabilities: readonly number[];
}

/**
 * Privacy-loss distribution of `Σ p_i N(s_i, 1)` against `N(0, 1)` (`remove`), or of the reversed pair
 * (`add`).
 *
 * @param shifts - Finite and at least 0, in units of the noise.
 * @param probabilities - One for each shift; they sum to 1 within 1e-9.
 * @throws {InvalidParameter} otherwise; {@link Unsupported} for different shifts of which some are above
 * 1000.
 */
export function gaussianMixtureLossDistribution(
  shifts: readonly number[],
  probabilities: readonly number[],
  direction: 'remove' | 'add',
): PrivacyLossDistribution {
  if (!shifts.every((shift) => shift >= 0 && shift < Infinity))
    throw new InvalidParameter('a shift of a mixture is finite and at least 0', { shifts });
  checkMixture({ means: shifts, probabilities });
  const moving = shifts
    .map((shift, i) => ({ shift: shift === 0 ? 0 : Math.max(shift, least), weight: probabilities[i] }))
    .filter(({ shift, weight }) => shift > 0 && weight > 0);
  const still = probabilities.reduce((sum, p, i) => (shifts[i] === 0 ? sum + p : sum), 0);
  const rate = moving.reduce((sum, { weight }) => sum + weight, 0);
  if (rate === 0) return identityDistribution;
  const shared = componentsOf({
    means: moving.map(({ shift }) => shift),
    probabilities: moving.map(({ weight }) => weight / rate),
  });
  const zero: readonly Component[] = [{ mean: 0, weight: 1 }];
  if (shared.length > 1) refuseFar(defined(shared.at(-1)).mean);
  const distribution = (): PrivacyLossDistribution => {
    if (shared.length === 1) return gaussianLossDistribution(shared[0].mean);
    return direction === 'remove'
      ? mixturePairLossDistribution(shared, zero)
      : mixturePairLossDistribution(zero, negated(shared));
  };
  return still === 0 ? distribution() : presentInPoisson(distribution(), Math.min(1, rate), direction);
}

/**
 * Privacy-loss distribution of one mixture of Gaussians against another, in units of the noise, where no mean
 * of the first is below a mean of the second. Records of a group in a sample, each replaced by another, come
 * to such a pair.
 *
 * The profile grows with every mean of the first mixture and falls with every mean of the second, so that
 * means rounded outwards bound it from above.
 *
 * @throws {InvalidParameter} for a mean that is not finite, probabilities that are not one for each mean and
 * add up to 1 within 1e-9, or means the other way round; {@link Unsupported} for means or probabilities
 * beyond what doubles can tell apart.
 */
export function gaussianMixturesLossDistribution(
  first: GaussianMixture,
  second: GaussianMixture,
): PrivacyLossDistribution {
  checkMixture(first);
  checkMixture(second);
  const [upper, lower] = [componentsOf(first), componentsOf(second)];
  const [low, high] = [upper[0].mean, defined(lower.at(-1)).mean];
  if (low < high)
    throw new InvalidParameter(
      `the first mixture has a mean of ${low}, below ${high} of the second; give them the other way round`,
      { first: first.means, second: second.means },
    );
  if (lower.length === 1 || upper.length === 1) {
    const [from, others] = lower.length === 1 ? [high, upper] : [low, lower];
    return gaussianMixtureLossDistribution(
      others.map(({ mean }) => Math.abs(mean - from)),
      others.map(({ weight }) => weight),
      lower.length === 1 ? 'remove' : 'add',
    );
  }
  const distribution = mixturePairLossDistribution(upper, lower);
  if (distribution.massesInto === undefined)
    throw new Unsupported(
      'two mixtures whose means are more than about 20 times the noise beyond each other, or with a ' +
        'probability below 1e-100, cannot be accounted',
      { first: first.means, second: second.means },
    );
  return distribution;
}

function checkMixture({ means, probabilities }: GaussianMixture): void {
  if (means.length !== probabilities.length || !means.every(Number.isFinite))
    throw new InvalidParameter('a mixture needs means that are finite, and one probability for each', {
      means,
      probabilities,
    });
  const total = probabilities.reduce((sum, p) => sum + (p >= 0 ? p : NaN), 0);
  if (!(Math.abs(total - 1) <= 1e-9))
    throw new InvalidParameter(
      `the probabilities of a mixture add up to ${total}; they must be at least 0 and add up to 1`,
      { probabilities },
    );
}

/** Ascending means with their weights; equal ones once, those of probability 0 left out. */
function componentsOf({ means, probabilities }: GaussianMixture): readonly Component[] {
  const weights = new Map<number, number>();
  for (const [i, mean] of means.entries())
    if (probabilities[i] > 0) weights.set(mean, (weights.get(mean) ?? 0) + probabilities[i]);
  return [...weights].map(([mean, weight]) => ({ mean, weight })).toSorted((a, b) => a.mean - b.mean);
}

const negated = (components: readonly Component[]): readonly Component[] =>
  components.map(({ mean, weight }) => ({ mean: -mean, weight })).toReversed();

function refuseFar(distance: number): void {
  if (distance > farthest)
    throw new Unsupported(
      `a mixture with a shift above ${farthest} times the noise cannot be accounted: ` +
        'such a shift is not hidden at all',
      { distance },
    );
}

/** No shift: the loss is 0. */
const identityDistribution: PrivacyLossDistribution = {
  hockeyStick: (epsilon) => ({
    lower: Math.max(0, -Math.expm1(epsilon) * (1 - 2 ** -50)),
    upper: epsilon < 0 ? Math.min(1, -Math.expm1(epsilon) * (1 + 2 ** -50)) : 0,
  }),
  infinite: 0,
  support: { least: 0, most: 0 },
  massesInto(p, q, edges) {
    for (let i = 0; i < p.length; i++) {
      q[i] = edges[i] <= 0 && edges[i + 1] > 0 ? 1 : 0;
      p[i] = q[i];
    }
  },
};
