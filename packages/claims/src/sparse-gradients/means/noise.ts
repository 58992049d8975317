import { defineClaimCheck, gaussianCurve, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { normalCdf } from '@lethe/numerics';
import { above, differs, first } from '../../common/judging.js';
import { chiSquareAbove } from './chi-square.js';
import type { Released } from './formulas.js';
import { norm1, sensitivityOf, valueOf } from './released.js';
import type { MeansSubject } from './subject.js';

const settings: readonly Released[] = [
  { radius: 1, sparsity: 4, dimension: 10, n: 100, epsilon: 0.5, delta: 1e-6 },
  { radius: 0.3, sparsity: 1, dimension: 3, n: 1, epsilon: 0.01, delta: 0.4 },
  { radius: 20, sparsity: 7, dimension: 7, n: 1e6, epsilon: 0.99, delta: 1e-12 },
];
const epsilons = [0.001, 0.01, 0.1, 0.3, 0.6, 0.9, 0.999999];
const deltas = [1e-12, 1e-9, 1e-5, 1e-3, 0.1, 0.5];
const shapeOf = ({ dimension, n }: Released) => ({ dimension, slots: n });
const paramsOf = ({ radius, sparsity }: Released) => ({ radius, sparsity });

/** `∫ 1 − F(t)^d dt` from 0, where F is the law of the size of one entry: `E‖ξ‖∞`. */
function expectedLargest(withinOf: (t: number) => number, dimension: number): number {
  const step = 1e-3;
  let sum = 0;
  for (let t = step / 2; t < 60; t += step) sum += -Math.expm1(dimension * Math.log(withinOf(t))) * step;
  return sum;
}

/** Rows 5 to 8, 14, 15, 20 and 31: noise of both algorithms, its privacy and its tails. */
export function noiseChecks(subject: MeansSubject): readonly ClaimCheck[] {
  const { laplace, classicalGaussian, gaussianL1Recovery, laplaceProjectionMechanism } = subject;
  /** What Algorithm 2 declares with the printed norm, at the first measurements that it takes. */
  const literalSensitivity = (given: Released): number => {
    const failure = given.delta / 2;
    const { dimension, sparsity, radius } = given;
    const measurements = subject.measurementsWithin({ norm: 1.5, dimension, sparsity }, failure);
    return sensitivityOf(
      gaussianL1Recovery,
      { mode: 'literal', radius, sparsity, measurements, failure },
      shapeOf(given),
    );
  };
  const wide: readonly Released[] = [
    { radius: 1, sparsity: 5, dimension: 10_000, n: 1000, epsilon: 1, delta: 1e-6 },
    { radius: 0.2, sparsity: 1, dimension: 1000, n: 30, epsilon: 0.1, delta: 1e-3 },
  ];
  return [
    defineClaimCheck({
      id: 'ghazi/laplace-scale',
      tier: 'exact',
      statement:
        'the Laplace noise of Algorithm 1 has the printed scale 2L√s/(nε), 0.08 at the golden setting',
      power: 'a relative error of 10⁻¹², at three settings',
      run: () =>
        judge(
          settings.length,
          first(
            ...settings.map((given) =>
              differs(
                'the scale of the noise',
                sensitivityOf(laplaceProjectionMechanism, paramsOf(given), shapeOf(given)) *
                  laplace.multiplierFor({}, { epsilon: given.epsilon, delta: 0 }),
                subject.printedLaplaceScale(given),
                1e-12,
              ),
            ),
            differs('the golden scale', subject.printedLaplaceScale(settings[0]), 0.08, 1e-12),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/laplace-privacy',
      tier: 'search',
      statement:
        'the largest logarithm of the density ratio of the noised means of neighbours is ‖shift‖₁/scale ' +
        '≤ ε, with equality for opposite flat records',
      power: 'a relative error of 10⁻⁹ of ε, at three settings with seven shifts each',
      run() {
        const found: (Violation | undefined)[] = [];
        for (const given of settings.map((one) => ({ ...one, n: 2 }))) {
          const { radius, sparsity, dimension, epsilon } = given;
          const scale =
            sensitivityOf(laplaceProjectionMechanism, paramsOf(given), shapeOf(given)) *
            laplace.multiplierFor({}, { epsilon, delta: 0 });
          for (let entries = 1; entries <= dimension; entries++) {
            const row = Array.from({ length: dimension }, (_, j) =>
              j < entries ? radius / Math.sqrt(entries) : 0,
            );
            const [a, b] = [row, row.map((x) => -x)].map((one) =>
              valueOf(laplaceProjectionMechanism, paramsOf(given), [one, row.map(() => 0)]),
            );
            // Beyond both means the ratio of densities is that of tails, and largest.
            const loss = Array.from(a, (x, j) => {
              const away = Math.abs(x - b[j]) / scale;
              return Math.log(laplace.cdf({}, -1)) - Math.log(laplace.cdf({}, -1 - away));
            }).reduce((sum, x) => sum + x, 0);
            const shift = norm1(a.map((x, j) => x - b[j]));
            found.push(
              differs(`the largest loss with ${entries} entries`, loss, shift / scale),
              above(`the largest loss with ${entries} entries`, loss, epsilon),
              entries === sparsity ? differs('the loss of flat records', loss, epsilon) : undefined,
            );
          }
        }
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/gaussian-variance',
      tier: 'exact',
      statement:
        'the Gaussian noise of Algorithm 1 has the printed ' +
        'variance 8L²ln(1.25/δ)/(nε)², 0.0449 at the golden setting',
      power: 'a relative error of 10⁻¹², at three settings',
      run: () =>
        judge(
          settings.length,
          first(
            ...settings.map((given) =>
              differs(
                'the variance of the noise',
                (sensitivityOf(subject.l1ProjectionMechanism, paramsOf(given), shapeOf(given)) *
                  classicalGaussian.multiplierFor({}, { epsilon: given.epsilon, delta: given.delta })) **
                  2,
                subject.printedGaussianVariance(given),
                1e-12,
              ),
            ),
            differs(
              'the golden variance',
              subject.printedGaussianVariance(settings[0]),
              0.04492369314969115,
              1e-14,
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/textbook-noise',
      tier: 'exact',
      statement: 'noise of √(2 ln(1.25/δ))/ε sensitivities is (ε, δ)-private for ε ≤ 1 and δ ≤ 1/2',
      power: 'a divergence above δ by a factor 10¹² at one of 48 pairs; a golden ratio off by a percent',
      run: () =>
        judge(
          epsilons.length * deltas.length,
          first(
            ...deltas.flatMap((delta) => [
              ...epsilons.map((epsilon) =>
                above(
                  `δ(${epsilon}) of the noise for δ = ${delta}`,
                  gaussianCurve(1 / classicalGaussian.multiplierFor({}, { epsilon, delta }), epsilon).upper,
                  delta,
                ),
              ),
              above(
                `δ(1) of the noise for δ = ${delta}`,
                gaussianCurve(1 / subject.textbookMultiplier(1, delta), 1).upper,
                delta,
              ),
            ]),
            ...[
              [1, 1e-5, 0.00411],
              [1, 0.5, 0.0942],
              [5, 0.5, 1.17],
              [8, 0.1, 2.36],
              [10, 1e-9, 1.23],
            ].map(([epsilon, delta, ratio]) =>
              differs(
                `δ(${epsilon})/δ for δ = ${delta}`,
                gaussianCurve(1 / subject.textbookMultiplier(epsilon, delta), epsilon).upper / delta,
                ratio,
                0.01,
              ),
            ),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/textbook-noise-printed',
      tier: 'exact',
      statement: 'as printed: that noise is (ε, δ)-private for every ε, as at ε = 8 and δ = 0.1',
      run: () =>
        judge(
          1,
          above(
            'δ(8) of the noise for δ = 0.1',
            gaussianCurve(1 / subject.textbookMultiplier(8, 0.1), 8).lower,
            0.1,
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/laplace-tails',
      tier: 'exact',
      statement:
        'd independent Laplace variables of scale 1 exceed ln(d/β) ' +
        'in size with probability at most β, and √d·ln(d/β) in ℓ2; ' +
        'the expected largest size is 1 + 1/2 + … + 1/d ≤ 1 + ln d, the expected square 2d',
      power: 'a relative error of 10⁻⁶, at six d and four β',
      run() {
        const found: (Violation | undefined)[] = [];
        const size = (t: number): number => laplace.cdf({}, t) - laplace.cdf({}, -t);
        for (const d of [1, 2, 3, 10, 100, 1000]) {
          const harmonic = Array.from({ length: d }, (_, i) => 1 / (i + 1)).reduce((sum, x) => sum + x, 0);
          found.push(
            differs(`E‖ξ‖∞ for d = ${d}`, expectedLargest(size, d), harmonic, 1e-6),
            above(`E‖ξ‖∞ for d = ${d}`, harmonic, subject.laplaceLargest(d)),
            differs('the variance of an entry', laplace.standardDeviation({}) ** 2, 2),
          );
          for (const beta of [1e-9, 1e-3, 0.1, 0.9]) {
            const { largest, length } = subject.laplaceQuantiles(d, beta);
            const beyond = -Math.expm1(d * Math.log1p(-2 * laplace.cdf({}, -largest)));
            found.push(
              above(`P[‖ξ‖∞ > ln(d/β)] for d = ${d}`, beyond, beta),
              above('the bound in ℓ2', Math.sqrt(d) * largest, length),
            );
          }
        }
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/gaussian-tails',
      tier: 'exact',
      statement:
        'd independent normal variables exceed √(2 ln(2d/β)) in size, and √d + √(2 ln(1/β)) in ℓ2, with ' +
        'probability at most β; the expected largest size is at most √(2 ln(2d)), the expected square d',
      power: 'the bounds without their factors 2, at six d and four β',
      run() {
        const found: (Violation | undefined)[] = [
          differs('the variance of an entry', subject.gaussian.standardDeviation({}) ** 2, 1),
        ];
        const size = (t: number): number => subject.gaussian.cdf({}, t) - subject.gaussian.cdf({}, -t);
        for (const d of [2, 4, 10, 100, 1000, 20_000]) {
          found.push(above(`E‖ξ‖∞ for d = ${d}`, expectedLargest(size, d), subject.gaussianLargest(d)));
          for (const beta of [1e-9, 1e-3, 0.1, 0.9]) {
            const { largest, length } = subject.gaussianQuantiles(d, beta);
            found.push(
              above(
                `P[‖ξ‖∞ > √(2 ln(2d/β))] for d = ${d}`,
                -Math.expm1(d * Math.log1p(-2 * normalCdf(-largest))),
                beta,
              ),
              // Terms underflow for more.
              d > 1000
                ? undefined
                : above(`P[‖ξ‖ > √d + √(2 ln(1/β))] for d = ${d}`, chiSquareAbove(d, length ** 2), beta),
            );
          }
        }
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/recovery-variance',
      tier: 'exact',
      statement:
        'the noise of Algorithm 2 is textbook noise for the sensitivity 3L/n at (ε, δ/2): its variance ' +
        'is 18L²ln(2.5/δ)/(nε)², 2.6517·10⁻⁴ at the golden setting',
      power: 'a relative error of 10⁻¹², at two settings',
      run: () =>
        judge(
          wide.length,
          first(
            ...wide.map((given) =>
              differs(
                'the variance of the noise',
                (literalSensitivity(given) * subject.textbookMultiplier(given.epsilon, given.delta / 2)) ** 2,
                subject.printedRecoveryVariance(given),
                1e-12,
              ),
            ),
            differs('the golden variance', subject.printedRecoveryVariance(wide[0]), 2.6517242e-4, 1e-7),
          ),
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/recovery-noise-privacy',
      tier: 'exact',
      statement:
        'the printed noise of Algorithm 2 is (ε, δ/2)-private for values that move by 3L/n in ℓ2, for ε ≤ 1',
      power: 'a sensitivity that is twice as large, at 24 pairs of ε and δ',
      run: () =>
        judge(
          24,
          first(
            ...[0.01, 0.1, 0.5, 1].flatMap((epsilon) =>
              deltas.map((delta) => {
                const given = { ...wide[0], epsilon, delta };
                const deviation = Math.sqrt(subject.printedRecoveryVariance(given));
                return above(
                  `δ(${epsilon}) of the noise for δ = ${delta}`,
                  gaussianCurve(literalSensitivity(given) / deviation, epsilon).upper,
                  delta / 2,
                );
              }),
            ),
          ),
        ),
    }),
  ];
}
