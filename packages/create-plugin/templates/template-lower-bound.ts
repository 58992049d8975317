import { defineLowerBound } from '@lethe/core';
import * as z from 'zod';

const params = z.strictObject({
  n: z.int().positive().describe('Number of records.'),
  dimension: z.literal(1).default(1),
  radius: z.number().positive().describe('D: iterates stay in the interval [−D, D].'),
  momentOrder: z.number().min(2).default(2).describe('k: any, since all gradients have one size.'),
  moment: z.number().positive().describe('r, the bound on (E‖∇f‖^k)^(1/k).'),
});

/**
 * Two linear problems in one dimension that n records do not tell apart. Records are `±r` with mean `±b r`;
 * between the two, Kullback–Leibler divergence is `n b log((1 + b)/(1 − b)) ≤ 3 n b²` for `b ≤ ½`, so total
 * variation is at most `b √(3n/2) = ½` at `b = 1/√(6n)`. Whatever comes out, the two excess risks add up to
 * `2 b r D`, and their worse expectation is at least `b r D (1 − ½)`. Say here what the bound of yours holds
 * for, and in which regime.
 */
export const templateLowerBound = defineLowerBound({
  name: 'template-lower-bound',
  summary: 'Excess risk of any algorithm on linear losses in one dimension.',
  source: { id: 'lethe', item: 'template' },
  statement: 'max over two problems of E F(A(X)) − F* ≥ D r / (2 √(6n)) for every A, private or not',
  params,
  examples: [{ n: 100, radius: 1, moment: 2 }],
  claims: [
    {
      property: 'instance-moment',
      statement: 'every gradient of the instance has size r, and so has every moment',
    },
    { property: 'value', statement: 'excess risk ≥ D r / (2 √(6n)), in the worse of the two problems' },
  ],
  evaluate({ n, radius, moment }) {
    const value = (radius * moment) / (2 * Math.sqrt(6 * n));
    return { value, explicit: true, terms: { statistical: value } };
  },
  problem: ({ radius, momentOrder, moment }) => ({
    loss: { kind: 'loss', name: 'linear', params: {} },
    domain: { kind: 'domain', name: 'l2-ball', params: { radius } },
    record: { columns: 1, featureNorm: moment },
    facts: {
      [`gradientMoment.${momentOrder}`]: { value: moment, scope: 'population', provenance: 'declared' },
    },
  }),
  instance({ n, radius, moment }, random) {
    const sign = random.fork('problem').integer(2) === 1 ? 1 : -1;
    const bias = 1 / Math.sqrt(6 * n);
    const randomness = random.fork('records');
    return {
      features: Float64Array.from({ length: n }, () =>
        randomness.uniform() < (1 + bias * sign) / 2 ? moment : -moment,
      ),
      labels: new Float64Array(n),
      rows: n,
      columns: 1,
      optimum: Float64Array.of(radius * sign),
      excessRisk: ([w]) => bias * moment * (radius - sign * w),
    };
  },
});
