import { defineLowerBound, type HardProblem } from '@lethe/core';
import { squaredDistance } from '@lethe/losses';
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
import { alignmentOfBernoulli, type Alignment } from './hidden-signs.js';
import {
  meanBernoulliBias,
  nonPrivateMeanInstance,
  privateMeanInstance,
} from './strongly-convex-instances.js';

/** Below it the radius of the ball, and the bound, could overflow. */
const least = 1e-100;

const params = z
  .strictObject({
    ...classParams,
    convexity: z.number().positive().describe('μ: losses are μ-strongly convex and μ-smooth.'),
  })
  .superRefine((given, context) => {
    const refuse = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    assertConsistent(given, refuse);
    if (!(given.convexity >= least))
      refuse('convexity', `the convexity is ${given.convexity}; it must be at least ${least}`);
  });
type Params = z.output<typeof params>;

/** Radius of the ball of iterates, `r_2/(2μ)`; also the length of the records of signs. */
const radiusOf = (given: Params): number => rootsOf(given).secondMoment / (2 * given.convexity);
const rareRecordsIn = (given: Params): ReturnType<typeof rareRecordsOf> =>
  rareRecordsOf(given, 1 / (2 * given.convexity));

/**
 * Every ρ-zCDP algorithm has an expected excess population risk of order
 * `(1/μ)(r_2²/n + r_k² min{1, (√d/(√ρ n))^((2k−2)/k)})` on some μ-strongly convex and μ-smooth problem of the
 * class with these moments; under A3 `r_k` is `√d γ_k^(1/k)` and `r_2²` is `d γ_2`. The same problems are
 * proximal-PL.
 *
 * The loss is `(μ/2)‖w − x‖²` over a ball `W` of radius `R = r_2/(2μ)`. With `constants: 'proved'` the value
 * is the larger of two bounds, each a mean over uniform sign vectors `ν` (see `alignmentOfBernoulli`
 * and `alignmentOfInformation`), for every `n ≥ 1`, `d ≥ 1` and `ρ > 0`:
 *
 * - non-private: signs of mean `ν_j/√(n + 1)` and length `R` give `(μ/2)‖mean‖²(1 − u²)`, which is
 *   `(r_2²/(8μ)) nⁿ/(n + 1)^(n+1)`, at least `r_2²/(8eμ(n + 1))`; `sup_W ‖∇f‖ = 2μR = r_2` for every record;
 * - private: records that are null except with probability `p = min{1, c√d/(n√ρ)}`, of length
 *   `T = min{r_k p^(−1/k), r_2 p^(−½)}/(2μ)`, give `(μ/2)(pT)²(1 − u²)`. The moment bound holds:
 *   `E sup_W ‖∇f‖^k = μ^k((1 − p)R^k + p(R + T)^k) ≤ r_k^k((1 − p) + (1 + p^(1/k))^k)/2^k ≤ r_k^k`, since the
 * last fraction increases to 1 at `p = 1`; the mean, of length `pT ≤ √p R`, is in `W`; and `sup_W ‖∇F‖ ≤ 2μR`
 * is at most `√d γ_2^½` under A3.
 *
 * With `'hidden'` it is the printed rate with factor 1, and with `γ_2` in place of the printed `γ_2^(2/k)`,
 * `explicit: false`: a rate for plots.
 */
export const stronglyConvexLowerBound = defineLowerBound({
  name: 'strongly-convex',
  summary: 'Excess risk of private strongly convex optimization under a moment bound.',
  source: { id: 'lowy-razaviyayn', item: 'Theorem 8 (Theorem 28)' },
  statement:
    'sup over the class of E F(A(X)) − F* ≥ Ω((1/μ)(r_2²/n + r_k² min{1, ' +
    '(√d/(√ρ n))^((2k−2)/k)})) for every ρ-zCDP A, W a ball of radius r_2/(2μ); printed for k ≥ 2, ' +
    'd ≥ 40, ρ ≤ d. Proved bounds hold for all d and ρ',
  params,
  examples: [
    { n: 4, dimension: 40, rho: 1, convexity: 0.5, moment: 1 },
    {
      n: 64,
      dimension: 40,
      rho: 0.5,
      convexity: 2,
      momentOrder: 4,
      moment: 3,
      constants: 'hidden',
      instance: 'private',
    },
    {
      n: 100,
      dimension: 3,
      rho: 0.01,
      convexity: 1,
      momentOrder: 3,
      moment: 2,
      secondMoment: 1,
      instance: 'private',
    },
    { n: 30, dimension: 50, rho: 0.1, convexity: 1, momentOrder: 8, moment: 1, assumption: 'A3' },
  ],
  claims: [
    {
      property: 'instance-moment',
      statement: 'the instances’ gradients have the declared moments everywhere in W',
      source: { id: 'lowy-razaviyayn', item: 'Theorem 28' },
    },
    { property: 'monotone', statement: 'the bound decreases in n and ρ, and increases in the moments' },
    {
      property: 'homogeneous',
      statement:
        'the bound is quadratic in the moments together and ' +
        'inversely proportional to μ, and so are the instances',
    },
    {
      property: 'below-upper-bounds',
      statement: 'excess risk is at least the value, on average over sign vectors',
    },
  ],
  problem(given): HardProblem {
    const { convexity, instance } = given;
    const radius = radiusOf(given);
    const { secondMoment } = rootsOf(given);
    return problemOnBall(given, {
      loss: squaredDistance({ scale: convexity }),
      radius,
      featureNorm: instance === 'private' ? rareRecordsIn(given).length : radius,
      facts: [
        ['populationSmoothness', convexity],
        ['populationStrongConvexity', convexity],
        ['startGap', secondMoment ** 2 / (2 * convexity)],
      ],
    });
  },
  evaluate(given) {
    assertRegime(given);
    const { n, convexity, momentOrder: k, constants } = given;
    const roots = rootsOf(given);
    if (constants === 'hidden') {
      const terms = {
        nonPrivate: roots.secondMoment ** 2 / (convexity * n),
        private: (roots.moment ** 2 / convexity) * printedPrice(given) ** ((2 * k - 2) / k),
      };
      return { value: terms.nonPrivate + terms.private, explicit: false, terms };
    }
    const bias = meanBernoulliBias(n);
    const { probability, length, alignment } = rareRecordsIn(given);
    const cost = (mean: number, u: Alignment): number => (convexity / 2) * mean * mean * (1 - u) * (1 + u);
    const terms = {
      nonPrivate: cost(bias * radiusOf(given), alignmentOfBernoulli({ n, bias })),
      private: cost(probability * length, alignment),
    };
    const drawn = given.instance === 'private' ? terms.private : terms.nonPrivate;
    return { value: Math.max(terms.nonPrivate, terms.private), drawn, explicit: true, terms };
  },
  instance: (given, random) =>
    given.instance === 'private'
      ? privateMeanInstance({ ...given, ...rareRecordsIn(given) }, random)
      : nonPrivateMeanInstance({ ...given, length: radiusOf(given) }, random),
});
