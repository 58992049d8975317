import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { both, differs, exceeds, firstOf, tried } from '../../common/compare.js';
import { minus, norm } from '../../common/vectors.js';
import {
  expectation,
  discreteDistributions,
  meanVector,
  orders,
  rawMoment,
  samplesOf,
  sizes,
  type DiscreteDistribution,
} from './discrete-distributions.js';
import type { OracleSubject } from './subject.js';

/** Records of least squares, features and label, with equal probabilities, and iterates. */
const worlds = fc.integer({ min: 1, max: 3 }).chain((dimension) => {
  const vector = fc.array(
    fc.integer({ min: -30, max: 30 }).map((k) => k / 10),
    { minLength: dimension, maxLength: dimension },
  );
  return fc.record({
    records: fc.array(fc.record({ features: vector, label: sizes.map((y) => y / 100) }), {
      minLength: 1,
      maxLength: 4,
    }),
    iterates: fc.array(vector, { minLength: 1, maxLength: 4 }),
  });
});
type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never;
type Records = World['records'];

function gradient(
  { squared }: OracleSubject,
  at: readonly number[],
  { features, label }: Records[number],
): Float64Array {
  const out = new Float64Array(at.length);
  squared.gradientInto({}, out, Float64Array.from(at), { features: Float64Array.from(features), label });
  return out;
}

/** Moments of a sample as roots: the supremum over iterates outside, and inside, the mean. */
function momentsOf(
  subject: OracleSubject,
  records: Records,
  iterates: World['iterates'],
  order: number,
): { readonly pointwise: number; readonly uniform: number } {
  const columns = records[0].features.length;
  const { pointwise, uniform } = subject.empiricalGradientMoment(
    { plugin: subject.squared, params: {} },
    {
      features: Float64Array.from(records.flatMap(({ features }) => features)),
      labels: Float64Array.from(records, ({ label }) => label),
      rows: records.length,
      columns,
    },
    { order, over: { points: iterates.map((point) => Float64Array.from(point)) } },
  );
  return { pointwise: defined(pointwise), uniform };
}

/**
 * The distribution of records with weights proportional to powers of two, as input of the moment calculators.
 */
function weighted(records: Records, exponents: readonly number[]) {
  const weights = records.map((_, i) => 2 ** -exponents[i]);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const columns = records[0].features.length;
  const points = {
    features: Float64Array.from(records.flatMap(({ features }) => features)),
    labels: Float64Array.from(records, ({ label }) => label),
    rows: records.length,
    columns,
  };
  return {
    points,
    probabilities: weights.map((weight) => weight / total),
    indices: {
      points: records.map((_, i) => [i]),
      probabilities: weights.map((weight) => weight / total),
    } satisfies DiscreteDistribution,
  };
}
const exponentsOf = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 4, maxLength: 4 });

/** Row C28. */
export const momentOrder = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/moment-order',
    tier: 'search',
    statement:
      'L ≤ r_k ≤ r̃_k ≤ L_f, and moments increase with their order, towards L_f; the shipped calculator ' +
      'agrees with the definitions',
    power:
      'a relative error of 1e-9 over 200 laws of up to four records of probabilities from 1/100 on with ' +
      'up to four iterates, orders 2 to 8; a moment of order 600 within 1 % of L_f',
    run: (env) =>
      env.forAll(
        fc.record({ world: worlds, exponents: exponentsOf }),
        ({ world: { records, iterates }, exponents }) => {
          const { indices: distribution, ...given } = weighted(records, exponents);
          const over = { points: iterates.map((point) => Float64Array.from(point)) };
          const at = (order: number) => {
            const { pointwise, uniform, lipschitzOfRisk } = subject.discreteMoments(
              given,
              { plugin: subject.squared, params: {} },
              { order, over },
            );
            return {
              order,
              pointwise: defined(pointwise),
              uniform,
              lipschitzOfRisk: defined(lipschitzOfRisk),
            };
          };
          const length = (w: readonly number[], i: number): number => norm(gradient(subject, w, records[i]));
          const worst = (i: number): number => Math.max(...iterates.map((w) => length(w, i)));
          const L = Math.max(
            ...iterates.map((w) =>
              norm(w.map((_, j) => expectation(distribution, ([i]) => gradient(subject, w, records[i])[j]))),
            ),
          );
          const Lf = Math.max(...records.map((_, i) => worst(i)));
          const all = [2, 2.5, 3, 4, 8].map(at);
          return firstOf([
            ...all.flatMap(({ order, pointwise, uniform, lipschitzOfRisk }, i): (Violation | undefined)[] => [
              differs({
                what: `r_k at k = ${order}`,
                got: pointwise,
                want:
                  Math.max(
                    ...iterates.map((w) => expectation(distribution, ([k]) => length(w, k) ** order)),
                  ) **
                  (1 / order),
                tolerance: 1e-9,
              }),
              differs({
                what: `r̃_k at k = ${order}`,
                got: uniform,
                want: expectation(distribution, ([k]) => worst(k) ** order) ** (1 / order),
                tolerance: 1e-9,
              }),
              differs({ what: 'L', got: lipschitzOfRisk, want: L, tolerance: 1e-9, size: Lf }),
              exceeds({ what: 'L', got: L, most: pointwise, slack: 1e-9 }),
              exceeds({ what: 'r_k', got: pointwise, most: uniform, slack: 1e-9 }),
              exceeds({ what: 'r̃_k', got: uniform, most: Lf, slack: 1e-9 }),
              i === 0
                ? undefined
                : exceeds({
                    what: `r̃_k at a smaller order than ${order}`,
                    got: all[i - 1].uniform,
                    most: uniform,
                    slack: 1e-9,
                  }),
              i === 0
                ? undefined
                : exceeds({
                    what: `r_k at a smaller order than ${order}`,
                    got: all[i - 1].pointwise,
                    most: pointwise,
                    slack: 1e-9,
                  }),
            ]),
            exceeds({ what: 'L_f, less 1 %,', got: 0.99 * Lf, most: at(600).uniform }),
          ]);
        },
        { runs: 200 },
      ),
  });

