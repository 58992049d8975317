import { defineLowerBound, InvalidParameter } from '@lethe/core';
import { linear } from '@lethe/losses';
import { z } from 'zod';
import { nonPrivateInstance, privateInstance, probabilityOfSpike } from './convex-instances.js';

const positive = z.number().positive();

/** The proof's constant for the non-private term: coins of bias `1/(20√n)` on each coordinate, and a code of `2^(d/20)` words. */
const provedConstant = 4.4e-4;

const params = z.strictObject({
  n: z.int().positive().describe('Number of records.'),
  dimension: z.int().positive().describe('d.'),
  rho: positive.describe('The algorithm is ρ-zCDP under replace-one; the paper’s ε is √(2ρ).'),
  radius: positive.describe('D: iterates stay in an ℓ2 ball of this radius, so their diameter is 2D.'),
  momentOrder: z.number().min(2).default(2).describe('k.'),
  moment: positive.describe('r_k, the bound on the class: (E sup_w ‖∇f‖^k)^(1/k) under A1, sup_w (E‖∇f‖^k)^(1/k) under A2.'),
  secondMoment: positive.optional().describe('r_2, at most r_k. Left out: r_k.'),
  assumption: z.enum(['A1', 'A2']).default('A1').describe('Which moment is bounded. The linear instances meet both.'),
  constants: z.enum(['proved', 'hidden']).default('proved').describe('proved: only the term whose constant is known; hidden: the whole rate with constants 1.'),
  regime: z.enum(['checked', 'ignored']).default('checked').describe('ignored: also outside d ≥ 40, ρ ≤ d; only with hidden constants.'),
  instance: z.enum(['non-private', 'private']).default('non-private').describe('Which construction is drawn.'),
  coupling: positive.max(1).default(0.1).describe('c in the private instance’s probability min{1, c√d/(n√ρ)}.'),
}).refine(({ constants, regime }) => constants === 'hidden' || regime === 'checked', { message: 'regime may be ignored only with hidden constants', path: ['regime'] })
  .refine(({ moment, secondMoment }) => secondMoment === undefined || secondMoment <= moment, { message: 'r_2 is at most r_k', path: ['secondMoment'] });

type Params = z.output<typeof params>;

/**
 * Every ρ-zCDP algorithm has an expected excess population risk of order
 * `D(r_2/√n + r_k min{1, (√d/(√ρ n))^((k−1)/k)})` on some convex problem with these moments: `k ≥ 2`, `d ≥ 40`, `ρ ≤ d`.
 *
 * With `constants: 'proved'` the value is `4.4e-4 · D r_2/√n`, a proved height, and says nothing of privacy; with `'hidden'` it is the
 * whole rate with factor 1, `explicit: false`: the shape of a curve. `terms` has both parts of what was asked.
 */
export const convexLowerBound = defineLowerBound({
  name: 'convex',
  summary: 'Excess risk of private convex optimisation under a moment bound.',
  source: { id: 'lowy-razaviyayn', item: 'Theorem 7 (Theorem 26, parts 1 and 2)' },
  statement: 'sup over the class of E F(A(X)) − F* ≥ Ω(D(r_2/√n + r_k min{1, (√d/(√ρ n))^((k−1)/k)})) for every ρ-zCDP A; k ≥ 2, d ≥ 40, ρ ≤ d; W a ball of radius D',
  params,
  examples: [
    { n: 4, dimension: 40, rho: 1, radius: 2, moment: 1 },
    { n: 64, dimension: 40, rho: 0.5, radius: 1, momentOrder: 4, moment: 3, constants: 'hidden', instance: 'private' },
  ],
  claims: [
    { property: 'instance-moment', statement: 'the instance’s gradient moment is exactly r_2 (non-private) or r_k (private)', source: { id: 'lowy-razaviyayn', item: 'Theorem 26' } },
    { property: 'monotone', statement: 'it falls with n and ρ, and grows with the radius and the moments' },
    { property: 'below-upper-bounds', statement: 'excess risk ≥ 4.4e-4 · D r_2/√n for d ≥ 40, in the worst case over sign vectors' },
  ],
  problem: ({ dimension, radius, moment, momentOrder }) => ({
    loss: linear({}), domain: { kind: 'domain', name: 'l2-ball', params: { radius } }, record: { dimension },
    facts: { [`gradientMoment.${momentOrder}`]: { value: moment, scope: 'population', provenance: 'declared' } },
  }),
  evaluate(given) {
    if (given.regime === 'checked') assertRegime(given);
    const { n, dimension, rho, radius, momentOrder: k, moment, secondMoment = moment } = given;
    const statistical = (radius * secondMoment) / Math.sqrt(n);
    if (given.constants === 'proved') return { value: provedConstant * statistical, explicit: true, terms: { nonPrivate: provedConstant * statistical, private: 0 } };
    const cost = Math.min(1, Math.sqrt(dimension) / (Math.sqrt(rho) * n)) ** ((k - 1) / k);
    return { value: radius * (secondMoment / Math.sqrt(n) + moment * cost), explicit: false, terms: { nonPrivate: statistical, private: radius * moment * cost } };
  },
  instance(given, random) {
    const { n, dimension, rho, radius, momentOrder, moment, secondMoment = moment, coupling } = given;
    return given.instance === 'non-private'
      ? nonPrivateInstance({ n, dimension, radius, moment: secondMoment }, random)
      : privateInstance({ n, dimension, radius, moment, order: momentOrder, probability: probabilityOfSpike({ n, dimension, rho, coupling }) }, random);
  },
});

function assertRegime({ dimension, rho }: Params): void {
  if (dimension < 40) throw new InvalidParameter(`dimension is ${dimension}; the bound is proved for d ≥ 40. For the shape of the rate alone give constants 'hidden' and regime 'ignored'.`, { dimension });
  if (rho > dimension) throw new InvalidParameter(`rho is ${rho}; the bound is proved for ρ ≤ d = ${dimension}. For the shape of the rate alone give constants 'hidden' and regime 'ignored'.`, { rho, dimension });
}
