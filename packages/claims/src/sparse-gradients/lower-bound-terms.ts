import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { logBinomial } from '@lethe/numerics';
import { above, differs, first } from '../common/judging.js';
import type { SparseGradientsSubject } from './subject.js';

const binomial = (n: number, k: number): number => Math.round(Math.exp(logBinomial(n, k)));

/** `E P(x | p)·pᶜ` over p uniform on [−1, 1], for one x of n signs with k of them positive. */
function moment(n: number, k: number, c: number): number {
  let sum = 0;
  // (1 + p)^k (1 − p)^(n − k) term by term: odd powers of p vanish.
  for (let i = 0; i <= k; i++)
    for (let j = 0; j <= n - k; j++) {
      const power = i + j + c;
      if (power % 2 === 0) sum += ((-1) ** j * binomial(k, i) * binomial(n - k, j)) / (power + 1);
    }
  return sum / 2 ** n;
}
/** `E P(x | p)·Σ(x_i − p)`. */
const score = (n: number, k: number): number => (2 * k - n) * moment(n, k, 0) - n * moment(n, k, 1);

/**
 * Mean squared errors of estimates of one row of s signs over √s that are ε-private, as they are known
 * exactly.
 *
 * @param copies - Records that are the row.
 */
const privateErrors = (
  sparsity: number,
  epsilon: number,
  copies: number,
): readonly (readonly [string, number])[] => [
  ['no answer', 1],
  [
    // The log odds of an answer are ε/2 times the positive copies but for the negative ones.
    'each sign answered by the majority of its copies, with ε/s',
    1 - Math.tanh((epsilon * copies) / (4 * sparsity)) ** 2,
  ],
  ['each sign answered with ε/s', 1 - Math.tanh(epsilon / (2 * sparsity)) ** 2],
  ['one sign answered with ε', 1 - Math.tanh(epsilon / 2) ** 2 / sparsity],
  [
    'the row answered among all rows',
    // The row with probability (e^ε − 1)/(e^ε + 2^s − 1), otherwise a uniform one.
    1 - (Math.expm1(epsilon) / (Math.expm1(epsilon) + 2 ** sparsity)) ** 2,
  ],
];

