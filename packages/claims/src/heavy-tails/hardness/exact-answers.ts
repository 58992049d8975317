import type { RiskLowerBound } from '@lethe/core';
import type { Finding, Violation } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import { tried } from '../../common/compare.js';
import { above, first } from '../../common/judging.js';
import type { HardnessSubject } from './subject.js';

/** So many that the share of independent signs that is learned differs little from its mean. */
const dimension = 1e4;
const rho = 1;
/** Terms of a binomial sum on each side of its mean, in standard deviations: the others add up to 10⁻⁴⁰. */
const width = 14;

/** The mean of a function of the number of successes. */
function meanOverSuccesses(count: number, probability: number, of: (successes: number) => number): number {
  const mean = count * probability;
  const far = width * (1 + Math.sqrt(mean * (1 - probability)));
  const from = Math.max(0, Math.floor(mean - far));
  const to = Math.min(count, Math.ceil(mean + far));
  const most = Math.min(count, Math.max(from, Math.round(mean)));
  const odds = probability / (1 - probability);
  // Masses over that of the most likely number, outwards from it.
  let [sum, total] = [of(most), 1];
  for (let k = most, mass = 1; k < to; k++) {
    mass *= ((count - k) / (k + 1)) * odds;
    sum += mass * of(k + 1);
    total += mass;
  }
  for (let k = most, mass = 1; k > from; k--) {
    mass *= k / (count - k + 1) / odds;
    sum += mass * of(k - 1);
    total += mass;
  }
  return sum / total;
}

/** `E E[ν | X]²` for a uniform sign ν and n signs of mean `bias·ν`. */
function knownOfSign(n: number, bias: number): number {
  // Heads are h under ν = 1 as often as n − h under ν = −1.
  const odds = Math.log1p(bias) - Math.log1p(-bias);
  return meanOverSuccesses(n, (1 + bias) / 2, (heads) => Math.tanh((heads - n / 2) * odds));
}

/** Of Gaussian noise on a sum of records of length 1, for ρ-zCDP where any of them may become null. */
const variance = 1 / (2 * rho);

/**
 * `E cos` of the angle between `ν` and `Hν/√d + σz`, z Gaussian in d dimensions and H the number of rare
 * records of length 1. The curvatures along `ν` and across it are counted as 1/d.
 */
function cosineOfNoisySum(n: number, probability: number): number {
  const across = variance * (dimension - 1);
  return (
    meanOverSuccesses(n, probability, (count) => count / Math.hypot(count, Math.sqrt(across))) - 1 / dimension
  );
}

/**
 * Values for many records are at most the excess risk of two answers, exactly: what the posterior of
 * independent signs gives, and a step along the sum of rare records with Gaussian noise for ρ-zCDP. That of
 * zero-out is enough, which is half as long as that of replace-one: bounds for rare records hold wherever
 * records that become null are hidden.
 */
export function belowExactAnswers(subject: HardnessSubject): Finding {
  const { convexLowerBound, stronglyConvexLowerBound } = subject;
  const cases = [1, 100, 1e4, 1e6].flatMap((n) =>
    [2, 4].flatMap((momentOrder) =>
      (['A1', 'A3'] as const).map((assumption) => ({ n, momentOrder, assumption })),
    ),
  );
  const known = new Map<string, number>();
  const once = (key: string, of: () => number): number => {
    const value = known.get(key) ?? of();
    known.set(key, value);
    return value;
  };
  return tried(cases, (given) => {
    const { n } = given;
    const probability = subject.probabilityOfHeavyTail({ n, dimension, rho, coupling: 0.25 });
    const [coin, meanCoin] = [subject.bernoulliBias(n), subject.meanBernoulliBias(n)];
    const knownCoin = once(`coin ${n}`, () => knownOfSign(n, coin));
    // A norm is less than the root of its mean square by this part at most, as that of d terms in [0, 1].
    const aligned = Math.sqrt(knownCoin) * (1 - (1 - knownCoin) / (2 * dimension * knownCoin));
    const cosine = once(`cosine ${n}`, () => cosineOfNoisySum(n, probability));
    const spread = (n * probability * (1 - probability)) / dimension + variance;
    const signal = (n * probability) ** 2 / dimension;
    const radius = 2;
    const convexity = 0.5;
    return first(
      valueAbove('the convex bound', convexLowerBound, { ...given, radius }, (length, isPrivate) =>
        isPrivate ? radius * probability * length * (1 - cosine) : radius * coin * length * (1 - aligned),
      ),
      valueAbove(
        'the strongly convex bound',
        stronglyConvexLowerBound,
        { ...given, convexity },
        (length, isPrivate) =>
          isPrivate
            ? (convexity / 2) * (probability * length) ** 2 * (spread / (spread + signal))
            : (convexity / 2) *
              (meanCoin * length) ** 2 *
              (1 - once(`mean coin ${n}`, () => knownOfSign(n, meanCoin))),
      ),
    );
  });
}

/** The value, and the part of each instance, against the risks of answers on its records. */
function valueAbove(
  what: string,
  bound: RiskLowerBound,
  given: object,
  riskOf: (length: number, isPrivate: boolean) => number,
): Violation | undefined {
  const risks = [true, false].map((isPrivate) => {
    const params = bound.params.parse({
      ...given,
      dimension,
      rho,
      moment: 3,
      instance: isPrivate ? 'private' : 'non-private',
    });
    const { value, drawn = value } = bound.evaluate(params);
    const risk = riskOf(defined(defined(bound.problem)(params).record.featureNorm), isPrivate);
    return { value, drawn, risk };
  });
  return first(
    ...risks.map(({ drawn, risk }, i) =>
      above(`${what}, of ${i === 0 ? 'rare records' : 'signs'}`, drawn, risk),
    ),
    ...risks.map(({ value }) => above(what, value, Math.max(...risks.map(({ risk }) => risk)))),
  );
}
