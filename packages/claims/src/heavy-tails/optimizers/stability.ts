import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import fc from 'fast-check';
import { both, firstOf } from '../../common/compare.js';
import { above, differs, first, noted } from '../../common/judging.js';
import { listOf, powers } from '../../common/inputs.js';
import {
  enumerated,
  ermInputs,
  generalisationGap,
  meanOver,
  minimiserOf,
  stabilityOf,
  type ErmInput,
} from './erm.js';
import {
  absoluteAt,
  kinkedInputs,
  kinkedRisk,
  populationRisk,
  regularisedRisk,
  squareAt,
  type Kinked,
} from './kinked.js';
import { eachSequence } from './problems.js';
import type { OptimizerSubject } from './subject.js';

type CheckOf = (subject: OptimizerSubject) => ClaimCheck;

/** Rounding of a difference of risks. */
const near = (what: string, got: number, want: number, size: number) =>
  Math.abs(got - want) <= 1e-11 * (1 + size)
    ? undefined
    : { what: `${what}: ${got} is not ${want}`, measured: got, allowed: want };

/** Row C48: Eq. 52. */
export const swapStability: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/swap-stability',
    tier: 'search',
    statement:
      'For the exact minimisers over n records before and after one of them is replaced: (λ/2)|A(X) − ' +
      'A(X^i)|² ≤ F̂_{X^i}(A(X)) − F̂_{X^i}(A(X^i)), with kinked losses on an interval; with equality ' +
      'where the loss is linear between the two.',
    power: 'A minimiser that is none, or of another problem; twice the left side.',
    run: (env) =>
      env.forAll(
        fc.record({
          records: fc.array(kinkedInputs([0, 0, 1]), { minLength: 1, maxLength: 8 }),
          other: kinkedInputs(),
          at: fc.nat(7),
          strength: powers(-4, 4),
          centre: fc.integer({ min: -4, max: 4 }).map((k) => k / 4),
          side: powers(-1, 3),
        }),
        ({ records, other, at, strength, centre, side }) => {
          const problem = {
            strength,
            centre: Math.max(-side, Math.min(side, centre)),
            lower: -side,
            upper: side,
          };
          const swapped = { ...problem, records: records.with(at % records.length, other) };
          const here = subject.kinkedMinimiser({ ...problem, records });
          const there = subject.kinkedMinimiser(swapped);
          const gap = regularisedRisk(swapped, here) - regularisedRisk(swapped, there);
          return above(
            '(λ/2)|A(X) − A(X^i)|²',
            (strength / 2) * (here - there) ** 2,
            gap,
            1e-11 * (1 + Math.abs(regularisedRisk(swapped, here))),
          );
        },
        {
          runs: 3000,
          examples: [
            { records: [absoluteAt(0.5)], other: absoluteAt(-0.5), at: 0, strength: 1, centre: 0, side: 4 },
            { records: [absoluteAt(8)], other: absoluteAt(-8), at: 0, strength: 1, centre: 0, side: 8 },
          ],
        },
      ),
  });

/** Row C49. */
export const swapIdentity: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/swap-identity',
    tier: 'search',
    statement: 'Σ_i n F̂_{X^i}(w) = (n − 1) n F̂_X(w) + n F̂_{X′}(w) for all data sets X, X′ and all w.',
    power: 'One part in 10¹⁰; n for n − 1.',
    run: (env) =>
      env.forAll(
        fc.record({
          pairs: fc.array(fc.tuple(kinkedInputs([0, 1]), kinkedInputs([0, 1])), {
            minLength: 1,
            maxLength: 8,
          }),
          w: fc.integer({ min: -40, max: 40 }).map((k) => k / 8),
        }),
        ({ pairs, w }) => {
          const records = pairs.map(([one]) => one);
          const others = pairs.map(([, other]) => other);
          const n = records.length;
          const sumOf = (all: readonly Kinked[]): number => n * kinkedRisk(all, w);
          const left = others.reduce((sum, other, i) => sum + sumOf(records.with(i, other)), 0);
          const right = subject.swappedRiskSum({ records: n, sum: sumOf(records), otherSum: sumOf(others) });
          return near(
            'Σ_i n F̂_{X^i}(w)',
            left,
            right,
            n * pairs.length * (Math.abs(sumOf(records)) + Math.abs(sumOf(others)) + 10),
          );
        },
        { runs: 500 },
      ),
  });

