import fc, { type Arbitrary } from 'fast-check';
import { listOf, powers } from '../../common/inputs.js';
import {
  kinkedInputs,
  kinkedRisk,
  populationRisk,
  squareAt,
  type DiscreteDistribution,
  type Kinked,
} from './kinked.js';
import { eachSequence } from './problems.js';
import type { OptimizerSubject } from './subject.js';

/** A distribution on three records, and the regularised problem with `n` of them on `[−side, side]`. */
export interface ErmInput {
  readonly distribution: DiscreteDistribution;
  readonly count: number;
  readonly strength: number;
  readonly centre: number;
  readonly side: number;
}

const probabilities = listOf(3, 1, 6).map((weights) =>
  weights.map((weight) => weight / weights.reduce((sum, one) => sum + one, 0)),
);

/** Random problems, of losses with kinks only or of squared distances only. */
export const ermInputs = (most: number): Arbitrary<ErmInput> =>
  fc
    .record({
      distribution: fc.record({
        records: fc.oneof(
          fc.array(kinkedInputs(), { minLength: 3, maxLength: 3 }),
          listOf(3, -8, 8).map((all) => all.map((k) => squareAt(k / 4))),
        ),
        probabilities,
      }),
      count: fc.integer({ min: 1, max: most }),
      strength: powers(-4, 4),
      centre: fc.integer({ min: -8, max: 8 }).map((k) => k / 4),
      side: fc.integer({ min: 2, max: 16 }).map((k) => k / 4),
    })
    .map((input) => ({ ...input, centre: Math.max(-input.side, Math.min(input.side, input.centre)) }));

/** A data set: the record at each position, and its probability. */
export interface Sample {
  readonly choices: readonly number[];
  readonly records: readonly Kinked[];
  readonly probability: number;
  readonly output: number;
}

const keyOf = (choices: readonly number[]): number => choices.reduce((key, choice) => 3 * key + choice, 0);

/**
 * All data sets of a distribution with an algorithm's output on each; two independent data sets have the
 * product distribution.
 */
export interface Enumerated {
  readonly samples: readonly Sample[];
  /** The data set with record `choice` of the distribution at position `i`. */
  readonly swapped: (sample: Sample, i: number, choice: number) => Sample;
}

/** Lists every data set, and runs `algorithm` on each. */
export function enumerated(
  { distribution, count }: Pick<ErmInput, 'distribution' | 'count'>,
  algorithm: (records: readonly Kinked[], key: number) => number,
): Enumerated {
  const byKey: Sample[] = [];
  eachSequence(3, count, (drawn) => {
    const choices = [...drawn];
    const records = choices.map((choice) => distribution.records[choice]);
    const key = keyOf(choices);
    byKey[key] = {
      choices,
      records,
      probability: choices.reduce((product, choice) => product * distribution.probabilities[choice], 1),
      output: algorithm(records, key),
    };
  });
  return { samples: byKey, swapped: ({ choices }, i, choice) => byKey[keyOf(choices.with(i, choice))] };
}

/** Expectation over data sets. */
export const meanOver = ({ samples }: Enumerated, value: (sample: Sample) => number): number =>
  samples.reduce((sum, sample) => sum + sample.probability * value(sample), 0);

/** `E (F − F̂_X)(A(X))`. */
export const generalisationGap = (distribution: DiscreteDistribution, all: Enumerated): number =>
  meanOver(all, ({ output, records }) => populationRisk(distribution, output) - kinkedRisk(records, output));

/** `E (1/n) Σ_i |A(X) − A(X^i)|²`, where the replacing record is independent of all others. */
export const stabilityOf = ({ probabilities: chances }: DiscreteDistribution, all: Enumerated): number =>
  meanOver(
    all,
    (sample) =>
      sample.choices.reduce(
        (sum, _, i) =>
          sum +
          chances.reduce(
            (inner, chance, choice) =>
              inner + chance * (sample.output - all.swapped(sample, i, choice).output) ** 2,
            0,
          ),
        0,
      ) / sample.choices.length,
  );

/** The exact minimiser of the regularised empirical risk. */
export const minimiserOf =
  (subject: OptimizerSubject, { strength, centre, side }: ErmInput) =>
  (records: readonly Kinked[]): number =>
    subject.kinkedMinimiser({ records, strength, centre, lower: -side, upper: side });