/** Row C29. */
export const coordinateMoments = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/coordinate-moments',
    tier: 'search',
    statement:
      '‖u‖^k ≤ 2^(k−1)(‖u − v‖^k + ‖v‖^k), with equality at u = 2v; and if the centred moments of all ' +
      'entries are at most γ and the mean at most √d γ^(1/k), r_k is at most 2√d γ^(1/k), below the ' +
      '2^(1+1/k) of the proof and the 4 of the lemma',
    power:
      'a relative error of 1e-9 over 300 pairs, 300 laws and 100 laws of records of least squares; any ' +
      'constant below 1.95 in place of 2, by two opposite points around their own distance at k = 32',
    run: (env) =>
      both(
        () =>
          env.forAll(
            fc.record({
              pair: discreteDistributions({ most: 2 }).filter(({ points }) => points.length === 2),
              order: orders,
            }),
            ({
              pair: {
                points: [u, v],
              },
              order,
            }) =>
              firstOf([
                exceeds({
                  what: '‖u‖^k',
                  got: norm(u) ** order,
                  most: subject.powerSplit({ order, apart: norm(minus(u, v)), other: norm(v) }),
                  slack: 1e-9,
                }),
                differs({
                  what: '‖2v‖^k',
                  got: (2 * norm(v)) ** order,
                  want: subject.powerSplit({ order, apart: norm(v), other: norm(v) }),
                  tolerance: 1e-9,
                }),
              ]),
            { runs: 300 },
          ),
        () =>
          env.forAll(
            fc.record({
              distribution: discreteDistributions(),
              order: orders,
              share: fc.integer({ min: 0, max: 10 }),
            }),
            ({ distribution, order, share }) => {
              const dimension = distribution.points[0].length;
              const mean = meanVector(distribution);
              const centred = distribution.points.map((point) => Array.from(minus(point, mean)));
              const around = { ...distribution, points: centred };
              const moment = Math.max(
                ...mean.map((_, j) => expectation(around, (point) => Math.abs(point[j]) ** order)),
              );
              const root = moment ** (1 / order);
              const away = (Math.sqrt(dimension) * root * share) / 10;
              // The longest point is shifted along its own direction.
              const longest = centred.reduce((a, b) => (norm(b) > norm(a) ? b : a));
              const length = norm(longest) || 1;
              const shifted = {
                ...distribution,
                points: centred.map((point) => point.map((x, j) => x + (away * longest[j]) / length)),
              };
              return (
                exceeds({
                  what: 'r_k',
                  got: rawMoment(shifted, order) ** (1 / order),
                  most: subject.normMoment({ dimension, order, root }) + 1e-9 * norm(mean),
                }) ??
                exceeds({
                  what: 'the bound',
                  got: subject.normMoment({ dimension, order, root }),
                  most: Math.min(2 ** (1 + 1 / order), 4) * Math.sqrt(dimension) * root,
                })
              );
            },
            { runs: 300 },
          ),
        () =>
          env.forAll(
            fc.record({ world: worlds, exponents: exponentsOf, order: orders }),
            ({ world: { records, iterates }, exponents, order }) => {
              const { indices: _indices, ...given } = weighted(records, exponents);
              const dimension = given.points.columns;
              const { pointwise, coordinate, lipschitzOfRisk } = subject.discreteMoments(
                given,
                { plugin: subject.squared, params: {} },
                { order, over: { points: iterates.map((point) => Float64Array.from(point)) } },
              );
              // Assumption 3 needs the maximum over entries and mean.
              const root = Math.max(defined(coordinate), defined(lipschitzOfRisk) / Math.sqrt(dimension));
              return exceeds({
                what: 'r_k of least squares',
                got: defined(pointwise),
                most: subject.normMoment({ dimension, order, root }),
                slack: 1e-9,
              });
            },
            { runs: 100 },
          ),
        () =>
          tried([1, 4], (dimension) => {
            const corner = Array.from({ length: dimension }, () => 1);
            const distribution = {
              points: [corner.map(() => 2), corner.map(() => 0)],
              probabilities: [0.5, 0.5],
            };
            return (
              exceeds({
                what: 'r_k of two opposite points',
                got: rawMoment(distribution, 32) ** (1 / 32),
                most: subject.normMoment({ dimension, order: 32, root: 1 }),
              }) ??
              exceeds({
                what: '1.95/2 of the bound',
                got: 0.975 * subject.normMoment({ dimension, order: 32, root: 1 }),
                most: rawMoment(distribution, 32) ** (1 / 32),
              })
            );
          }),
      ),
  });