/** A table of outputs, for an algorithm that is not a minimiser. */
const tables = fc.array(fc.integer({ min: -8, max: 8 }), { minLength: 81, maxLength: 81 });

/** Row C50: Eq. 53. */
export const swapGapIdentity: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/swap-gap',
    tier: 'search',
    statement:
      '(1/n) E Σ_i [F̂_{X^i}(A(X)) − F̂_{X^i}(A(X^i))] = (1/n) E [F(A(X)) − F̂_X(A(X))], by all 3^2n ' +
      'pairs of data sets up to n = 4, for the exact minimiser and for arbitrary tables.',
    power: 'One part in 10¹⁰ of the sizes; a factor n.',
    run: (env) =>
      both(
        ...[false, true].map((arbitrary) =>
          env.forAll(
            fc.tuple(ermInputs(arbitrary ? 3 : 4), tables),
            ([input, table]) => {
              const { distribution, count } = input;
              const minimiser = minimiserOf(subject, input);
              const all = enumerated(input, (records, key) =>
                arbitrary ? table[key] / 4 : minimiser(records),
              );
              let left = 0;
              for (const sample of all.samples) {
                eachSequence(3, count, (others) => {
                  const chance =
                    sample.probability *
                    others.reduce((product, choice) => product * distribution.probabilities[choice], 1);
                  for (let i = 0; i < count; i++) {
                    const swapped = all.swapped(sample, i, others[i]);
                    left +=
                      (chance / count) *
                      (kinkedRisk(swapped.records, sample.output) -
                        kinkedRisk(swapped.records, swapped.output));
                  }
                });
              }
              return near(
                'what swaps cost on average',
                left,
                subject.swapGap({ records: count, gap: generalisationGap(distribution, all) }),
                10 * meanOver(all, ({ output, records }) => Math.abs(kinkedRisk(records, output))),
              );
            },
            { runs: 40 },
          ),
        ),
      ),
  });

/** `sup_w E|∇f|²` and the other quantities in the bounds. */
const momentOf = (subject: OptimizerSubject, { distribution, side }: ErmInput): number =>
  subject.secondMoment(distribution, -side, side);

/** By brute force: at the ends, the kinks, and on a grid, with the steeper subgradient of each record. */
function gridMoment({ distribution, side }: ErmInput): number {
  const points = [
    ...Array.from({ length: 65 }, (_, k) => (side * (k - 32)) / 32),
    ...distribution.records.map(({ at }) => at).filter((at) => Math.abs(at) <= side),
  ];
  const steepest = ({ below, above: right, at, curvature }: Kinked, w: number): number =>
    Math.max(
      w <= at ? (below + curvature * (w - at)) ** 2 : 0,
      w >= at ? (right + curvature * (w - at)) ** 2 : 0,
    );
  return Math.max(
    ...points.map((w) =>
      distribution.records.reduce(
        (sum, record, i) => sum + distribution.probabilities[i] * steepest(record, w),
        0,
      ),
    ),
  );
}

