import { ask } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import * as z from 'zod';
import { gaussianMean } from '../common/problem-facts.js';
import { silosOf } from '../common/silos.js';
import { batchSizeOf } from '../common/stream-over-batches.js';
import { average, descend, incrementTerms, mu2Start } from './momentum-sum.js';

/** As good as no bound: without noise none is needed, and a query has one. */
const release = { mean: gaussianMean(1e150), target: { unprotected: true } } as const;

const params = z.strictObject({
  rounds: z.int().positive().describe('T: rounds of the one pass, each on ⌊n / T⌋ records of its own.'),
  stepSize: z.number().positive().describe('η: step along the weighted momentum q_t = t d_t.'),
  deviation: z
    .number()
    .nonnegative()
    .default(0)
    .describe('Standard deviation of each entry of Y_t, which is added to q_t; 0 for μ²-SGD itself.'),
});

/**
 * μ²-SGD, and noisy μ²-SGD: anytime averages, corrected momentum, and `w ← P(w − η(q_t + Y_t))`, for
 * comparison with {@link dpMu2Sgd}. The noise is drawn from public coins and protects nothing.
 *
 * Its gradients are released as they are: it runs only on a curator that allows that, and its event is no
 * privacy at all. It is not among `optimizers`.
 */
export const mu2Sgd = defineOptimizer({
  name: 'mu2-sgd',
  summary: 'Descent on corrected momentum at averages of its iterates, without privacy, for comparison.',
  source: { id: 'reshef-levy-2024', item: 'Equations 5 to 7' },
  params,
  examples: [
    { rounds: 8, stepSize: 0.05 },
    { rounds: 4, stepSize: 0.05, deviation: 0.5 },
  ],
  claims: [
    { property: 'gradients', statement: '2T⌊n/T⌋ − ⌊n/T⌋: two for each record, one in the first batch' },
  ],
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central', 'federated'],
  privacyRestsOn: 'clip',
  plan({ problem, params: given }) {
    const [batchSize] = silosOf(problem).slots.map((slots) => batchSizeOf(given.rounds, slots));
    return { ...given, batchSize, utility: null };
  },
  *steps({ plan, domain, start, allRecords, random, state, parts }) {
    const batches = yield* ask.split({
      of: allRecords,
      order: 'stored',
      parts: { by: 'count', count: plan.rounds },
    });
    const iterates = state(mu2Start(domain, start));
    const { x, q, w } = iterates;
    const randomness = random.fork('noise');
    for (const [t, batch] of parts(batches, (number) => (number === 1 ? 'first' : 'later'))) {
      const increment = yield* ask.mean({ batch, terms: incrementTerms(t, iterates), ...release });
      const Y = randomness.fork(`${t}`).gaussianInto(new Float64Array(q.length));
      for (let j = 0; j < q.length; j++) {
        q[j] += increment[j];
        w[j] -= plan.stepSize * plan.deviation * Y[j];
      }
      descend(domain, plan.stepSize, iterates);
      if (t < plan.rounds) average(t, iterates);
    }
    return x;
  },
});
