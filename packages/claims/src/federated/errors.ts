import { defineClaimCheck, judge, type ClaimCheck, type Violation } from '@lethe/laws';
import { each } from '../common/each.js';
import { above, differs, first } from '../common/judging.js';
import { squaredNorm } from '../common/vectors.js';
import {
  averageOf,
  distance,
  minus,
  plus,
  quadratic,
  type RecordLoss,
} from '../recursive-gradients/paths.js';
import { mu2Path, zeros, type Mu2Instance, type Mu2Path } from './paths.js';
import type { FederatedSubject } from './subject.js';

const T = 4;
/** Losses `(λ/2)(x − a)²` on [−1, 1], with one curvature for all or three. */
const populations: readonly (readonly (readonly [curvature: number, centre: number])[])[] = [
  [
    [1, 1],
    [1, -1],
    [1, 0.5],
  ],
  [
    [1, 0.7],
    [0.2, -2],
    [0.6, 1.5],
  ],
  [
    [0, 0],
    [1, 1],
    [0.5, -1],
  ],
];
const lossesOf = (population: (typeof populations)[number]): readonly RecordLoss[] =>
  population.map(([curvature, centre]) => quadratic([curvature], [centre]));
const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one / values.length, 0);
const varianceOf = (values: readonly number[]): number => {
  const mean = meanOf(values);
  return meanOf(values.map((one) => (one - mean) ** 2));
};
/** `σ̃ = σ + 2σ_L D` on an interval of length 2: both variances are largest at an end. */
function deviationOf(population: (typeof populations)[number]): number {
  const at = (x: number): number =>
    varianceOf(population.map(([curvature, centre]) => curvature * (x - centre)));
  return (
    Math.sqrt(Math.max(at(-1), at(1))) +
    2 * 2 * Math.sqrt(varianceOf(population.map(([curvature]) => curvature)))
  );
}

/** One path for each sequence of records: all that a pass over independent records can be. */
interface Outcome {
  readonly records: readonly number[];
  readonly path: Mu2Path;
  /** `s_τ − s̄_τ`. */
  readonly differences: readonly (readonly number[])[];
  /** `q_t − t∇f(x_t)`. */
  readonly errors: readonly (readonly number[])[];
}