/** Row C51: Proposition 39. */
export const minimiserStability: CheckOf = (subject) => {
  let widest = 0;
  let largest = 0;
  return defineClaimCheck({
    id: 'lowy/minimiser-stability',
    tier: 'search',
    statement:
      'For the exact minimiser, α² ≤ 4r²/(λ²n²) and E (F − F̂)(A(X)) ≤ 2r²/(λn) with r² = sup_w E|∇f|² ' +
      'of the loss without its regulariser, by listing all data sets up to n = 5; for the mean of ' +
      'records inside the interval α² = 2Var/n² and the gap is Var/n.',
    power:
      'The values for means to one part in 10⁹, and r² to one in 10⁹ of its largest on a grid; a bound ' +
      'that is smaller than the share noted.',
    run: (env) =>
      noted(
        both(
          env.forAll(
            ermInputs(5),
            (input) => {
              const { distribution, count, strength } = input;
              const all = enumerated(input, minimiserOf(subject, input));
              const r2 = momentOf(subject, input);
              const run = { secondMoment: r2, strength, records: count };
              const alpha2 = stabilityOf(distribution, all);
              const gap = generalisationGap(distribution, all);
              const bound = subject.stabilityBound(run);
              const most = subject.generalisationBound(run);
              if (r2 > 0) {
                widest = Math.max(widest, alpha2 / bound);
                largest = Math.max(largest, gap / most);
              }
              return first(
                differs('r², by grid', r2, gridMoment(input)),
                above('α²', alpha2, bound),
                above('E (F − F̂)(A(X))', gap, most, 1e-11 * (1 + populationSize(input))),
              );
            },
            {
              runs: 150,
              examples: [
                {
                  distribution: {
                    records: [absoluteAt(-2), absoluteAt(2), absoluteAt(2)],
                    probabilities: [0.5, 0.25, 0.25],
                  },
                  count: 1,
                  strength: 1,
                  centre: 0,
                  side: 4,
                },
              ],
            },
          ),
          env.forAll(
            fc.tuple(listOf(3, -8, 8), listOf(3, 1, 6), fc.integer({ min: 1, max: 6 })),
            ([places, weights, count]) => {
              const total = weights.reduce((sum, one) => sum + one, 0);
              const distribution = {
                records: places.map((k) => squareAt(k / 4)),
                probabilities: weights.map((one) => one / total),
              };
              const input = { distribution, count, strength: 0, centre: 0, side: 2 };
              const mean = places.reduce((sum, k, i) => sum + (distribution.probabilities[i] * k) / 4, 0);
              const variance = places.reduce(
                (sum, k, i) => sum + distribution.probabilities[i] * (k / 4 - mean) ** 2,
                0,
              );
              const all = enumerated(input, minimiserOf(subject, input));
              const run = { secondMoment: momentOf(subject, input), strength: 1, records: count };
              return first(
                near('α² of a mean', stabilityOf(distribution, all), (2 * variance) / count ** 2, 0),
                near('E (F − F̂) of a mean', generalisationGap(distribution, all), variance / count, 0),
                near(
                  'r² of a mean',
                  run.secondMoment,
                  variance + Math.max((2 - mean) ** 2, (-2 - mean) ** 2),
                  0,
                ),
                above('α² of a mean', (2 * variance) / count ** 2, subject.stabilityBound(run)),
                above('E (F − F̂) of a mean', variance / count, subject.generalisationBound(run)),
              );
            },
            { runs: 60 },
          ),
        ),
        () => `largest α² over its bound ${widest.toFixed(3)}, gap over its bound ${largest.toFixed(3)}`,
      ),
  });
};

/** Magnitude of the two numbers whose difference is the gap. */
const populationSize = ({ distribution, side }: ErmInput): number =>
  Math.max(Math.abs(populationRisk(distribution, side)), Math.abs(populationRisk(distribution, -side)));

/** Row C52: Proposition 16. */
export const stableGap: CheckOf = (subject) => {
  let most = 0;
  return defineClaimCheck({
    id: 'lowy/stable-gap',
    tier: 'search',
    statement:
      'E (F − F̂)(A(X)) ≤ r²/(2ζ) + ζα²/2 for every ζ > 0, hence ≤ rα, for the exact minimiser, for the ' +
      'minimiser with two-point noise, and for arbitrary tables, by listing all data sets up to n = 4.',
    power: 'Half of the bound: linear losses reach 0.7 of it.',
    run: (env) =>
      noted(
        both(
          env.forAll(
            fc.tuple(
              ermInputs(4),
              fc.constantFrom('minimiser' as const, 'noisy' as const, 'table' as const),
              tables,
              fc.integer({ min: 1, max: 8 }).map((k) => k / 4),
              powers(-8, 8),
            ),
            ([input, algorithm, table, noise, zeta]) => {
              const { distribution, side } = input;
              const minimiser = minimiserOf(subject, input);
              const into = (w: number): number => Math.max(-side, Math.min(side, w));
              // Both data sets share the random sign, so this is the average over two algorithms.
              const moves = (algorithm === 'noisy' ? [noise, -noise] : [0]).map((move) =>
                enumerated(input, (records, key) =>
                  into(algorithm === 'table' ? table[key] / 4 : minimiser(records) + move),
                ),
              );
              const secondMoment = momentOf(subject, input);
              const stability = moves.reduce(
                (sum, all) => sum + stabilityOf(distribution, all) / moves.length,
                0,
              );
              const gap = moves.reduce(
                (sum, all) => sum + generalisationGap(distribution, all) / moves.length,
                0,
              );
              const slack = 1e-11 * (1 + populationSize(input));
              const best = Math.sqrt(secondMoment * stability);
              if (best > 1e-6) most = Math.max(most, gap / best);
              return first(
                above(
                  'E (F − F̂)(A(X))',
                  gap,
                  subject.stableGapBound({ secondMoment, stability, zeta }),
                  slack,
                ),
                best === 0
                  ? undefined
                  : above(
                      'E (F − F̂)(A(X))',
                      gap,
                      subject.stableGapBound({
                        secondMoment,
                        stability,
                        zeta: Math.sqrt(secondMoment / stability),
                      }),
                      slack,
                    ),
                best === 0
                  ? undefined
                  : differs(
                      'the bound at its best ζ',
                      subject.stableGapBound({
                        secondMoment,
                        stability,
                        zeta: Math.sqrt(secondMoment / stability),
                      }),
                      best,
                    ),
              );
            },
            { runs: 250 },
          ),
          // A linear loss of mean 0, and the minimiser of its regularised average: the gap is r α/√2.
          env.forAll(
            fc.integer({ min: 1, max: 5 }),
            (count) => {
              const slope = (one: number): Kinked => ({ below: one, above: one, at: 0, curvature: 0 });
              const input = {
                distribution: { records: [slope(1), slope(-1), slope(0)], probabilities: [0.25, 0.25, 0.5] },
                count,
                strength: 1,
                centre: 0,
                side: 2,
              };
              const all = enumerated(input, minimiserOf(subject, input));
              const secondMoment = momentOf(subject, input);
              const stability = stabilityOf(input.distribution, all);
              const gap = generalisationGap(input.distribution, all);
              return first(
                differs('the gap of a linear loss', gap, 0.5 / count),
                differs('α² of a linear loss', stability, 1 / count ** 2),
                above(
                  'the gap of a linear loss',
                  gap,
                  subject.stableGapBound({
                    secondMoment,
                    stability,
                    zeta: Math.sqrt(secondMoment / stability),
                  }),
                ),
              );
            },
            { runs: 10 },
          ),
        ),
        () => `largest gap over rα ${most.toFixed(3)}`,
      ),
  });
};

