import { gdp } from '@lethe/accountants';
import { meanShape, seededRandom, Unsupported } from '@lethe/core';
import { defineClaimCheck, gaussianCurve, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import fc from 'fast-check';
import { above, differs, first } from '../../common/judging.js';
import { minus, norm } from '../../common/vectors.js';
import { chiSquareAbove } from './chi-square.js';
import { sensitivityOf, sparseRecords, valueOf } from './released.js';
import type { MeansSubject } from './subject.js';

const golden = { slots: 1000, dimension: 10_000, sparsity: 5, epsilon: 1, delta: 1e-6 };
/** One measurement of a unit batch: every row is a vector of this many normal entries. */
const batchOfOne = { sparsity: 10, radius: 1, measurements: 1 };
const single = { ...batchOfOne, dimension: 100_000 };

/** Violation if a call is not refused as unsupported. */
function unsupported(what: string, call: () => unknown): Violation | undefined {
  try {
    call();
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
  return { what: `${what} is not refused`, measured: 1, allowed: 0 };
}

/** The norm of a row of normal entries on vectors of so many entries. */
const normOfRow = (entries: number): number => {
  const row = seededRandom('one measurement').gaussianInto(new Float64Array(single.dimension));
  return norm(row.map(Math.abs).toSorted().subarray(-entries));
};

/** Rows 21 to 25 and 100: how many measurements, what their matrix does to sparse vectors, and privacy. */
export function measurementChecks(subject: MeansSubject): readonly ClaimCheck[] {
  const { gaussianL1Recovery, gaussian, l1RecoveryPlan, sensingNormWithin } = subject;
  return [
    defineClaimCheck({
      id: 'ghazi/number-of-measurements',
      tier: 'exact',
      statement:
        'm = nε√(s ln(d/s)/ln(1/δ)) is s·K·ln(d/s) with K = nε/√(s ' +
        'ln(d/s) ln(1/δ)); 1658.57 and 43.64 at the golden setting',
      power: 'a relative error of 10⁻¹², at 60 settings',
      run() {
        const found: (Violation | undefined)[] = [
          differs('the golden m', l1RecoveryPlan(golden).exact, 1658.5711711349575, 1e-14),
          differs('the golden K', l1RecoveryPlan(golden).spread, 43.64142757950556, 1e-13),
        ];
        for (const slots of [1, 30, 1e6])
          for (const dimension of [3, 40, 1e6, 1e9])
            for (const sparsity of [1, 2])
              for (const [epsilon, delta] of [
                [1, 1e-9],
                [0.01, 0.3],
              ]) {
                const plan = l1RecoveryPlan({ slots, dimension, sparsity, epsilon, delta });
                const [log, ln] = [Math.log(dimension / sparsity), Math.log(1 / delta)];
                found.push(
                  differs('m', plan.exact, slots * epsilon * Math.sqrt((sparsity * log) / ln), 1e-12),
                  differs('K', plan.spread, (slots * epsilon) / Math.sqrt(sparsity * log * ln), 1e-12),
                  differs('s·K·ln(d/s)', sparsity * plan.spread * log, plan.exact, 1e-12),
                );
              }
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/branch',
      tier: 'exact',
      statement:
        'noise goes on the mean itself where d < m ln²m or d ≤ m, or records are not sparse, s > d/2; ' +
        'elsewhere there are fewer measurements than dimensions',
      power: 'certain at 4800 settings of n ≤ 60 and d ≤ 40',
      run() {
        let tried = 0;
        const isPrinted = l1RecoveryPlan(golden);
        const found: (Violation | undefined)[] = [
          differs(
            'm ln²m at the golden setting',
            isPrinted.exact * Math.log(isPrinted.exact) ** 2,
            91190,
            1e-3,
          ),
        ];
        for (let slots = 1; slots <= 60; slots++)
          for (let dimension = 1; dimension <= 40; dimension++)
            for (const sparsity of [1, 2].filter((s) => s <= dimension)) {
              const plan = l1RecoveryPlan({ slots, dimension, sparsity, epsilon: 1, delta: 0.01 });
              const isDense =
                subject.printedGaussianBranch(dimension, plan.exact) ||
                dimension <= plan.measurements ||
                2 * sparsity > dimension;
              tried++;
              const what = `n = ${slots}, d = ${dimension}, s = ${sparsity}`;
              found.push(
                differs(`the branch for ${what}`, Number(plan.branch === 'gaussian'), Number(isDense)),
                plan.branch === 'recovery'
                  ? above(`measurements for ${what}`, plan.measurements, dimension - 1)
                  : undefined,
              );
            }
        return judge(tried, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/branch-printed',
      tier: 'exact',
      statement:
        'as printed: where d ≥ m ln²m there are fewer measurements than dimensions, as for two ' +
        'measurements, where m ln²m is 0.96, in two dimensions',
      run() {
        const [dimension, measurements] = [2, 2];
        return judge(
          1,
          subject.printedGaussianBranch(dimension, measurements)
            ? undefined
            : above('measurements', measurements, dimension - 1),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/norm-of-measurements',
      tier: 'exact',
      statement:
        'a matrix of m rows of N(0, 1/m) entries stretches vectors of k entries by at most κ = 1 + √(k/m) ' +
        '+ √(2(ln C(d,k) + ln(1/β))/m), but with probability β; 1.808, 1.286 and 2.377 at golden settings',
      power:
        'a union over supports that is left out; the exact probability for one entry in up to 10⁹ ' +
        'columns, and for all columns of one row',
      run() {
        const found: (Violation | undefined)[] = [
          [{ measurements: 1134, dimension: 1e6, sparsity: 20 }, 1e-9 / 32, 1.808] as const,
          [{ measurements: 9067, dimension: 1e6, sparsity: 20 }, 1e-9 / 32, 1.286] as const,
          [{ measurements: 12, dimension: 8, sparsity: 2 }, 0.1, 2.377] as const,
        ].map(([sensing, failure, value]) =>
          differs('the golden κ', sensingNormWithin(sensing, failure), value, 4e-4),
        );
        for (const failure of [1e-9, 0.01, 0.5]) {
          for (const measurements of [2, 10, 200])
            for (const dimension of [1, 30, 1e5, 1e9]) {
              const kappa = sensingNormWithin({ measurements, dimension, sparsity: 1 }, failure);
              const one = chiSquareAbove(measurements, measurements * kappa ** 2);
              found.push(
                above(
                  `P[‖A‖ > κ] on one entry, m = ${measurements}, d = ${dimension}`,
                  -Math.expm1(dimension * Math.log1p(-one)),
                  failure,
                ),
              );
            }
          for (const dimension of [2, 20, 600]) {
            const kappa = sensingNormWithin({ measurements: 1, dimension, sparsity: dimension }, failure);
            found.push(
              above(
                `P[‖A‖ > κ] on all of ${dimension} columns, m = 1`,
                chiSquareAbove(dimension, kappa ** 2),
                failure,
              ),
            );
          }
        }
        return judge(found.length, first(...found));
      },
    }),
    defineClaimCheck({
      id: 'ghazi/unit-batches',
      tier: 'exact',
      statement:
        'at a batch of one record, m = 1, the row stretches vectors of 20 entries by more than 15, not ' +
        '3/2: the printed noise is ' +
        'refused there, the noise by κ is larger than that norm asks for, and the fallback is the projection',
      power: 'a norm below that of the row; a literal mode that takes one measurement',
      run() {
        const largest = normOfRow(2 * single.sparsity);
        const failure = 0.5e-6;
        const shape = { dimension: single.dimension, slots: 1 };
        const row = seededRandom('one measurement').gaussianInto(new Float64Array(single.dimension));
        const plan = { slots: 1, dimension: 1e6, sparsity: 10, epsilon: 1, delta: 1e-9, radius: 1 };
        return judge(
          5,
          first(
            above('15', 15, largest),
            above('the norm of the row', largest, subject.sparseNormBound(row, 1, 2 * single.sparsity)),
            above(
              'the norm of the row',
              largest,
              sensingNormWithin({ ...single, sparsity: 2 * single.sparsity }, failure),
            ),
            unsupported('the printed noise', () =>
              sensitivityOf(gaussianL1Recovery, { mode: 'literal', ...batchOfOne, failure }, shape),
            ),
            ...(['certified', 'literal'] as const).map((mode) =>
              subject.l1RecoveryOrProjection({ ...plan, mode }).mean.name === 'projection'
                ? undefined
                : { what: `${mode}: a unit batch is not projected`, measured: 1, allowed: 0 },
            ),
          ),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/unit-batches-printed',
      tier: 'exact',
      statement:
        'as Algorithm 3 uses it: the printed noise is (1, 10⁻⁶)-private at a batch of one record too, ' +
        'where one measurement is made',
      run() {
        const deviation = Math.sqrt(
          subject.printedRecoveryVariance({ ...single, n: 1, epsilon: 1, delta: 1e-6 }),
        );
        // Opposite records on the ten largest entries of the row.
        const moved = 2 * normOfRow(single.sparsity);
        return judge(
          1,
          above('δ(1) of the noised measurement', gaussianCurve(moved / deviation, 1).lower, 1e-6),
        );
      },
    }),
    defineClaimCheck({
      id: 'ghazi/verified-sensitivity',
      tier: 'search',
      statement:
        'with the matrix divided by an upper bound of its norm on sparse vectors, one record moves the ' +
        'measurements by at most 2L/n; opposite records on an axis attain it for s = 1',
      power: 'a relative error of 10⁻⁹, in 200 data sets each with a matrix of its own',
      run: (env) =>
        env.forAll(
          fc.tuple(
            sparseRecords.filter(({ dimension }) => dimension > 1),
            fc.nat(5),
            fc.nat(),
          ),
          ([{ dimension, sparsity, radius, records, other }, rows, seed]) => {
            const params = {
              mode: 'verified',
              radius,
              sparsity,
              measurements: 1 + (rows % (dimension - 1)),
            } as const;
            const declared = sensitivityOf(gaussianL1Recovery, params, { dimension, slots: records.length });
            const at = (row: readonly number[]): Float64Array =>
              valueOf(gaussianL1Recovery, params, [row, ...records.slice(1)], seed);
            const axes = Array.from({ length: dimension }, (_, j) =>
              [radius, -radius].map((x) => Array.from({ length: dimension }, (_2, i) => (i === j ? x : 0))),
            ).map(([up, down]) => norm(minus(at(up), at(down))));
            return first(
              differs('the declared sensitivity', declared, (2 * radius) / records.length),
              above(
                'how far a record moves the measurements',
                norm(minus(at(records[0]), at(other))),
                declared,
              ),
              above('how far an axis moves the measurements', Math.max(...axes), declared),
              sparsity === 1
                ? differs('how far the longest column moves them', Math.max(...axes), declared, 1e-8)
                : undefined,
            );
          },
          { runs: 200 },
        ),
    }),
    defineClaimCheck({
      id: 'ghazi/privacy-of-measurements',
      tier: 'exact',
      statement:
        'Algorithm 2 as it ships is (ε, δ)-private: δ(ε) of its event, noise at (ε, δ/2) and a failure ' +
        'of δ/2 when certified or literal, noise at (ε, δ) when verified, is at most δ, and so is the ' +
        'exact divergence for matrices that are drawn',
      power: 'a δ above by 10⁻⁹ of it; matrices of which one in 40 is beyond the declared norm',
      run() {
        const found: (Violation | undefined)[] = [];
        const shape = { dimension: 1000, slots: 30 };
        for (const delta of [1e-6, 1e-2])
          for (const epsilon of [0.1, 0.9]) {
            const failure = delta / 2;
            const common = { radius: 2, sparsity: 1, measurements: 900 };
            for (const params of [
              { mode: 'certified', ...common, failure },
              { mode: 'literal', ...common, failure },
              { mode: 'verified', ...common },
            ] as const) {
              const left = params.mode === 'verified' ? delta : failure;
              const multiplier = gaussian.multiplierFor({}, { epsilon, delta: left });
              const noise = gaussian.event({}, multiplier, { 'replace-one': 1 });
              const event = gaussianL1Recovery.event(params, noise, meanShape(shape));
              const at = gdp.delta(event, { adjacency: 'replace-one', epsilon });
              found.push(
                above(`δ(${epsilon}) of the event of ${params.mode}`, at.upper, delta),
                params.mode === 'verified'
                  ? undefined
                  : above(`what the event of ${params.mode} has besides noise`, delta * 0.999, at.upper, 0),
              );
            }
          }
        for (let seed = 0; seed < 40; seed++) {
          const [delta, epsilon, dimension] = [1e-3, 0.5, 8];
          const common = { radius: 1, sparsity: 2, measurements: 1 + (seed % 4) };
          for (const params of [
            { mode: 'certified', ...common, failure: delta / 2 },
            { mode: 'verified', ...common },
          ] as const) {
            const left = params.mode === 'verified' ? delta : delta / 2;
            const deviation =
              sensitivityOf(gaussianL1Recovery, params, { dimension, slots: 1 }) *
              gaussian.multiplierFor({}, { epsilon, delta: left });
            for (let j = 0; j < dimension; j++) {
              const row = Array.from({ length: dimension }, (_, i) =>
                i === j || i === (j + 1) % dimension ? 0.7 : 0,
              );
              const [a, b] = [row, row.map((x) => -x)].map((one) =>
                valueOf(gaussianL1Recovery, params, [one], seed),
              );
              found.push(
                above(
                  `δ(${epsilon}) of the noised measurements when ${params.mode}`,
                  gaussianCurve(norm(minus(a, b)) / deviation, epsilon).upper,
                  left,
                ),
              );
            }
          }
        }
        return judge(found.length, first(...found));
      },
    }),
  ];
}
