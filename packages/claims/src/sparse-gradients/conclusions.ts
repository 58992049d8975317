import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { above, differs, first, refusal } from '../common/judging.js';
import type { SparseGradientsSubject } from './subject.js';

const sizes = [1, 30, 1e3, 1e5, 1e7] as const;

/**
 * Error of the projected Laplace mechanism but with probability β, as Theorem 3.2 says with its constants.
 */
const laplaceError = (
  { n, dimension, sparsity, epsilon }: Readonly<Record<'n' | 'dimension' | 'sparsity' | 'epsilon', number>>,
  failure: number,
): number => {
  const largest = Math.log(dimension / failure) / (n * epsilon);
  return Math.min(2 * Math.sqrt(sparsity * dimension) * largest, 2 * Math.sqrt(sparsity * largest));
};

/** Rows 121 to 126 of the claims: theorems and tables. */
export function conclusionChecks(subject: SparseGradientsSubject): readonly ClaimCheck[] {
  const {
    failureNeeded,
    pureBlocks,
    pureMeanRate,
    pureBaseRate,
    approximateBlocks,
    approximateMeanRate,
    rateTables,
  } = subject;
  return [
    defineClaimCheck({
      id: 'ghazi/failing-blocks',
      tier: 'exact',
      statement:
        'blocks that each fail with ρ₀ fail ⌈ρ₀K/2⌉ at a time with probability 1 − exp(−ρ₀/8), and even ' +
        'ρ₀/(2 − ρ₀), under every law with that expectation; the law on two points attains it',
      power: 'a probability above that of the two-point law',
      run: () =>
        judge(
          63,
          first(
            ...[1, 2, 3, 10, 99, 1000, 1e6].flatMap((blocks) =>
              [0.01, 0.1, 0.25, 1 / 3, 0.5, 0.7, 0.8, 0.9, 1].map((each): Violation | undefined => {
                const failing = Math.ceil((each * blocks) / 2);
                const what = `K = ${blocks}, ρ₀ = ${each}`;
                // Failures are f − 1 or K: the expectation is K·ρ₀ where the second has this probability.
                const attained = (each * blocks - failing + 1) / (blocks - failing + 1);
                return first(
                  above(
                    `the probability of each block, ${what}`,
                    failureNeeded(failing, blocks, -Math.expm1(-each / 8)),
                    each,
                  ),
                  above(
                    `the probability of each block, ${what}`,
                    failureNeeded(failing, blocks, each / (2 - each)),
                    each,
                  ),
                  differs(`what two points attain, ${what}`, failureNeeded(failing, blocks, attained), each),
                );
              }),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/pure-bound',
      tier: 'exact',
      statement:
        'for ε ≤ 1 the proved bound is at least a twentieth of both rates and at most the error of ' +
        'Theorem 3.2, and the rates are refused for larger ε',
      power: 'a factor 2 beyond the smallest ratio, a power of n, d or s',
      run() {
        const found: (Violation | undefined)[] = [
          refusal('ε = 2', () => pureMeanRate({ n: 10, dimension: 10, sparsity: 1, epsilon: 2 })),
        ];
        for (const sparsity of [1, 4, 16, 64])
          for (const dimension of [100, 1e4, 1e6])
            for (const n of sizes)
              for (const epsilon of [0.05, 1]) {
                const setting = { n, dimension, sparsity, epsilon };
                if (sparsity >= dimension / 2) continue;
                const { error } = pureBlocks({ ...setting, probability: 1 / 3 });
                const what = JSON.stringify(setting);
                found.push(
                  above(`a twentieth of the rate at ${what}`, pureMeanRate(setting) / 20, error),
                  above(`a twentieth of the base rate at ${what}`, pureBaseRate(setting) / 20, error),
                  above(`the bound at ${what}`, error, Math.min(1, laplaceError(setting, 1 / 3))),
                );
              }
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/pure-bound-printed',
      tier: 'exact',
      statement:
        'the rate holds for s = n = 1, d = 10⁶ and ε = 10 ln d: there a randomised response over a net ' +
        'of 2d/η records has an error of η, which is below 10⁻⁴⁰, but with probability 10⁻⁶',
      run() {
        const dimension = 1e6;
        const epsilon = 10 * Math.log(dimension);
        const rate = Math.min(1, Math.sqrt(Math.log(Math.max(Math.E, dimension / epsilon)) / epsilon));
        // e^ε/(e^ε + points) is 1 − 10⁻⁶ for this many points.
        const logPoints = epsilon + Math.log(1e-6);
        const net = 2 * dimension * Math.exp(-logPoints);
        // 20 is more than the factor that the rate is above the proved bound by, for ε ≤ 1.
        return judge(1, above('a twentieth of the printed rate', rate / 20, net));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/approximate-bound',
      tier: 'exact',
      statement:
        'where 20 ln(1/δ) ≤ s the proved bound is at least a fiftieth of the rate, the rate is at most ' +
        'the error of Theorem 3.2, and it is refused where ln(1/δ) > s',
      power: 'a factor 2 beyond the smallest ratio, a power of n, d or s',
      run() {
        const found: (Violation | undefined)[] = [
          refusal('s = 1, δ = 10⁻⁸', () =>
            approximateMeanRate({ n: 1e4, dimension: 3, sparsity: 1, epsilon: 1, delta: 1e-8 }),
          ),
        ];
        for (const sparsity of [400, 2000])
          for (const blocks of [1, 30, 500])
            for (const n of sizes)
              for (const epsilon of [0.1, 1]) {
                const setting = { n, dimension: sparsity * blocks, sparsity, epsilon, delta: 1e-8 };
                const { error } = approximateBlocks({ ...setting, probability: 0.02 });
                const rate = approximateMeanRate(setting);
                const what = JSON.stringify(setting);
                found.push(
                  above(`a fiftieth of the rate at ${what}`, rate / 50, error),
                  above(`the rate at ${what}`, rate, Math.min(1, laplaceError(setting, 1 / 2))),
                );
              }
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/approximate-bound-printed',
      tier: 'exact',
      statement:
        'the rate holds for s = 1, d = 3, ε = 1 and δ = n⁻²: there it is √(6 ln n)/n, ' +
        'of a larger order than the error of pure Laplace noise, ' +
        'which is O(1/n); at n = 10¹² it is the larger even without any constant',
      run() {
        const setting = { n: 1e12, dimension: 3, sparsity: 1, epsilon: 1 };
        const rate = Math.sqrt(3 * 2 * Math.log(setting.n)) / setting.n;
        return judge(1, above('the printed rate', rate, laplaceError(setting, 1 / 2)));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/tables',
      tier: 'exact',
      statement:
        'upper bounds of the tables are the theorems’ at constants 1 and a failure of 1/e, ' +
        'within a factor of 2, at two settings and nine n',
      power: 'a wrong power of any quantity',
      run() {
        const found: (Violation | undefined)[] = [];
        for (const setting of [
          { dimension: 1e6, sparsity: 20, epsilon: 1, delta: 1e-8 },
          { dimension: 1e10, sparsity: 1000, epsilon: 0.1, delta: 1e-15 },
        ])
          for (let n = 10; n <= 1e9; n *= 10)
            for (const { name, upper } of rateTables(setting)) {
              const theorem = theorems[name]({ ...setting, n });
              const what = `${name} at n = ${n}`;
              found.push(
                above(`half of the theorem’s, ${what}`, theorem / 2, upper(n)),
                above(`half of the table’s, ${what}`, upper(n) / 2, theorem),
              );
            }
        return judge(found.length, first(...found));
      },
    }),
  ];
}

interface Setting {
  readonly n: number;
  readonly dimension: number;
  readonly sparsity: number;
  readonly epsilon: number;
  readonly delta: number;
}

/** Dense rates under (ε, δ). */
const dense = ({ n, dimension, epsilon, delta }: Setting): number =>
  Math.sqrt(dimension * Math.log(1 / delta)) / (epsilon * n);
/** Output perturbation, Theorem 7.1: LD(s ln(1/δ) ln(d/β))^{1/4}/√(εn), and with δ = 0. */
const perturbed = ({ n, dimension, sparsity, epsilon, delta }: Setting): number =>
  (sparsity * Math.log(1 / delta) * Math.log(dimension * Math.E)) ** 0.25 / Math.sqrt(epsilon * n);
const perturbedPure = ({ n, dimension, sparsity, epsilon }: Setting): number =>
  Math.cbrt((sparsity * Math.log(dimension * Math.E)) / (epsilon * n));
const densePure = ({ n, dimension, epsilon }: Setting): number => dimension / (epsilon * n);

/** Rates of the theorems with their parameters L, D, B, H and Γ at 1, and logarithms of n left out. */
const theorems: Readonly<Record<string, (setting: Setting) => number>> = {
  'mean-pure': ({ n, dimension, sparsity, epsilon }) =>
    Math.min(
      1,
      Math.sqrt((sparsity * Math.log(dimension * Math.E)) / (epsilon * n)),
      Math.sqrt(sparsity * dimension) / (epsilon * n),
    ),
  'mean-approximate': (setting) =>
    Math.min(
      1,
      (setting.sparsity * Math.log(setting.dimension / setting.sparsity) * Math.log(1 / setting.delta)) **
        0.25 /
        Math.sqrt(setting.epsilon * setting.n),
      dense(setting),
    ),
  'convex-approximate': (setting) => Math.min(1, perturbed(setting), dense(setting)),
  'convex-approximate-population': (setting) =>
    Math.min(1, perturbed(setting), dense(setting)) + 1 / Math.sqrt(setting.n),
  'convex-pure': (setting) => Math.min(1, perturbedPure(setting), densePure(setting)),
  'convex-pure-population': (setting) =>
    Math.min(1, perturbedPure(setting), densePure(setting)) + 1 / Math.sqrt(setting.n),
  // The square of the norm is √(ΓH)·L√(ln n ln(1/δ))·[s ln(d/s) ln(1/δ)]^{1/4}/√(εn) and more of no larger
  // order.
  'stationarity-approximate': (setting) =>
    Math.min(
      1,
      Math.sqrt(
        (Math.sqrt(Math.log(1 / setting.delta)) *
          (setting.sparsity * Math.log(setting.dimension / setting.sparsity) * Math.log(1 / setting.delta)) **
            0.25) /
          Math.sqrt(setting.epsilon * setting.n),
      ),
      dense(setting) ** (2 / 3),
    ),
};
