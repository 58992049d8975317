import { meanShape, seededRandom, type RandomSource } from '@lethe/core';
import { defineClaimCheck, judge, nonNegativeMean, type ClaimCheck, type Violation } from '@lethe/laws';
import fc, { type Arbitrary } from 'fast-check';
import { listOf, tenTo } from '../../common/inputs.js';
import { above, differs, first } from '../../common/judging.js';
import { dot, minus, norm } from '../../common/vectors.js';
import { l1RecoveryPlan } from '@lethe/mechanisms';
import { textbookMultiplier } from './formulas.js';
import { largest, norm1, runOf, sensitivityOf, sparseRecords } from './released.js';
import type { MeansSubject, RecoveredMean } from './subject.js';

/** Rows and columns of normal entries. */
interface Sensed {
  readonly rows: number;
  readonly columns: number;
  readonly seed: number;
}

const problems: Arbitrary<Sensed & { readonly truth: readonly number[]; readonly more: readonly number[] }> =
  fc
    .record({ rows: fc.integer({ min: 1, max: 6 }), extra: fc.integer({ min: 1, max: 9 }), seed: fc.nat() })
    .chain(({ rows, extra, seed }) =>
      fc.record({
        rows: fc.constant(rows),
        columns: fc.constant(rows + extra),
        seed: fc.constant(seed),
        truth: listOf(rows + extra, -2, 2),
        more: listOf(rows + extra, -3, 3),
      }),
    );

const matrixOf = ({ rows, columns, seed }: Sensed): Float64Array =>
  seededRandom(seed).gaussianInto(new Float64Array(rows * columns));

const applied = (matrix: Float64Array, rows: number, x: ArrayLike<number>): Float64Array =>
  Float64Array.from({ length: rows }, (_, i) =>
    Array.from(x).reduce((sum, entry, j) => sum + matrix[j * rows + i] * entry, 0),
  );

/** A constant for the second moment of Theorem 3.4: more than what holds, in all settings that are tried. */
const most = 16;
/** Measurements are made, few enough to solve for; an answer of 0 has 38 times the squared rate. */
const recovered = (() => {
  const setting = { slots: 250, dimension: 500, sparsity: 1, epsilon: 1, delta: 1e-3 };
  const rate = Math.sqrt(Math.log(setting.dimension) * Math.log(1 / setting.delta)) / setting.slots;
  return { setting, constant: 1 / 8, rate };
})();

/** The error of the certified mean for records on so many axes, with the printed multiplier. */
function recoveredError(mean: RecoveredMean, axes: number, random: RandomSource): number {
  const { setting, constant } = recovered;
  const { slots, dimension, sparsity, epsilon, delta } = setting;
  const { measurements } = l1RecoveryPlan({ ...setting, constant });
  const params = { mode: 'certified', radius: 1, sparsity, measurements, failure: delta / 2 } as const;
  const run = mean.begin(params, meanShape({ dimension, slots }), random.fork('matrix'));
  const truth = new Float64Array(dimension);
  for (let slot = 0; slot < slots; slot++) {
    const axis = 37 * (slot % axes);
    run.addSparse?.(slot, Uint32Array.of(axis), Float64Array.of(1));
    truth[axis] += 1 / slots;
  }
  const deviation =
    sensitivityOf(mean, params, { dimension, slots }) * textbookMultiplier(epsilon, delta / 2);
  const noise = random.fork('noise').gaussianInto(new Float64Array(measurements));
  return norm(minus(run.finish(run.value().map((x, i) => x + deviation * noise[i])), truth));
}