/** Rows 88 and 93 to 98 of the claims: what the lower bounds are made of. */
export function lowerBoundTermChecks(subject: SparseGradientsSubject): readonly ClaimCheck[] {
  const {
    packingMeanBound,
    failureNeeded,
    fingerprintingMeanSquare,
    pureBlocks,
    projectionErrorWithin,
    pureMeanRate,
    scoreFactor,
    approximateMeanRate,
  } = subject;
  return [
    defineClaimCheck({
      id: 'ghazi/close-answer',
      tier: 'exact',
      statement:
        'the probability of the bound for one copy of p points is that ' +
        'of a wrong answer by randomised response, (p − 1)/(e^ε + p − 1), ' +
        'and no ε-private answer is wrong less often: answers that are e^ε times as likely ' +
        'for k of the points as for the others are right with probability e^ε/(ke^ε + p − k); that for ' +
        'several copies is at most the one of a point that is chosen by its number of copies',
      power: 'any other probability, as (p − e^ε)/p; that of one copy for several',
      run() {
        const found: (Violation | undefined)[] = [];
        for (const [dimension, sparsity] of [
          [8, 2],
          [12, 1],
          [12, 4],
        ] as const)
          for (const epsilon of [0.1, 0.5, 1, 1.5]) {
            const { probability, terms } = packingMeanBound.evaluate(
              packingMeanBound.params.parse({ n: 1, dimension, sparsity, epsilon }),
            );
            const points = terms['points'];
            const what = `p = ${points}, ε = ${epsilon}`;
            // Every private answer is a mixture of such: their likelihoods are the extreme points.
            const right = Array.from(
              { length: points },
              (_, k) => Math.exp(epsilon) / ((k + 1) * Math.exp(epsilon) + points - k - 1),
            );
            found.push(differs(what, probability ?? 0, 1 - Math.max(...right)));
            // Of several copies a point is chosen by their number, of which half times ε counts.
            const several = packingMeanBound.evaluate(
              packingMeanBound.params.parse({ n: 6, dimension, sparsity, epsilon }),
            );
            const weight = Math.exp((several.terms['copies'] * epsilon) / 2);
            found.push(
              above(`${what}, several copies`, several.probability ?? 1, 1 - weight / (weight + points - 1)),
            );
          }
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/some-blocks-fail',
      tier: 'exact',
      statement:
        'the least P[W ≥ ρ₀K/2] over all laws on {0, …, K} of mean ρ₀K, which a law on two points attains, ' +
        'is the probability that failureNeeded inverts, and at least ρ₀/(2 − ρ₀); K up to 12, nine ρ₀',
      power: 'any larger probability',
      run() {
        const found: (Violation | undefined)[] = [];
        for (let blocks = 1; blocks <= 12; blocks++)
          for (const each of [0.05, 0.1, 0.25, 1 / 3, 0.5, 0.6, 0.75, 0.9, 1]) {
            const mean = each * blocks;
            const failing = Math.ceil(mean / 2 - 1e-12);
            let least = 1;
            // Two conditions, so a least law has two points at most.
            for (let low = 0; low < failing; low++)
              for (let high = Math.max(failing, Math.ceil(mean)); high <= blocks; high++)
                if (low <= mean) least = Math.min(least, (mean - low) / (high - low));
            const what = `K = ${blocks}, ρ₀ = ${each}`;
            found.push(
              above(`ρ₀/(2 − ρ₀), ${what}`, each / (2 - each), least),
              differs(`the probability of each block, ${what}`, failureNeeded(failing, blocks, least), each),
            );
          }
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/fingerprinting-identity',
      tier: 'exact',
      statement:
        'E[f(x)Σ(x_i − p)] = 2E[p f(x)] for p uniform on [−1, ' +
        '1] and every f of up to 10 signs: for the indicator of every x',
      power: 'a factor other than 2',
      run() {
        const found: (Violation | undefined)[] = [];
        for (let n = 1; n <= 10; n++)
          for (let k = 0; k <= n; k++)
            // 1 is added, for both sides are 0 where half of the signs are positive.
            found.push(
              differs(`n = ${n}, ${k} positive`, 1 + score(n, k), 1 + scoreFactor() * moment(n, k, 1), 1e-12),
            );
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/fingerprinting-inequality',
      tier: 'exact',
      statement:
        'the least E[fΣ(x_i − p)] + E[(f − x̄)²] over all f of n ≤ 10 signs is (n + 4)/(3(n + 2)), which ' +
        'is what the bound on errors starts from',
      power: 'any larger constant, as n for n + 4',
      run() {
        const found: (Violation | undefined)[] = [];
        for (let n = 1; n <= 10; n++) {
          let least = 0;
          for (let k = 0; k <= n; k++) {
            const [mean, weight] = [(2 * k - n) / n, moment(n, k, 0)];
            // f·c + w(f − x̄)² is least at f = x̄ − c/(2w).
            least += binomial(n, k) * (score(n, k) * mean - score(n, k) ** 2 / (4 * weight));
          }
          const free = fingerprintingMeanSquare({
            distinct: n,
            copies: 1,
            sparsity: 1e15,
            epsilon: 1e-6,
            delta: 0,
          });
          found.push(
            differs(`the constant at n = ${n}`, (n + 4) / (3 * (n + 2)), least, 1e-12),
            differs(`what is proved where privacy costs nothing, n = ${n}`, free, least, 1e-9),
          );
        }
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/fingerprinting-error',
      tier: 'exact',
      statement:
        'the bound on E‖A − z̄‖² for up to 10⁴ copies of one row of s signs is at most the error of five ' +
        'ε-private answers, and of those that tell each record with probability δ besides',
      power: 'a bound without its term of privacy, or with that of one copy',
      run() {
        const found: (Violation | undefined)[] = [];
        for (const sparsity of [1, 2, 3, 10, 100, 1000])
          for (const epsilon of [0.01, 0.1, 0.5, 1, 2, 5])
            for (const delta of [0, 1e-3, 0.1, 0.5])
              for (const copies of [1, 100, 1e4]) {
                const bound = fingerprintingMeanSquare({ distinct: 1, copies, sparsity, epsilon, delta });
                const what = `s = ${sparsity}, ε = ${epsilon}, δ = ${delta}, ${copies} copies`;
                found.push(
                  ...privateErrors(sparsity, epsilon, copies).map(([name, error]) =>
                    above(`${what}, ${name}`, bound, (1 - delta) ** copies * error),
                  ),
                );
              }
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/lower-and-upper',
      tier: 'exact',
      statement:
        'the proved pure bound at probability 1/3 is at most what the projected Laplace mechanism errs ' +
        'by but with probability 1/3, in 160 settings',
      power: 'an upper bound that lacks a root, a lower bound without its minimum with 1',
      run() {
        const found: (Violation | undefined)[] = [];
        for (const sparsity of [1, 4, 16, 64])
          for (const dimension of [200, 1e3, 1e4, 1e6])
            for (const n of [1, 100, 1e3, 1e4, 1e6])
              for (const epsilon of [0.1, 1]) {
                const { error } = pureBlocks({ n, dimension, sparsity, epsilon, probability: 1 / 3 });
                // Sensitivity 2√s/n in ℓ1.
                const scale = (2 * Math.sqrt(sparsity)) / (n * epsilon);
                const upper = projectionErrorWithin(
                  { noise: 'laplace', scale, dimension, l1Radius: Math.sqrt(sparsity) },
                  1 / 3,
                );
                const what = `n = ${n}, d = ${dimension}, s = ${sparsity}, ε = ${epsilon}`;
                found.push(above(`the bound at ${what}`, error, Math.min(1, upper)));
              }
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/regimes-meet',
      tier: 'exact',
      statement:
        'where a regime of Theorem 4.1 ends its terms agree ' +
        'within a factor 4, and those of Theorem 4.5 exactly',
      power: 'a wrong power in a term',
      run() {
        const found: (Violation | undefined)[] = [];
        for (const sparsity of [4, 20, 300])
          for (const dimension of [1e3, 1e6, 1e9])
            for (const epsilon of [0.1, 1]) {
              const sizes = { dimension, sparsity, epsilon };
              const what = JSON.stringify(sizes);
              const at = (n: number): number => pureMeanRate({ ...sizes, n });
              const useful = (sparsity * Math.log(dimension / sparsity)) / epsilon;
              const dense = Math.sqrt(sparsity / dimension);
              const delta = Math.exp(-sparsity);
              const approximate = { ...sizes, delta };
              const n1 = sparsity / epsilon;
              const n2 = dimension / epsilon;
              found.push(
                above(`a quarter of 1 where n = s ln(d/s)/ε, ${what}`, 0.25, at(useful)),
                above(`a quarter of √(s/d) where n = d/ε, ${what}`, dense / 4, at(dimension / epsilon)),
                above(`the rate where n = d/ε, ${what}`, at(dimension / epsilon), 4 * dense),
              );
              // With ln(1/δ) = s the corners are at s/ε and d/ε records.
              if (sparsity > 10)
                found.push(
                  differs(
                    `where n = √(s ln(1/δ))/ε, ${what}`,
                    approximateMeanRate({ ...approximate, n: n1 }),
                    1,
                  ),
                  differs(
                    `where n = d√ln(1/δ)/(√s ε), ${what}`,
                    approximateMeanRate({ ...approximate, n: n2 }),
                    dense,
                  ),
                );
            }
        return judge(found.length, first(...found));
      },
    }),
  ];
}
