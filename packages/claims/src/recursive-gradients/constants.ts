import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { plannedFor } from './planned-for.js';
import type { RecursiveGradientsSubject } from './subject.js';

/** Rows 27, 28, 30, 31, 68, 69 and 79: the constants of Equation 19 and Lemmas 6 and 7. */
export function constantChecks(subject: RecursiveGradientsSubject): readonly ClaimCheck[] {
  const { privacyConstant } = subject;
  const printed = plannedFor(subject);
  return [
    defineClaimCheck({
      id: 'choquette-choo/base-region',
      tier: 'exact',
      statement: '(t + 1)MR + L ≤ c_DP L for t ≤ (c_DP − 1)/c_M − 1',
      power: 'a constant without its first factor',
      run: () => judge(6, first(...baseRegion(-1))),
    }),
    defineClaimCheck({
      id: 'choquette-choo/base-region-printed',
      tier: 'exact',
      statement: 'for t ≤ 1 + (c_DP − 1)/c_M',
      run: () => judge(6, first(...baseRegion(1))),
    }),
    defineClaimCheck({
      id: 'choquette-choo/closing-printed',
      tier: 'exact',
      statement: 'the closing condition of Lemma 7 holds from n = 10⁷ on, for c₁ = 10',
      run: () => judge(1, above('its left side over c_DP', closing(1e7, 10, false), 1)),
    }),
    defineClaimCheck({
      id: 'choquette-choo/closing',
      tier: 'exact',
      statement: 'as printed it holds from n = 10^34.36, 10^35.44 and 10^140.1 for c₁ = 10, 100 and 1000',
      power: 'a constant without its first factor',
      run: () =>
        judge(
          3,
          first(
            ...(
              [
                [10, 34.36],
                [100, 35.44],
                [1000, 140.1],
              ] as const
            ).map(([c1, exponent]) => differs('log₁₀ n', firstExponent(c1, false), exponent, 2e-3)),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/closing-repaired',
      tier: 'exact',
      statement:
        'with the factor M/β that (24) drops it holds as soon as B ≥ 1, n ≥ 10^6.18, for c₁ = 10 and ' +
        '100, and from 10^18.1 for c₁ = 1000',
      power: 'a constant without its first factor',
      run: () =>
        judge(
          3,
          first(
            ...[10, 100].map((c1) => above('log₁₀ n', firstExponent(c1, true), 6.19)),
            differs('log₁₀ n', firstExponent(1000, true), 18.1, 5e-3),
            differs('log₁₀ n of B ≥ 1', firstExponent(0, true), 6.18, 2e-3),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/equation-19',
      tier: 'exact',
      statement:
        'T = c_DP n^(1/4), βR²/T² = LR·max(1/√n, √d/(εn)), βbR/T = c_DP²LR√d/(εn), b ≤ R c_DP/n^(1/4) and ' +
        'T/B = c_DP²/√n',
      power: 'a step with c_DP in place of its square, rounds of another power of n',
      run: () =>
        judge(
          12,
          first(
            ...[1e8, 1e10, 1e12].flatMap((n) =>
              [1, 1e4, 1e6].flatMap((dimension) => {
                const delta = 1 / n;
                const constant = privacyConstant(n, delta);
                const beta = printed(n, 'realizable', { dimension, delta }, 1)?.beta ?? Number.NaN;
                const T = constant * n ** 0.25;
                const B = n / T;
                const b = (constant ** 2 * Math.sqrt(dimension)) / (B * beta);
                const rounds = printed(n, 'realizable', { dimension, delta })?.rounds ?? Number.NaN;
                return [
                  differs('T', rounds, Math.ceil(T)),
                  differs('βR²/T²', beta / T ** 2, Math.max(1 / Math.sqrt(n), Math.sqrt(dimension) / n)),
                  differs('βbR/T', (beta * b) / T, (constant ** 2 * Math.sqrt(dimension)) / n),
                  above('b', b, constant / n ** 0.25),
                  differs('T/B', T / B, constant ** 2 / Math.sqrt(n)),
                ];
              }),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/noise-constant',
      tier: 'exact',
      statement: 'c_DP ≥ 4√2 log₂^{3/2}(T)√(ln(2T/δ) ln(2.5/δ)) for T ≤ n and δ ≤ 2.5/e',
      power: 'a constant without its first factor',
      run: () =>
        judge(
          24,
          first(
            ...[1e3, 1e6, 1e12].flatMap((n) =>
              [0.9, 0.1, 1e-6, 1e-12].flatMap((delta) =>
                [n, Math.sqrt(n)].map((T) =>
                  above(
                    'what Lemma 8 needs',
                    4 *
                      Math.SQRT2 *
                      Math.log2(T) ** 1.5 *
                      Math.sqrt(Math.log((2 * T) / delta) * Math.log(2.5 / delta)),
                    privacyConstant(n, delta),
                  ),
                ),
              ),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/power-sums',
      tier: 'exact',
      statement: 'Σ_{i < t} i^k ≤ t^(k + 1)/(k + 1) for k = 1/2, 1 and 5/4',
      power: 'sums up to t',
      run: () =>
        judge(
          60,
          first(
            ...[0.5, 1, 1.25].flatMap((k) =>
              each(20, (e) => {
                const t = e + 1;
                return above('the sum', subject.powerSum(t, k), t ** (k + 1) / (k + 1));
              }),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'choquette-choo/lemma-6-constant',
      tier: 'exact',
      statement:
        'c₁ of Lemma 6 exists for every c₂, and is about 16c₂²: 16.1, 64.2, 400 and 1602 for 1, 2, 5 and 10',
      power: 'half of it',
      run: () =>
        judge(
          4,
          first(
            ...(
              [
                [1, 16.1],
                [2, 64.2],
                [5, 400],
                [10, 1602],
              ] as const
            ).map(([c2, c1]) => differs('c₁', subject.closingConstant(c2), c1, 5e-3)),
          ),
        ),
    }),
  ];

  function baseRegion(more: number): readonly (Violation | undefined)[] {
    return [1e6, 1e9].flatMap((n) =>
      [0.5, 1, 3].map((ratio) => {
        const constant = privacyConstant(n, 1 / n);
        const t = (constant - 1) / ratio + more;
        return first(
          above('(t + 1)MR + L over L', (t + 1) * ratio + 1, constant),
          differs(
            'c_DP',
            constant,
            4 * Math.SQRT2 * Math.log2(n) ** 1.5 * Math.sqrt(Math.log(2 * n * n)) * Math.log(2.5 * n),
          ),
        );
      }),
    );
  }

  /** Left side of Lemma 7's closing condition over `c_DP`, at `δ = 1/n`, `c_M = 1`; by logarithms of `n`. */
  function closing(n: number, c1: number, repaired: boolean): number {
    const constant = privacyConstant(n, 1 / n);
    const T = constant * n ** 0.25;
    const gamma = 1 / (4 * n);
    const left = repaired
      ? c1 * Math.sqrt(Math.log(T / gamma)) +
        c1 * Math.sqrt(constant) +
        (2 * Math.sqrt(6 * Math.log((6 * T) / gamma))) / n ** 0.25 +
        constant / n ** 0.25 +
        2 * c1 +
        3
      : c1 * Math.sqrt(constant * Math.log(T / gamma)) +
        c1 * Math.sqrt(constant) +
        (2 * constant ** 2 * Math.sqrt(6 * Math.log((6 * T) / gamma))) / n ** 0.25 +
        2 * c1 +
        4;
    // A batch has a record.
    return repaired && constant > n ** 0.75 ? Infinity : left / constant;
  }

  /** Least `k` for which the condition holds at `10^k`, and at all larger ones. */
  function firstExponent(c1: number, repaired: boolean): number {
    let [low, high] = [2, 290];
    while (high - low > 1e-4) {
      const middle = (low + high) / 2;
      if (closing(10 ** middle, c1, repaired) <= 1) high = middle;
      else low = middle;
    }
    return high;
  }
}
