import { defineLowerBound, type HardProblem } from '@lethe/core';
import { linear } from '@lethe/losses';
import * as z from 'zod';
import {
  assertConsistent,
  assertRegime,
  classParams,
  printedPrice,
  problemOnBall,
  rootsOf,
  rareRecordsOf,
} from './class-of-problems.js';
import { bernoulliBias, nonPrivateInstance, privateInstance } from './convex-instances.js';
import { alignmentOfBernoulli } from './hidden-signs.js';
import { bernoulliMoment } from './records.js';

const params = z
  .strictObject({
    ...classParams,
    radius: z.number().positive().describe('D: radius of the ℓ2 ball of iterates; the diameter is 2D.'),
  })
  .superRefine((given, context) =>
    assertConsistent(given, (path, message) => context.addIssue({ code: 'custom', path: [path], message })),
  );
type Params = z.output<typeof params>;

/**
 * Length of the records of signs. Under A3 and for `k > 3`, centred moments of a biased sign may exceed 1;
 * the records are scaled down accordingly.
 */
function lengthOfBernoulli(given: Params): number {
  const { moment, secondMoment } = rootsOf(given);
  return given.assumption === 'A3'
    ? Math.min(
        secondMoment,
        moment *
          Math.min(
            1,
            bernoulliMoment({ bias: bernoulliBias(given.n), order: given.momentOrder }) **
              (-1 / given.momentOrder),
          ),
      )
    : secondMoment;
}

/**
 * Every ρ-zCDP algorithm has an expected excess population risk of order
 * `D(r_2/√n + r_k min{1, (√d/(√ρ n))^((k−1)/k)})` on some convex problem of the class with these moments;
 * under A3 `r_k` is `√d γ_k^(1/k)`.
 *
 * With `constants: 'proved'` the value is the larger of two bounds, each the mean over uniform sign vectors
 * `ν` of the instance's excess risk (see `alignmentOfBernoulli` and `alignmentOfInformation`),
 * for every `n ≥ 1`, `d ≥ 1` and `ρ > 0`:
 *
 * - non-private: signs of mean `ν_j/(2√n)` give `D·‖mean‖·(1 − u)` with `u² = 1 − (1 − 1/(4n))^n ≤ ¼`, at
 *   least `D r_2/(4√n)`;
 * - private: records that are null except with probability `p = min{1, c√d/(n√ρ)}` give
 *   `D·min{r_k p^(1−1/k), r_2 p^½}·(1 − u)`, with `u` the alignment for
 * `ρ(np(1 − p) + (np)²)/d ≤ c² + c√(ρ/d)` nats. With `c = ¼`, `ρ ≤ d` and `r_2 = r_k` this is at least
 * `0.06 · D r_k min{1, (√d/(√ρ n))^((k−1)/k)}`. The minimum ensures both moment bounds.
 *
 * With `'hidden'` it is the printed rate with factor 1, `explicit: false`: a rate for plots.
 */
export const convexLowerBound = defineLowerBound({
  name: 'convex',
  summary: 'Excess risk of private convex optimization under a moment bound.',
  source: { id: 'lowy-razaviyayn', item: 'Theorem 7 (Theorem 26)' },
  statement:
    'sup over the class of E F(A(X)) − F* ≥ Ω(D(r_2/√n + r_k min{1, (√d/(√ρ n))^((k−1)/k)})) for every ' +
    'ρ-zCDP A, W a ball of radius D; printed for k ≥ 2, d ≥ 40, ρ ≤ d. Proved bounds hold for all d and ρ',
  params,
  examples: [
    { n: 4, dimension: 40, rho: 1, radius: 2, moment: 1 },
    {
      n: 64,
      dimension: 40,
      rho: 0.5,
      radius: 1,
      momentOrder: 4,
      moment: 3,
      constants: 'hidden',
      instance: 'private',
    },
    {
      n: 100,
      dimension: 3,
      rho: 0.01,
      radius: 1,
      momentOrder: 3,
      moment: 2,
      secondMoment: 1,
      instance: 'private',
    },
    { n: 30, dimension: 50, rho: 0.1, radius: 1, momentOrder: 8, moment: 1, assumption: 'A3' },
  ],
  claims: [
    {
      property: 'instance-moment',
      statement:
        'the instances’ gradients have the declared moments, the non-private one of order 2 and the ' +
        'private one of order k exactly',
      source: { id: 'lowy-razaviyayn', item: 'Theorem 26' },
    },
    {
      property: 'monotone',
      statement: 'the bound decreases in n and ρ, and increases in the radius and the moments',
    },
    {
      property: 'homogeneous',
      statement: 'the bound is linear in the radius and in the moments together, and so are the instances',
    },
    {
      property: 'below-upper-bounds',
      statement: 'excess risk is at least the value, on average over sign vectors',
    },
  ],
  problem(given): HardProblem {
    const { radius, instance } = given;
    const { secondMoment } = rootsOf(given);
    return problemOnBall(given, {
      loss: linear({}),
      radius,
      featureNorm: instance === 'private' ? rareRecordsOf(given).length : lengthOfBernoulli(given),
      facts: [
        ['populationSmoothness', 0],
        ['startGap', 2 * radius * secondMoment],
      ],
    });
  },
  evaluate(given) {
    assertRegime(given);
    const { n, radius, momentOrder: k, constants } = given;
    const roots = rootsOf(given);
    if (constants === 'hidden') {
      const terms = {
        nonPrivate: (radius * roots.secondMoment) / Math.sqrt(n),
        private: radius * roots.moment * printedPrice(given) ** ((k - 1) / k),
      };
      return { value: terms.nonPrivate + terms.private, explicit: false, terms };
    }
    const bias = bernoulliBias(n);
    const { probability, length, alignment } = rareRecordsOf(given);
    const terms = {
      nonPrivate: radius * bias * lengthOfBernoulli(given) * (1 - alignmentOfBernoulli({ n, bias })),
      private: radius * probability * length * (1 - alignment),
    };
    const drawn = given.instance === 'private' ? terms.private : terms.nonPrivate;
    return { value: Math.max(terms.nonPrivate, terms.private), drawn, explicit: true, terms };
  },
  instance: (given, random) =>
    given.instance === 'private'
      ? privateInstance({ ...given, ...rareRecordsOf(given) }, random)
      : nonPrivateInstance({ ...given, moment: lengthOfBernoulli(given) }, random),
});