/** Rows 26 to 30 and 101 to 103: basis pursuit, and the error of Algorithm 2. */
export function recoveryChecks(subject: MeansSubject): readonly ClaimCheck[] {
  const { basisPursuit, gaussianL1Recovery, l1RecoveryPlan: planOf } = subject;
  const solved = (matrix: Float64Array, { rows, columns }: Sensed, target: Float64Array, tolerance = 1e-9) =>
    basisPursuit({
      matrix: { data: matrix, rows, columns, offset: 0, rowStride: 1, columnStride: rows },
      target,
      tolerance,
    });
  const noisy = sparseRecords
    .filter(({ dimension }) => dimension > 1)
    .chain((given) =>
      fc.record({
        given: fc.constant(given),
        rows: fc.integer({ min: 1, max: given.dimension - 1 }),
        noise: listOf(given.dimension, -9, 9),
        unit: tenTo(-2, 4),
      }),
    );
  return [
    defineClaimCheck({
      id: 'ghazi/basis-pursuit',
      tier: 'search',
      statement:
        'the answer has the measurements, and a λ with ‖Aᵀλ‖∞ ≤ 1 and ⟨b, ' +
        'λ⟩ = ‖z̃‖₁ shows that no other is shorter',
      power: 'a relative error of 10⁻⁷, in 150 problems of at most six rows',
      run: (env) =>
        env.forAll(
          problems,
          (problem) => {
            const matrix = matrixOf(problem);
            const target = applied(matrix, problem.rows, problem.truth);
            const { point, dual } = solved(matrix, problem, target);
            const columns = Array.from({ length: problem.columns }, (_, j) =>
              Math.abs(dot(matrix.subarray(j * problem.rows, (j + 1) * problem.rows), dual)),
            );
            const size = norm1(point);
            return first(
              above(
                'what the measurements are off by',
                largest(minus(applied(matrix, problem.rows, point), target)),
                0,
                1e-7 * largest(target),
              ),
              above('‖Aᵀλ‖∞', Math.max(...columns), 1, 1e-7),
              above('the ℓ1 norm', size, dot(target, dual), 1e-7 * size),
            );
          },
          { runs: 150 },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/noise-of-least-norm',
      tier: 'search',
      statement: '‖z̃‖₁ ≤ ‖z̄‖₁ + ‖w‖₁ for every w with Aw = ξ, where z̃ is the answer to Az̄ + ξ',
      power: 'a relative error of 10⁻⁷, in 150 problems of at most six rows',
      run: (env) =>
        env.forAll(
          problems,
          (problem) => {
            const { truth, more, rows } = problem;
            const matrix = matrixOf(problem);
            const { point } = solved(
              matrix,
              problem,
              applied(
                matrix,
                rows,
                truth.map((x, j) => x + more[j]),
              ),
            );
            const allowed = norm1(truth) + norm1(more);
            return above('the ℓ1 norm', norm1(point), allowed, 1e-7 * allowed);
          },
          // The noise makes up for the mean: the bound is attained by one entry.
          { runs: 150, examples: [{ rows: 1, columns: 2, seed: 1, truth: [0, 0], more: [0, 1] }] },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/largest-answer',
      tier: 'search',
      statement: 'recovered answers have ‖ẑ‖ ≤ 2L and ‖ẑ − z̄‖ ≤ 3L; longer ones are 0, as with huge noise',
      power: 'an answer that is scaled, in 200 data sets with noise of 10⁻² to 10⁴ times L',
      run: (env) =>
        env.forAll(
          noisy,
          ({ given, rows, noise, unit }) => {
            const { radius, sparsity, records, dimension } = given;
            const params = { mode: 'verified', radius, sparsity, measurements: rows } as const;
            const run = runOf(gaussianL1Recovery, params, records);
            const value = Float64Array.from(run.value());
            const mean = Float64Array.from(
              records[0],
              (_, j) => records.reduce((sum, row) => sum + row[j], 0) / records.length,
            );
            const answer = run.finish(value.map((x, i) => x + noise[i] * unit * radius)).slice();
            const huge = run
              .finish(value.map((x, i) => x + (noise[i] === 0 ? 1 : noise[i]) * 1e9 * radius))
              .slice();
            return first(
              above('the norm of the answer', norm(answer), 2 * radius),
              above('the error', norm(minus(answer, mean)), 3 * radius),
              above('the answer to huge noise', norm(huge), 0, 0),
              differs('entries of the answer', answer.length, dimension, 0),
            );
          },
          { runs: 200 },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/exact-recovery',
      tier: 'exact',
      statement:
        'without noise the mean is recovered: five entries out ' +
        'of 200 columns from 60 measurements, for three matrices',
      power: 'an entry off by 10⁻⁸',
      run() {
        const shape = { rows: 60, columns: 200 };
        const found = [1, 2, 3].map((seed): Violation | undefined => {
          const matrix = matrixOf({ ...shape, seed });
          const truth = Float64Array.from({ length: 200 }, (_, j) =>
            j % 40 === seed ? 1 - (j % 3) * 0.9 : 0,
          );
          const { point } = solved(matrix, { ...shape, seed }, applied(matrix, 60, truth));
          return above('the largest error of an entry', largest(minus(point, truth)), 0, 1e-8);
        });
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/averaged-draws',
      tier: 'exact',
      statement:
        'the average of K independent draws of sparse vectors with mean z̄ is off by (Σλ‖v‖² − ‖z̄‖²)/K ' +
        '≤ L²/K in expected square, so some vector of sK entries is within L/√K',
      power: 'a relative error of 10⁻⁹, over all lists of up to five draws from three laws',
      run() {
        const found: (Violation | undefined)[] = [];
        const laws = [
          {
            points: [
              [1, 0, 0],
              [0, 1, 0],
              [0, 0, -1],
            ],
            weights: [0.5, 0.3, 0.2],
          },
          {
            points: [
              [1, 0, 0],
              [-1, 0, 0],
            ],
            weights: [0.5, 0.5],
          },
          {
            points: [
              [0.6, 0.8, 0],
              [0, 0, 0],
              [0.1, 0, -0.3],
            ],
            weights: [0.1, 0.6, 0.3],
          },
        ];
        for (const { points, weights } of laws)
          for (let draws = 1; draws <= 5; draws++) {
            const mean = points[0].map((_, j) =>
              points.reduce((sum, point, i) => sum + weights[i] * point[j], 0),
            );
            let expected = 0;
            const visit = (left: number, weight: number, total: readonly number[]): void => {
              if (left === 0) {
                expected +=
                  weight *
                  norm(
                    minus(
                      total.map((x) => x / draws),
                      mean,
                    ),
                  ) **
                    2;
                return;
              }
              points.forEach((point, i) =>
                visit(
                  left - 1,
                  weight * weights[i],
                  total.map((x, j) => x + point[j]),
                ),
              );
            };
            visit(
              draws,
              1,
              mean.map(() => 0),
            );
            found.push(
              differs(
                `the expected square for K = ${draws}`,
                subject.averagedDraws(points, weights, draws),
                expected,
              ),
              above(`the expected square for K = ${draws}`, expected, 1 / draws),
            );
          }
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/recovery-error',
      tier: 'statistical',
      statement:
        'where d ≤ m, noise goes on the mean, and its expected square is at most nine times L²·min{d ' +
        'ln(1/δ)/(nε)², √(s ln(d/s) ln(1/δ))/(nε)} for δ ≤ 1/10; where measurements are made, it is at ' +
        'most 16 times that for means of one axis and of eight, with 30 measurements in 500 dimensions, ' +
        'and errors are at most 3L',
      power:
        'a factor 1.2 of the variance, at 60 settings; ' +
        'an expected square of 32 times the rate, from 40 draws',
      run(env) {
        const found: (Violation | undefined)[] = [];
        for (const dimension of [2, 10, 1000, 1e6])
          for (const sparsity of [1, 5].filter((s) => 2 * s <= dimension))
            for (const slots of [10, 1e3, 1e5, 1e7, 1e9])
              for (const delta of [0.1, 1e-4, 1e-12]) {
                const one = { slots, dimension, sparsity, epsilon: 0.5, delta };
                const plan = planOf(one);
                if (dimension > plan.exact) continue;
                const [log, n] = [Math.log(1 / delta), slots * 0.5];
                const rate = Math.min(
                  (dimension * log) / n ** 2,
                  Math.sqrt(sparsity * Math.log(dimension / sparsity) * log) / n,
                );
                const square = dimension * subject.printedGaussianVariance({ ...one, n: slots, radius: 1 });
                found.push(
                  differs('the branch', Number(plan.branch === 'gaussian'), 1, 0),
                  above(`the squared error over the rate at ${JSON.stringify(one)}`, square / rate, 9),
                );
              }
        for (const draws of [1, 8]) {
          const square = nonNegativeMean({ atMost: most * recovered.rate });
          for (let draw = 0; draw < env.samples(40); draw++) {
            const error = recoveredError(gaussianL1Recovery, draws, env.random(`${draws} axes, ${draw}`));
            found.push(above('the error', error, 3));
            square.push(error ** 2);
          }
          if (square.rejects(env.alpha / 2))
            found.push({
              what: `the expected squared error is above ${most} times the rate for a mean of ${draws} axes`,
              allowed: most * recovered.rate,
              logE: square.peak,
            });
        }
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/recovery-error-printed',
      tier: 'exact',
      statement:
        'as printed: the squared error is within a constant, here 16, of √(s ln(d/s) ln(1/δ))/(nε) for ' +
        'every d at least m, as at the largest d < m ln²m, where Algorithm 2 adds noise to the mean',
      run() {
        const one = { slots: 3000, sparsity: 1, epsilon: 1, delta: 1e-6 };
        // The largest dimension of the branch; m grows with its logarithm only.
        let dimension = 2;
        for (let by = 2 ** 30; by >= 1; by /= 2)
          if (
            subject.printedGaussianBranch(dimension + by, planOf({ ...one, dimension: dimension + by }).exact)
          )
            dimension += by;
        const square =
          dimension * subject.printedGaussianVariance({ ...one, dimension, n: one.slots, radius: 1 });
        const rate = Math.sqrt(Math.log(dimension) * Math.log(1 / one.delta)) / one.slots;
        return judge(1, above(`the squared error over the rate, d = ${dimension}`, square / rate, most));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/solver-sees-no-records',
      tier: 'search',
      statement:
        'matrix, measurements and event do not depend on the solver: the answer follows from randomness ' +
        'and noised measurements, the same for ' +
        'other records, and measurements stay as they are bit for bit',
      power: 'one bit, in 100 pairs of data sets',
      run: (env) =>
        env.forAll(
          noisy,
          ({ given, rows, noise, unit }) => {
            const { radius, sparsity, records, other } = given;
            const params = {
              mode: 'certified',
              radius,
              sparsity,
              measurements: rows,
              failure: 0.01,
            } as const;
            const noised = Float64Array.from({ length: rows }, (_, i) => noise[i] * unit * radius * 0.01);
            const answers = [records, [other, ...records.slice(1)]].map((data) => {
              const run = runOf(gaussianL1Recovery, params, data);
              const before = Float64Array.from(run.value());
              const answer = run.finish(noised.slice()).slice();
              return { answer, moved: norm(minus(run.value(), before)) };
            });
            return first(
              ...answers.map(({ moved }) => above('what measurements move', moved, 0, 0)),
              above('what other records move', norm(minus(answers[0].answer, answers[1].answer)), 0, 0),
            );
          },
          { runs: 100 },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/entries-of-answers',
      tier: 'search',
      statement: 'an answer has at most m entries that are not 0, at tolerances of 10⁻⁹ and 10⁻³',
      power: 'one entry, in 150 problems of at most six rows',
      run: (env) =>
        env.forAll(
          problems,
          (problem) => {
            const matrix = matrixOf(problem);
            const target = applied(matrix, problem.rows, problem.more);
            return first(
              ...[1e-9, 1e-3].map((tolerance) =>
                above(
                  'entries that are not 0',
                  solved(matrix, problem, target, tolerance).point.filter((x) => x !== 0).length,
                  problem.rows,
                ),
              ),
            );
          },
          { runs: 150 },
        ),
    }),
  ];
}
