import { domainAt, meanShape, seededRandom } from '@lethe/core';
import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { l1Clip, laplace, l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { normalCdf } from '@lethe/numerics';

import fc, { type Arbitrary } from 'fast-check';
import { listOf, tenTo } from '../../common/inputs.js';
import { above, differs, first } from '../../common/judging.js';
import { dot, minus, norm } from '../../common/vectors.js';
import type { Quantiles, Released } from './formulas.js';
import {
  answered,
  averageOf,
  largest,
  sensitivityOf,
  sparseRecords,
  type SparseRecords,
} from './released.js';
import type { MeansSubject, ProjectedMean } from './subject.js';

/** A data set, a target, and noise in units of what it exceeds rarely. */
interface Case {
  readonly given: SparseRecords;
  readonly noise: readonly number[];
  readonly epsilon: number;
  readonly delta: number;
  readonly beta: number;
}

const cases: Arbitrary<Case> = sparseRecords.chain((given) =>
  fc.record({
    given: fc.constant(given),
    noise: listOf(given.dimension, -8, 8),
    epsilon: tenTo(-2, 0),
    delta: tenTo(-9, -1),
    beta: tenTo(-6, -1),
  }),
);

const releasedOf = ({ given, epsilon, delta }: Case): Released => ({
  radius: given.radius,
  sparsity: given.sparsity,
  dimension: given.dimension,
  n: given.records.length,
  epsilon,
  delta,
});

/**
 * The error on the event that the noise has the size it rarely exceeds, in whichever norm the smaller bound
 * is for, is at most that bound.
 */
function withinBound(
  one: Case,
  mean: ProjectedMean,
  scale: number,
  quantiles: Quantiles,
  bounds: { readonly printed: number; readonly shipped: number },
): Violation | undefined {
  const { given, noise } = one;
  const { radius, sparsity } = given;
  const isZero = largest(noise) === 0;
  const tries = [
    noise.map((x) => (isZero ? 0 : (x / largest(noise)) * quantiles.largest * scale)),
    noise.map((x) => (isZero ? 0 : (x / norm(noise)) * quantiles.length * scale)),
  ];
  const byLemma = Math.sqrt(2 * radius * Math.sqrt(sparsity) * quantiles.largest * scale);
  const byLength = quantiles.length * scale;
  return first(
    differs('the bound that ships', bounds.shipped, bounds.printed, 1e-9),
    differs('the printed bound', bounds.printed, Math.min(byLemma, byLength), 1e-9),
    ...[byLemma, byLength].map((bound, i) => {
      const { mean: value, answer } = answered(mean, { radius, sparsity }, given.records, tries[i]);
      return above(
        i === 0 ? 'the error for noise of that largest entry' : 'the error for noise of that length',
        norm(minus(answer, value)),
        bound,
        1e-6 * (bound + radius),
      );
    }),
  );
}

/** `E‖answer − mean‖²` in two dimensions by the midpoint rule, 12 scales each way. */
function squaredError(
  mean: ProjectedMean,
  record: readonly number[],
  scale: number,
  density: (x: number) => number,
): number {
  const cells = 72;
  const step = 24 / cells;
  const axis = Array.from({ length: cells }, (_, i) => -12 + (i + 0.5) * step);
  const weights = axis.map((x) => density(x) * step);
  const total = weights.reduce((sum, x) => sum + x, 0);
  let sum = 0;
  axis.forEach((x, i) =>
    axis.forEach((y, j) => {
      const weight = (weights[i] * weights[j]) / total ** 2;
      if (weight < 1e-9) return;
      const { mean: value, answer } = answered(
        mean,
        { radius: 1, sparsity: 1 },
        [record],
        [x * scale, y * scale],
      );
      sum += weight * norm(minus(answer, value)) ** 2;
    }),
  );
  return sum;
}

/** Rows 16 to 18, 127 and 128: errors of Algorithm 1, and what they are compared with. */
export function errorChecks(subject: MeansSubject): readonly ClaimCheck[] {
  const { laplaceProjectionMechanism, l1ProjectionMechanism, projectionMechanism } = subject;
  return [
    defineClaimCheck({
      id: 'ghazi/pure-error',
      tier: 'search',
      statement:
        'on the event ‖ξ‖∞ ≤ scale·ln(d/β), of probability 1 − β at least, ' +
        'Algorithm 1 with δ = 0 errs by at most min{2L√(sd)·ln(d/β)/(nε), ' +
        '2L√(s ln(d/β)/(nε))}; in one dimension the probability of more is at most β',
      power: 'a relative error of 10⁻⁶, in 300 data sets with adversarial noise',
      run: (env) =>
        env.forAll(
          cases,
          (one) => {
            const { given, beta } = one;
            const released = releasedOf(one);
            const scale = subject.printedLaplaceScale(released);
            const printed = subject.pureError(released, beta);
            // A mean of −L errs by noise above 0 alone, up to 2L.
            const line = { ...released, dimension: 1, sparsity: 1 };
            const alone = subject.pureError(line, beta);
            const beyond =
              alone >= 2 * given.radius ? 0 : laplace.cdf({}, -alone / subject.printedLaplaceScale(line));
            return first(
              withinBound(
                one,
                laplaceProjectionMechanism,
                scale,
                subject.laplaceQuantiles(given.dimension, beta),
                {
                  printed,
                  shipped: subject.projectionErrorWithin(
                    {
                      noise: 'laplace',
                      scale,
                      dimension: given.dimension,
                      l1Radius: given.radius * Math.sqrt(given.sparsity),
                    },
                    beta,
                  ),
                },
              ),
              above('the probability of a larger error in one dimension', beyond, beta),
            );
          },
          { runs: 300 },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/approximate-error',
      tier: 'search',
      statement:
        'on events of probability 1 − β at least, Algorithm 1 with δ > 0 errs by at most ' +
        '2√2·L·min{√ln(1.25/δ)·(√d + √(2 ln(1/β)))/(nε), (s ln(1.25/δ) ln(2d/β))^¼/√(nε)}',
      power: 'a relative error of 10⁻⁶, in 300 data sets with adversarial noise, for both sets',
      run: (env) =>
        env.forAll(
          cases,
          (one) => {
            const { given, beta } = one;
            const released = releasedOf(one);
            const scale = Math.sqrt(subject.printedGaussianVariance(released));
            const line = { ...released, dimension: 1, sparsity: 1 };
            const alone = subject.approximateError(line, beta);
            const beyond =
              alone >= 2 * given.radius
                ? 0
                : normalCdf(-alone / Math.sqrt(subject.printedGaussianVariance(line)));
            return first(
              ...[projectionMechanism, l1ProjectionMechanism].map((mean) =>
                withinBound(one, mean, scale, subject.gaussianQuantiles(given.dimension, beta), {
                  printed: subject.approximateError(released, beta),
                  shipped: subject.projectionErrorWithin(
                    {
                      noise: 'gaussian',
                      scale,
                      dimension: given.dimension,
                      l1Radius: given.radius * Math.sqrt(given.sparsity),
                    },
                    beta,
                  ),
                }),
              ),
              above('the probability of a larger error in one dimension', beyond, beta),
            );
          },
          { runs: 300 },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/squared-error',
      tier: 'exact',
      statement:
        'E‖ẑ − z̄‖² ≤ min{d·variance, 2L√s·E‖ξ‖∞}: the smaller of 8L²sd/(nε)² and 4L²s(1 + ln d)/(nε) ' +
        'for Laplace noise, of 8dL²ln(1.25/δ)/(nε)² and 8L²√(s ln(1.25/δ) ln(2d))/(nε) for Gaussian ' +
        'noise; with little noise it is attained',
      power:
        'a relative error of 2 %, by quadrature in two dimensions at three scales, on an axis and inside',
      run() {
        const found: (Violation | undefined)[] = [];
        for (const [noise, mean, density, perEntry] of [
          ['laplace', laplaceProjectionMechanism, (x: number) => Math.exp(-Math.abs(x)) / 2, 2],
          ['gaussian', projectionMechanism, (x: number) => Math.exp((-x * x) / 2), 1],
          ['gaussian', l1ProjectionMechanism, (x: number) => Math.exp((-x * x) / 2), 1],
        ] as const) {
          for (const scale of [0.02, 0.3, 3])
            for (const record of [
              [0.25, 0.25],
              [-1, 0],
            ]) {
              const measured = squaredError(mean, record, scale, density);
              const allowed = subject.projectionMeanSquaredError({ noise, scale, dimension: 2, l1Radius: 1 });
              found.push(above(`E‖ẑ − z̄‖² at scale ${scale}`, measured, allowed, 0.02 * allowed));
              const inside = 2 * perEntry * scale ** 2;
              if (scale === 0.02 && record[0] === 0.25)
                found.push(differs('E‖ẑ − z̄‖² with little noise', measured, inside, 0.02));
            }
          for (const one of [
            { radius: 2, sparsity: 3, dimension: 40, n: 50, epsilon: 0.5, delta: 1e-4 },
            { radius: 1, sparsity: 20, dimension: 1e5, n: 1e4, epsilon: 1, delta: 1e-8 },
          ]) {
            const { radius: L, sparsity: s, dimension: d, n, epsilon, delta } = one;
            const log = Math.log(1.25 / delta);
            const [scale, expected] =
              noise === 'laplace'
                ? [
                    subject.printedLaplaceScale(one),
                    Math.min(
                      (8 * L ** 2 * s * d) / (n * epsilon) ** 2,
                      (4 * L ** 2 * s * subject.laplaceLargest(d)) / (n * epsilon),
                    ),
                  ]
                : [
                    Math.sqrt(subject.printedGaussianVariance(one)),
                    Math.min(
                      (8 * d * L ** 2 * log) / (n * epsilon) ** 2,
                      (8 * L ** 2 * Math.sqrt(s * log * Math.log(2 * d))) / (n * epsilon),
                    ),
                  ];
            found.push(
              differs(
                'the bound that ships',
                subject.projectionMeanSquaredError({
                  noise,
                  scale,
                  dimension: d,
                  l1Radius: L * Math.sqrt(s),
                }),
                expected,
              ),
            );
          }
        }
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/linear-losses',
      tier: 'search',
      statement:
        'for f(x, z) = −⟨z, x⟩ on the unit ball, F(x) − F(x*) = ‖z̄‖ − ⟨x, z̄⟩ with x* = z̄/‖z̄‖, and ' +
        'gradients have the entries of records: a minimiser estimates a direction of the mean',
      power: 'a relative error of 10⁻⁹, in 200 data sets',
      run: (env) =>
        env.forAll(
          sparseRecords.chain((given) => fc.tuple(fc.constant(given), listOf(given.dimension, -5, 5))),
          ([{ dimension, sparsity, radius, records }, point]) => {
            const ball = domainAt(mechanisms, l2BallDomain({ radius: 1 }), dimension);
            const x = ball.projectInto(new Float64Array(dimension), Float64Array.from(point));
            const mean = averageOf(records);
            const size = norm(mean);
            const best = mean.map((entry) => (size === 0 ? 0 : entry / size));
            const risk = (at: Float64Array): number =>
              records.reduce(
                (sum, row) =>
                  sum + subject.linear.value({}, at, { features: Float64Array.from(row), label: 0 }),
                0,
              ) / records.length;
            const gradient = new Float64Array(dimension);
            return first(
              above(
                'the difference of the excess risk',
                Math.abs(risk(x) - risk(best) - (size - dot(x, mean))),
                0,
                1e-9 * radius,
              ),
              above('the least risk', risk(best), risk(x), 1e-9 * radius),
              ...records.map((row) => {
                subject.linear.gradientInto({}, gradient, x, { features: Float64Array.from(row), label: 0 });
                return above('entries of a gradient', gradient.filter((g) => g !== 0).length, sparsity);
              }),
            );
          },
          { runs: 200 },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/large-data-sets',
      tier: 'search',
      statement:
        'Algorithm 1 with δ = 0 has √(s/d) times the noise of the dense Laplace mechanism, whose ℓ1 ' +
        'radius is L√d, and at most ' +
        '√(s/d) times its error where that adds the same noise: √(sd)/(εn) against d/(εn)',
      power: 'a relative error of 10⁻⁹, on 50 draws of noise for each of three shapes',
      run() {
        const found: (Violation | undefined)[] = [];
        const random = seededRandom('coins of a large data set');
        for (const [dimension, sparsity, slots] of [
          [8, 1, 1000],
          [50, 3, 4],
          [6, 6, 1],
        ] as const) {
          const dense = {
            clip: l1Clip({ radius: Math.sqrt(dimension) }),
            mechanism: laplace({}),
          };
          const [whole, sparse] = [
            subject.clippedMean.sensitivity(dense, meanShape({ dimension, slots, registry: mechanisms }))[
              'replace-one'
            ] ?? Number.NaN,
            sensitivityOf(laplaceProjectionMechanism, { radius: 1, sparsity }, { dimension, slots }),
          ];
          const ratio = Math.sqrt(sparsity / dimension);
          found.push(differs('the ratio of scales', sparse / whole, ratio));
          const record = Array.from({ length: dimension }, (_, j) =>
            j < sparsity ? 1 / Math.sqrt(sparsity) : 0,
          );
          const records = Array.from({ length: Math.min(slots, 4) }, () => record);
          for (let draw = 0; draw < 50; draw++) {
            const noise = random.laplaceInto(new Float64Array(dimension));
            const { mean, answer } = answered(
              laplaceProjectionMechanism,
              { radius: 1, sparsity },
              records,
              noise.map((x) => x * sparse),
            );
            found.push(
              above(
                'the error of Algorithm 1',
                norm(minus(answer, mean)),
                ratio * whole * norm(noise),
                1e-9 * (1 + whole * norm(noise)),
              ),
            );
          }
        }
        return judge(found.length, first(...found));
      },
    }),
  ];
}