/** Row C53: Proposition 40. */
export const regularisedExcess: CheckOf = (subject) => {
  let most = 0;
  return defineClaimCheck({
    id: 'lowy/regularised-excess',
    tier: 'search',
    statement:
      'E F(ŵ) − F(y) ≤ 2r²/(λn) + (λ/2)|y − w_0|² for every y in the interval, ' +
      'on a grid that contains the kinks; r² is the uncentred moment of the ' +
      'loss without its regulariser; by listing all data sets up to n = 5.',
    power: 'Either term left out, or the second an eighth; one part in 10⁹ of r².',
    run: (env) =>
      noted(
        env.forAll(
          ermInputs(5),
          (input) => {
            const { distribution, count, strength, centre, side } = input;
            const all = enumerated(input, minimiserOf(subject, input));
            const r2 = momentOf(subject, input);
            const expected = meanOver(all, ({ output }) => populationRisk(distribution, output));
            const slack = 1e-11 * (1 + populationSize(input));
            const grid = [
              centre,
              ...distribution.records.map(({ at }) => at).filter((at) => Math.abs(at) <= side),
              ...Array.from({ length: 17 }, (_, k) => (side * (k - 8)) / 8),
            ];
            return first(
              differs('r², by grid', r2, gridMoment(input)),
              firstOf(
                grid.map((y) => {
                  const bound = subject.regularisedExcessBound({
                    secondMoment: r2,
                    strength,
                    records: count,
                    distance: (y - centre) ** 2,
                  });
                  if (bound > 1e-9)
                    most = Math.max(most, (expected - populationRisk(distribution, y)) / bound);
                  return above(`E F(ŵ) − F(${y})`, expected - populationRisk(distribution, y), bound, slack);
                }),
              ),
            );
          },
          {
            runs: 300,
            examples: [
              // A strong regulariser: ŵ stays near the centre, and the excess risk is a quarter of λ|y −
              // w_0|² …
              {
                distribution: {
                  records: [
                    { below: -1, above: -1, at: 0, curvature: 0 },
                    { below: -1, above: -1, at: 0, curvature: 0 },
                    { below: -1, above: 0, at: 0.5, curvature: 0 },
                  ],
                  probabilities: [0.5, 0.25, 0.25],
                },
                count: 1,
                strength: 1,
                centre: -2,
                side: 2,
              },
              // … and with the centre at the minimiser only the noise of the sample is left.
              {
                distribution: {
                  records: [squareAt(1), squareAt(-1), squareAt(0)],
                  probabilities: [0.25, 0.25, 0.5],
                },
                count: 1,
                strength: 1,
                centre: 0,
                side: 1,
              },
            ],
          },
        ),
        () => `largest share of the bound ${most.toFixed(3)}`,
      ),
  });
};