/** Rows 18 to 24 and 26: errors of the momentum, by enumeration of all sequences of records. */
export function errorChecks(subject: FederatedSubject): readonly ClaimCheck[] {
  const outcomesOf = (
    losses: readonly RecordLoss[],
    { rounds = T, ...rest }: Partial<Mu2Instance> & { readonly rounds?: number } = {},
  ): readonly Outcome[] => {
    const { gradient } = averageOf(losses);
    return each(losses.length ** rounds, (draw) => {
      const records = each(rounds, (k) => Math.floor(draw / losses.length ** k) % losses.length);
      const path = mu2Path(subject, {
        dimension: 1,
        losses,
        batches: records.map((record) => [record]),
        noise: each(rounds, (k) => [[0.4, -3, 0.5, 2, 0][k % 5]]),
        stepSize: 0.3,
        ...rest,
      });
      const { x, s, q } = path;
      return {
        records,
        path,
        differences: s.map((one, k) =>
          minus(
            one,
            plus(
              gradient(x[k]).map((g) => (k + 1) * g),
              -k,
              gradient(x[k - 1] ?? x[k]),
            ),
          ),
        ),
        errors: q.map((one, k) =>
          minus(
            one,
            gradient(x[k]).map((g) => (k + 1) * g),
          ),
        ),
      };
    });
  };
  const all = (
    of: (
      outcomes: readonly Outcome[],
      population: (typeof populations)[number],
    ) => readonly (Violation | undefined)[],
  ) =>
    judge(
      populations.length * 3 ** T,
      first(...populations.flatMap((population) => of(outcomesOf(lossesOf(population)), population))),
    );
  /** Outcomes with the same records before round `t`. */
  const histories = (outcomes: readonly Outcome[], t: number): readonly (readonly Outcome[])[] => {
    const groups = new Map<string, Outcome[]>();
    for (const outcome of outcomes) {
      const key = outcome.records.slice(0, t - 1).join();
      groups.set(key, [...(groups.get(key) ?? []), outcome]);
    }
    return [...groups.values()];
  };
  const average = (outcomes: readonly Outcome[], of: (outcome: Outcome) => readonly number[]): number[] =>
    outcomes.reduce((sum, outcome) => plus(sum, 1 / outcomes.length, of(outcome)), zeros(1));
  const square = (outcomes: readonly Outcome[], of: (outcome: Outcome) => readonly number[]): number =>
    meanOf(outcomes.map((outcome) => squaredNorm(of(outcome))));
  const exact = (name: string, statement: string, power: string, run: ClaimCheck['run']): ClaimCheck =>
    defineClaimCheck({ id: `reshef-levy/${name}`, tier: 'exact', statement, power, run });
  const rounds = each(T, (k) => k + 1);

  return [
    exact(
      'martingale',
      'E[s_t − s̄_t] = 0 given all records and noise before round t',
      'the old point of another record',
      () =>
        all((outcomes) =>
          rounds.flatMap((t) =>
            histories(outcomes, t).map((group) =>
              above(
                `the mean of round ${t}`,
                Math.abs(average(group, ({ differences }) => differences[t - 1])[0]),
                0,
                1e-12,
              ),
            ),
          ),
        ),
    ),
    exact('unbiased', 'E d_t = E ∇f(x_t)', 'the old point of another record', () =>
      all((outcomes) =>
        rounds.map((t) =>
          above(
            `the bias of round ${t}`,
            Math.abs(average(outcomes, ({ errors }) => errors[t - 1])[0]),
            0,
            1e-12,
          ),
        ),
      ),
    ),
    exact(
      'conditional-bias',
      'E[d_2 | x_2] = x_2 − z_1/2 and not ∇f(x_2), for ½(x − z)² with z = ±1',
      'momentum without the old records',
      () => {
        const outcomes = outcomesOf([quadratic([1], [1]), quadratic([1], [-1])], {
          rounds: 2,
          noise: [[0], [0]],
        });
        return judge(
          4,
          first(
            ...histories(outcomes, 2).flatMap((group) => {
              const [{ path, records }] = group;
              const d = average(group, ({ path: { q } }) => q[1])[0] / 2;
              const z = records[0] === 0 ? 1 : -1;
              return [
                above('E[d_2 | x_2] next to x_2 − z_1/2', Math.abs(d - (path.x[1][0] - z / 2)), 0, 1e-12),
                above('a bias of .49', 0.49, Math.abs(d - path.x[1][0])),
              ];
            }),
          ),
        );
      },
    ),
    exact(
      'lemma-6',
      'E‖Σ(s_τ − s̄_τ)‖² = Σ E‖s_τ − s̄_τ‖², and not so for terms with a drift',
      'increments that depend on later ones',
      () =>
        all((outcomes) => {
          const sums = outcomes.map(({ differences }) => differences.reduce((sum, [one]) => sum + one, 0));
          const apart = rounds.reduce(
            (sum, t) => sum + square(outcomes, ({ differences }) => differences[t - 1]),
            0,
          );
          const drifted = meanOf(sums.map((one) => (one + T) ** 2));
          const alone = rounds.reduce(
            (sum, t) => sum + square(outcomes, ({ differences }) => [differences[t - 1][0] + 1]),
            0,
          );
          return [
            differs('E‖Σ‖²', meanOf(sums.map((one) => one ** 2)), apart, 1e-9),
            above('the gap of drifting terms', alone + 1, drifted),
          ];
        }),
    ),
    exact(
      'lemma-4-variance',
      'E‖s_t − s̄_t‖² ≤ (σ + 2σ_L D)² at every history',
      'gradients three times as long',
      () =>
        all((outcomes, population) =>
          rounds.flatMap((t) =>
            histories(outcomes, t).map((group) =>
              above(
                `the variance of round ${t}`,
                square(group, ({ differences }) => differences[t - 1]),
                deviationOf(population) ** 2,
              ),
            ),
          ),
        ),
    ),
    exact('lemma-5', 'E‖q_t − t∇f(x_t)‖² ≤ σ̃² t', 'a record that is used in every round', () =>
      all((outcomes, population) =>
        rounds.map((t) =>
          above(
            `the error of round ${t}`,
            square(outcomes, ({ errors }) => errors[t - 1]),
            deviationOf(population) ** 2 * t,
          ),
        ),
      ),
    ),
    exact('lemma-5-equality', 'for ½‖x − z‖² it is t E‖z − E z‖²', 'weights one too large', () =>
      judge(
        3 ** T,
        first(
          ...rounds.map((t) =>
            differs(
              `the error of round ${t}`,
              square(outcomesOf(lossesOf(populations[0])), ({ errors }) => errors[t - 1]),
              t * varianceOf(populations[0].map(([, centre]) => centre)),
              1e-9,
            ),
          ),
        ),
      ),
    ),
    exact(
      'error-of-momentum',
      'E‖d_t − ∇f(x_t)‖² ≤ σ̃²/t, where gradients of single records have σ²',
      'momentum without the old records',
      () =>
        all((outcomes, population) => {
          const { gradient } = averageOf(lossesOf(population));
          return rounds.map((t) =>
            above(
              `the error of round ${t}`,
              square(outcomes, ({ path: { q, x } }) => [
                distance(
                  q[t - 1].map((one) => one / t),
                  gradient(x[t - 1]),
                ),
              ]),
              deviationOf(population) ** 2 / t,
            ),
          );
        }),
    ),
  ];
}
