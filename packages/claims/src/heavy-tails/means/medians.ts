import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import fc from 'fast-check';
import { both, differs, exceeds, firstOf, tried } from '../../common/compare.js';
import { chance } from '../../common/binomial.js';
import { tenTo } from '../../common/inputs.js';
import { valueOf } from './release.js';
import type { OracleSubject } from './subject.js';

const tailOrders = [2, 2.5, 3, 4];
/** Centred moment of a two-point distribution with one value at distance `far`, of probability `p`. */
const twoPointMoment = (far: number, p: number, order: number): number =>
  p * ((1 - p) * far) ** order + (1 - p) * (p * far) ** order;

/** Row C24. */
export const meanDeviation = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/mean-deviation',
    tier: 'exact',
    statement:
      'the mean of n numbers with centred k-th moment γ has an error of 10γ^(1/k)/√n or more with ' +
      'probability at most 1/100, and at k = 2 a distribution with rare outliers comes within 3 % of that',
    power:
      'a constant of 9.7 in place of 10: exact binomial distributions with outliers of probability from ' +
      '1e-6 to 0.5 and near 1/(100n), for n from 1 to 300 and four orders',
    run: () =>
      both(
        () =>
          tried(
            [1, 2, 5, 10, 30, 100, 300].flatMap((n) =>
              [
                1e-6,
                1e-4,
                1e-3,
                0.01,
                0.1,
                0.3,
                0.5,
                ...[0.9, 0.97, 0.999, 1.001, 1.005, 1.015, 1.03, 1.05].map((share) => share / (100 * n)),
              ].flatMap((p) => tailOrders.map((order) => ({ n, p, order }))),
            ),
            ({ n, p, order }) => {
              const off = subject.meanDeviation({ moment: twoPointMoment(1, p, order), order, records: n });
              return exceeds({
                what:
                  `the probability of a mean of ${n} numbers off by so much, ` +
                  `k = ${order}, outliers of probability ${p}`,
                got: chance(n, p, (k) => Math.abs(k / n - p) >= off * (1 + 1e-12)),
                most: 0.01,
              });
            },
          ),
        () =>
          tried([100, 1000, 4000], (n) => {
            const p = 0.98 / (100 * n);
            const off = subject.meanDeviation({ moment: twoPointMoment(1, p, 2), order: 2, records: n });
            return exceeds({
              what: 'nearly all of 1/100',
              got: 0.0097,
              most: chance(n, p, (k) => Math.abs(k / n - p) >= off),
            });
          }),
      ),
  });

interface Allocation {
  readonly p: number;
  readonly groups: number;
  readonly each: number;
  readonly limit: number;
  readonly off: number;
}
/**
 * Probability of a large error of the median of means of 0/1 numbers with probability `p`, by the number of
 * wrong groups.
 */
function medianOff({ p, groups, each, limit, off }: Allocation): number {
  const top = Math.min(1, limit);
  const mean = (k: number): number => (top * k) / each;
  const middle = Math.floor(groups / 2) + 1;
  const above = chance(each, p, (k) => mean(k) - p >= off);
  const below = chance(each, p, (k) => p - mean(k) >= off);
  // The median is above a value only if at least half of the means are.
  const enough = (probability: number): number =>
    chance(groups, Math.min(1, probability), (k) => k >= (groups % 2 === 1 ? middle : groups / 2));
  return enough(above) + enough(below);
}

