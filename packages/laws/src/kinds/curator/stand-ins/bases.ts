import {
  ask,
  defineOptimizer,
  referenceTo,
  seededRandom,
  storedPlan,
  Unsupported,
  type Plugin,
  type Problem,
  type Ref,
  type Registry,
  type StoredPlan,
} from '@lethe/core';
import { z } from 'zod';
import { plain } from './common.js';

/** Moves from the start against one private mean, and by a public coin. */
const oneStep = defineOptimizer({
  ...plain,
  name: 'laws/one-step',
  params: z.strictObject({ mean: referenceTo('mean'), noiseMultiplier: z.number().positive() }),
  needs: {},
  adjacencies: ['replace-one', 'add-remove', 'zero-out'],
  trustModels: ['central', 'shuffle'],
  privacyRestsOn: 'clip',
  stopping: 'fixed',
  facts: {},
  plan: ({ params }) => ({ ...params, utility: null }),
  *steps({ plan, start, allRecords, random }) {
    const { mean, noiseMultiplier } = plan;
    const answer = yield* ask.mean({ at: start, batch: allRecords, mean, target: { noiseMultiplier } });
    const coin = random.uniform();
    return start.map((x, j) => x - answer[j] + coin / 8);
  },
});

/** All of them. */
export const bases: readonly Plugin[] = [oneStep];

/** A run of {@link oneStep} as a plan, for a selection. */
export const plannedStep = (
  registry: Registry,
  problem: Pick<Problem, 'adjacency' | 'dimension' | 'slots' | 'loss'>,
  { mean, noiseMultiplier = 1.5 }: { readonly mean: Ref<'mean'>; readonly noiseMultiplier?: number },
): StoredPlan =>
  storedPlan(
    oneStep.prepare({
      registry,
      problem: {
        ...problem,
        trust: { model: 'central' },
        domain: { kind: 'domain', name: 'laws/around', params: { radius: 100 } },
        capabilities: {},
        facts: {},
      },
      budget: { epsilon: 1, delta: 1e-6 },
      params: { mean, noiseMultiplier },
      calibrate: () => {
        throw new Unsupported('noise is given here', {});
      },
      random: seededRandom('public'),
    }),
  );