/** Row C30. */
export const empiricalMoments = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/empirical-moments',
    tier: 'search',
    statement:
      'the k-th power of the empirical moment of a sample is at most the mean of those of its halves, ' +
      'for all data; so expected powers decrease along 1, 2, 4 records, from r̃^(k) to at least r^(k)',
    power:
      'a relative error of 1e-9 over 200 samples of up to four records; ' +
      'expectations exactly, by enumeration of all samples of 1, ' +
      '2 and 4 records of 40 laws of up to three records, and of the shipped calculator',
    run: (env) =>
      both(
        () =>
          env.forAll(
            fc.record({
              world: worlds,
              order: orders,
              choice: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
            }),
            ({ world: { records, iterates }, order, choice }) => {
              const sample = choice.map((k) => records[k % records.length]);
              const power = (some: Records): number =>
                momentsOf(subject, some, iterates, order).pointwise ** order;
              return exceeds({
                what: 'the power of the moment of the whole sample',
                got: power(sample),
                most: (power(sample.slice(0, 2)) + power(sample.slice(2))) / 2,
                slack: 1e-9,
              });
            },
            { runs: 200 },
          ),
        () =>
          env.forAll(
            fc.record({
              world: worlds.map(({ records, iterates }) => ({ records: records.slice(0, 3), iterates })),
              order: orders,
            }),
            ({ world: { records, iterates }, order }) => {
              const distribution: DiscreteDistribution = {
                points: records.map((_, i) => [i]),
                probabilities: records.map(() => 1 / records.length),
              };
              const expected = (count: number): number =>
                [...samplesOf(distribution, count)].reduce(
                  (sum, { sample, probability }) =>
                    sum +
                    probability *
                      momentsOf(
                        subject,
                        sample.map(([i]) => records[i]),
                        iterates,
                        order,
                      ).pointwise **
                        order,
                  0,
                );
              const [one, two, four] = [1, 2, 4].map(expected);
              const { pointwise, uniform } = momentsOf(subject, records, iterates, order);
              const { indices: _indices, ...given } = weighted(records, [0, 0, 0]);
              return firstOf([
                ...[one, two, four].map((want, i) =>
                  differs({
                    what: `the moment of batches of ${2 ** i}, by the calculator that ships,`,
                    got: subject.discreteBatchMoment(
                      given,
                      { plugin: subject.squared, params: {} },
                      {
                        order,
                        over: { points: iterates.map((point) => Float64Array.from(point)) },
                        batch: 2 ** i,
                      },
                    ),
                    want: want ** (1 / order),
                    tolerance: 1e-9,
                  }),
                ),
                differs({
                  what: 'the expected power of one record',
                  got: one,
                  want: uniform ** order,
                  tolerance: 1e-9,
                }),
                exceeds({ what: 'that of two', got: two, most: one, slack: 1e-9 }),
                exceeds({ what: 'that of four', got: four, most: two, slack: 1e-9 }),
                exceeds({ what: 'r^(k)', got: pointwise ** order, most: four, slack: 1e-9 }),
              ]);
            },
            { runs: 40 },
          ),
      ),
  });
