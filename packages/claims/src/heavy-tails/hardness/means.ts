import { seededRandom } from '@lethe/core';
import { defineClaimCheck, type Violation } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { binomial } from '../../common/binomial.js';
import { both, tried } from '../../common/compare.js';
import { above, differs, first } from '../../common/judging.js';
import { squaredNorm } from '../../common/vectors.js';
import type { CheckOf } from './separation.js';
import type { HardnessSubject } from './subject.js';

/**
 * Mean squared error of the best estimate of a mean that is `low` or `high`, each with probability ½, from n
 * coins of that mean; exact.
 */
function leastError(n: number, low: number, high: number): number {
  const [a, b] = [binomial(n, (1 + low) / 2), binomial(n, (1 + high) / 2)];
  return (
    a.reduce((sum, x, h) => {
      const y = b[h];
      return x + y === 0 ? sum : sum + (x * y) / (x + y);
    }, 0) *
    ((high - low) ** 2 / 2)
  );
}

/** Row C68. */
export const leCam: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/le-cam',
    tier: 'exact',
    statement:
      'A fair coin is ½ ln(1/(1 − δ²)) from one of bias δ; with δ² = 1/(2n) the total variation of n of ' +
      'them, exactly, is at most 1/√2, and (δ²/8)(1 − 1/√2) ≥ 1/(64n). What n coins of bias ±δ leave of ' +
      'their sign is at least what the shipped alignment says.',
    power: 'One part in 10⁹ of the divergence; an excess of a few per cent in total variation.',
    run: (env) =>
      both(
        env.forAll(
          fc.integer({ min: 0, max: 12 }).map((e) => 0.9 * 4 ** -e),
          (bias) =>
            differs(
              'the divergence',
              subject.pairDivergence(bias),
              -(Math.log1p(bias) + Math.log1p(-bias)) / 2,
              1e-9 + 1e-15 / bias ** 2,
            ),
        ),
        () =>
          tried(
            Array.from({ length: 400 }, (_, i) => i + 1),
            (n) => {
              const bias = Math.sqrt(1 / (2 * n));
              const [fair, biased] = [binomial(n, 0.5), binomial(n, (1 + bias) / 2)];
              const variation = fair.reduce((sum, x, h) => sum + Math.abs(x - biased[h]), 0) / 2;
              return first(
                above('total variation', variation, Math.SQRT1_2),
                above(
                  'total variation, against Pinsker',
                  variation,
                  Math.sqrt((n * subject.pairDivergence(bias)) / 2),
                ),
                above('1/(64n)', 1 / (64 * n), (bias ** 2 / 8) * (1 - Math.SQRT1_2)),
                ...[subject.bernoulliBias(n), subject.meanBernoulliBias(n)].map((own) =>
                  above(
                    'what coins leave of their sign',
                    (1 - subject.alignmentOfBernoulli({ n, bias: own }) ** 2) * own ** 2,
                    leastError(n, -own, own),
                  ),
                ),
              );
            },
          ),
      ),
  });

/** Row C69. */
export const independentBits: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/independent-bits',
    tier: 'statistical',
    statement:
      'With a separate bit for each coordinate, of bias 0 or 1/√(2n), the exact mean squared error of ' +
      'the best estimate is at least d/(64n) on average over bits; the same holds for the shipped ' +
      'instance, whose bound is at least r²/(1152μn); and pooling its coordinates does not help.',
    power: 'A sign common to all coordinates: pooling would then have an error below a thousandth.',
    run: (env) =>
      both(
        env.forAll(
          fc.integer({ min: 1, max: 300 }),
          (n) => {
            const bias = subject.meanBernoulliBias(n);
            const { stronglyConvexLowerBound: bound } = subject;
            const { nonPrivate } = bound.evaluate(
              bound.params.parse({ n, dimension: 40, rho: 1, convexity: 2, moment: 3 }),
            ).terms;
            return first(
              above(
                '1/(64n), against the least error of one coordinate',
                1 / (64 * n),
                leastError(n, 0, Math.sqrt(1 / (2 * n))),
              ),
              above('1/(64n), against that of the shipped coins', 1 / (64 * n), leastError(n, -bias, bias)),
              above('r²/(1152μn), against the proved term', 9 / (1152 * 2 * n), nonPrivate),
              above(
                'the proved term, against the least error there',
                nonPrivate,
                (9 / 16) * leastError(n, -bias, bias),
              ),
            );
          },
          { runs: 100 },
        ),
        env.forAll(
          fc.integer(),
          (seed): Violation | undefined => {
            // 200 signs are balanced to within 100 except with probability below 10⁻¹¹, for every seed.
            const n = 50;
            const dimension = 200;
            const { features, optimum } = subject.nonPrivateMeanInstance(
              { n, dimension, convexity: 1, length: Math.sqrt(dimension) },
              seededRandom(seed),
            );
            const side = Math.sign(features.reduce((sum, x) => sum + x, 0));
            const size = subject.meanBernoulliBias(n);
            const error = squaredNorm(optimum.map((x) => side * size - x));
            return above('d/(64n), against the error of pooling', dimension / (64 * n), error);
          },
          { runs: 10 },
        ),
      ),
  });