/** Row C25. */
export const medianOfMeans = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/median-of-means',
    tier: 'search',
    statement:
      'with m = ⌈20 ln(4d/ζ)⌉ groups and τ ≥ 2‖ν‖ the median of means is within 10√d(√(m/s)γ^(1/k) + ' +
      'γ(2/τ)^(k−1)) with probability 1 − ζ; with the shipped number of groups, ⌈8 ln(d/ζ)⌉, within ' +
      'twice the deviation of a group, unlike the mean of the same numbers',
    power:
      'a constant of 0.3 in place of 10, since with that many groups the median is nearly always within ' +
      'one deviation of a group; a quarter of the shipped number of groups: exact distributions of the ' +
      'median in one coordinate and in 50, over outliers of nine probabilities, four ζ from 0.1 to 1e-6 ' +
      'and groups of 1 to 60 numbers; the median of means itself on 100 data sets, to 1e-12',
    run: (env) =>
      both(
        () =>
          tried(
            [0.1, 0.01, 1e-3, 1e-6].flatMap((failure) =>
              [1, 4, 20, 60].flatMap((each) =>
                [0.05, 0.1, 0.17, 0.25, 0.5, 0.7, 1, 2, 10]
                  .map((share) => share / each)
                  .filter((p) => p <= 0.5)
                  .flatMap((p) =>
                    tailOrders.flatMap((order) =>
                      [1, 50].map((dimension) => ({ dimension, failure, each, p, order })),
                    ),
                  ),
              ),
            ),
            ({ dimension, failure, each, p, order }) => {
              // If each coordinate is within distance/√d, the vector is within the distance.
              const { groups: count, distance } = subject.medianOfMeansBound;
              const groups = count({ dimension, failure });
              const records = groups * each;
              const moment = twoPointMoment(1, p, order);
              const limit = Math.max(subject.leastLimit(p), order === 3 ? 0.5 : 1000);
              const own = subject.medianOfMeansGroups(dimension, failure);
              const deviation = Math.sqrt((p * (1 - p)) / each);
              return firstOf([
                exceeds({
                  what:
                    'the probability of being off by the distance ' +
                    `of Lemma 57 at ${groups} groups of ${each}`,
                  got:
                    dimension *
                    medianOff({
                      p,
                      groups,
                      each,
                      limit,
                      off:
                        distance({ dimension, groups, records, moment, order, limit }) / Math.sqrt(dimension),
                    }),
                  most: failure,
                }),
                exceeds({
                  what: `the probability of being off by two deviations at ${own} groups of ${each}`,
                  got:
                    dimension *
                    medianOff({ p, groups: own, each, limit: Infinity, off: 2 * deviation * (1 + 1e-12) }),
                  most: failure,
                }),
              ]);
            },
          ),
        // Comparison with the plain mean, for outliers of which one moves it by more than that distance.
        () =>
          tried([1e-3, 1e-6], (failure) => {
            const groups = subject.medianOfMeansGroups(1, failure);
            const each = 20;
            const records = groups * each;
            const p = (0.9 * each) / (4 * records ** 2);
            const off = 2 * Math.sqrt((p * (1 - p)) / each);
            const mean = chance(records, p, (k) => Math.abs(k / records - p) >= off);
            return firstOf([
              exceeds({
                what: 'a hundred times the probability that the median of means is off',
                got: 100 * medianOff({ p, groups, each, limit: Infinity, off }),
                most: mean,
              }),
              exceeds({ what: 'the probability allowed', got: failure, most: mean }),
            ]);
          }),
        () =>
          env.forAll(
            fc.record({
              groups: fc.integer({ min: 1, max: 9 }),
              each: fc.integer({ min: 1, max: 5 }),
              limit: tenTo(-1, 2),
              values: fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 45, maxLength: 45 }),
            }),
            ({ groups, each, limit, values }) => {
              const records = values.slice(0, groups * each);
              const means = Array.from(
                { length: groups },
                (_, group) =>
                  records.reduce(
                    (sum, x, i) => sum + (i % groups === group ? Math.max(-limit, Math.min(limit, x)) : 0),
                    0,
                  ) / each,
              ).toSorted((a, b) => a - b);
              return differs({
                what: `the median of ${groups} means`,
                got: valueOf(
                  subject.coordinateMedianOfMeans,
                  { limit, groups },
                  records.map((x) => [x]),
                )[0],
                want: (means[(groups - 1) >> 1] + means[groups >> 1]) / 2,
                size: limit,
              });
            },
            { runs: 100 },
          ),
      ),
  });

/** Row C25, (78) as printed: fails. */
export const medianOfMeansPrinted = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/median-of-means-printed',
    tier: 'exact',
    statement:
      'as printed in (78): the probability that the mean of a group is within 10γ^(1/k)/√n of the ' +
      'distribution’s mean is at most 1/100',
    run: () =>
      tried([{ n: 25, p: 0.1, order: 2 }], ({ n, p, order }) => {
        const off = subject.meanDeviation({ moment: twoPointMoment(1, p, order), order, records: n });
        return exceeds({
          what: 'the probability that a mean is as near as that',
          got: chance(n, p, (k) => Math.abs(k / n - p) <= off),
          most: 0.01,
        });
      }),
  });

/** Values of three groups and the noise of each. */
const noisy = [
  { values: [0, 0, 5], deviation: 2 },
  { values: [0, 0, 5], deviation: 1 },
  { values: [-3, 0, 0], deviation: 2 },
  { values: [0, 1, 100], deviation: 3 },
];

/** Row C26. */
export const noisyMedian = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/noisy-median',
    tier: 'exact',
    statement:
      'noise inside the median changes its mean, by at most the root of the expected maximum squared ' +
      'noise of a group, at most √m σ; the shipped oracle with noise inside does not claim to be unbiased',
    power:
      'an absolute error of 0.01 of the mean of the median of 0, ' +
      '0, 5 with deviation 2, which is 1.05; a claim of no bias',
    run: () =>
      both(
        () =>
          tried(noisy, ({ values, deviation }) => {
            const median = values.toSorted((a, b) => a - b)[1];
            const moved = Math.abs(subject.expectedMedian(values, deviation) - median);
            return exceeds({
              what: 'how far noise moves the mean of the median',
              got: moved,
              most: subject.medianNoiseBias({ groups: values.length, deviation }),
            });
          }),
        () =>
          tried([{ values: [0, 0, 5], deviation: 2, want: 1.05 }], ({ values, deviation, want }) => {
            const got = subject.expectedMedian(values, deviation);
            return Math.abs(got - want) <= 0.01
              ? undefined
              : {
                  what: `the mean of the median of (0, 0, 5) + N(0, 4) is ${got}, not ${want}`,
                  measured: got,
                  allowed: want,
                };
          }),
        () =>
          tried(['unbiased'], (property) =>
            subject.shuffledMedianOfMeans.claims.some((claim) => claim.property === property) ||
            subject.shuffledMedianOfMeans.domain !== undefined
              ? { what: 'the shuffled median of means claims to be unbiased' }
              : undefined,
          ),
      ),
  });

/** Row C26, as printed. */
export const noisyMedianPrinted = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/noisy-median-printed',
    tier: 'exact',
    statement:
      'as printed: the mean of the median does not change if unbiased noise is added to each group’s mean',
    run: () =>
      tried(noisy, ({ values, deviation }) => {
        const median = values.toSorted((a, b) => a - b)[1];
        const got = subject.expectedMedian(values, deviation);
        return Math.abs(got - median) <= 1e-6
          ? undefined
          : {
              what:
                `the mean of the median of (${values.join(', ')}) with noise of deviation ${deviation} ` +
                `is ${got}; without noise it is ${median}`,
              measured: got,
              allowed: median,
            };
      }),
  });