/** Row C69, as printed: one common bit. */
export const printedCommonBit: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/common-bit-printed',
    tier: 'exact',
    statement:
      'When all d = 200 coordinates of n = 50 records have one common bit, of bias 0 or 1/√(2n), every ' +
      'estimate errs by d/(64n) at least.',
    power: 'Pooling the 10 000 coins errs by less than a hundred-thousandth of it, exactly.',
    run: (env) =>
      env.forAll(
        fc.constant({ n: 50, dimension: 200 }),
        ({ n, dimension }) =>
          above(
            'd/(64n)',
            dimension / (64 * n),
            dimension * pooledError(n * dimension, subject.pairDivergence, 1 / Math.sqrt(2 * n)),
            0,
          ),
        { runs: 1 },
      ),
  });

/**
 * Error of the test that compares all heads with the middle of
 * both means; the divergence says where likelihoods are equal.
 */
function pooledError(coins: number, divergence: HardnessSubject['pairDivergence'], bias: number): number {
  const [fair, biased] = [binomial(coins, 0.5), binomial(coins, (1 + bias) / 2)];
  const slope = Math.log1p(bias) - Math.log1p(-bias);
  const equal = (coins * (2 * divergence(bias) + slope)) / (2 * slope);
  const missed =
    fair.reduce((sum, x, h) => sum + (h >= equal ? x : 0), 0) +
    biased.reduce((sum, x, h) => sum + (h < equal ? x : 0), 0);
  return (missed / 2) * bias ** 2;
}

/** `E sup_W ‖w − x‖^k` over a ball of some radius, of rare records `p^(−1/k) ν`, over `d^(k/2)`. */
const supremum = (
  radius: number,
  {
    dimension,
    probability: p,
    order,
  }: { readonly dimension: number; readonly probability: number; readonly order: number },
): number =>
  (1 - p) * (radius / Math.sqrt(dimension)) ** order +
  p * (radius / Math.sqrt(dimension) + p ** (-1 / order)) ** order;
const rare = fc.record({
  dimension: fc.constantFrom(1, 40, 300),
  probability: fc.integer({ min: 0, max: 24 }).map((e) => 0.6 ** e),
  order: fc.constantFrom(2, 2.5, 4, 10),
});

/** Row C70. */
export const meanDomain: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/mean-domain',
    tier: 'search',
    statement:
      'Over the ball of radius √d, which holds their mean, ' +
      'rare records have E sup_w‖w − x‖^k ≤ 2^k d^(k/2); so the shipped problems ' +
      'meet their declared moments with the supremum inside, at radius r_2/(2μ).',
    power: 'A radius larger by one part in 10⁶, where p = 1.',
    run: (env) =>
      both(
        env.forAll(
          rare,
          (given) =>
            first(
              above(
                'E sup‖w − x‖^k over d^(k/2)',
                supremum(subject.meanRadius(given), given),
                2 ** given.order,
              ),
              above(
                'the length of the mean',
                Math.sqrt(given.dimension) * given.probability ** (1 - 1 / given.order),
                subject.meanRadius(given),
              ),
            ),
          { runs: 300 },
        ),
        env.forAll(
          fc.record({
            n: fc.integer({ min: 1, max: 1000 }),
            dimension: fc.constantFrom(1, 40),
            e: fc.integer({ min: -10, max: 4 }),
            momentOrder: fc.constantFrom(2, 3, 6),
            share: fc.constantFrom(1, 0.3),
            convexity: fc.constantFrom(0.1, 3),
            instance: fc.constantFrom('private', 'non-private'),
            assumption: fc.constantFrom('A1', 'A3'),
          }),
          ({ e, share, ...given }) => {
            const { stronglyConvexLowerBound: bound } = subject;
            const params = bound.params.parse({
              ...given,
              rho: 2 ** e,
              moment: 2,
              secondMoment: 2 * share,
            });
            const { record, facts, domain } = defined(bound.problem)(params);
            const radius = (domain.params as { readonly radius: number }).radius;
            const p =
              given.instance === 'private'
                ? subject.probabilityOfHeavyTail({ ...given, rho: 2 ** e, coupling: 0.25 })
                : 1;
            const mean = defined(bound.instance)({ ...params, n: given.n }, seededRandom('claims')).optimum;
            return first(
              above('the length of the mean', Math.sqrt(squaredNorm(mean)), radius),
              ...[2, given.momentOrder].map((order) => {
                const inside =
                  given.convexity ** order *
                  ((1 - p) * radius ** order + p * (radius + defined(record.featureNorm)) ** order);
                return above(
                  `E sup‖∇f‖^${order}`,
                  inside,
                  facts[`uniformGradientMoment.${order}`].value ** order,
                );
              }),
            );
          },
          { runs: 300 },
        ),
      ),
  });

/** Row C70, as printed: the ball of radius `√d p^(−1/k)`. */
export const printedMeanDomain: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/mean-domain-printed',
    tier: 'exact',
    statement: 'Over the ball of radius √d p^(−1/k), for k = 2 and p = 0.01, E sup_w‖w − x‖^k ≤ 2^k d^(k/2).',
    power: 'It is 25 times as much.',
    run: (env) =>
      env.forAll(
        fc.constant({ dimension: 40, probability: 0.01, order: 2 }),
        (given) =>
          above(
            'E sup‖w − x‖^k over d^(k/2)',
            supremum(subject.printedMeanRadius(given), given),
            2 ** given.order,
          ),
        { runs: 1 },
      ),
  });
