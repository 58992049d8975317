import {
  ask,
  gaussianEvent,
  referenceTo,
  seededRandom,
  Unsupported,
  type Batch,
  type Optimizer,
  type Plugin,
  type Problem,
  type Program,
  type Ref,
  type Registry,
  type StoredPlan,
  type Vector,
} from '@lethe/core';
import { defineOptimizer, storedPlan } from '@lethe/curator';
import * as z from 'zod';
import { plain } from './common.js';

const params = z.strictObject({ mean: referenceTo('mean'), noiseMultiplier: z.number().positive() });
type Release = z.output<typeof params>;
const common = {
  ...plain,
  params,
  needs: {},
  adjacencies: ['replace-one', 'add-remove', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  stopping: 'fixed',
  facts: {},
} as const;

const meanAt = ({ mean, noiseMultiplier }: Release, at: Vector, batch: Batch): Program<Vector> =>
  ask.mean({ at, batch, mean, target: { noiseMultiplier } });

/** Moves from the start against one private mean, and by public coins. */
const oneStep = defineOptimizer({
  ...common,
  name: 'laws/one-step',
  plan: (context) => ({ ...context.params, utility: null }),
  *steps({ plan, start, allRecords, random }) {
    const answer = yield* meanAt(plan, start, allRecords);
    const move = random.uniform();
    return start.map((x, j) => x - answer[j] + move / 8);
  },
});

/** How many points {@link byChance} may end at. */
export const chances = 8;
/** The output of the last run of {@link byChance}: who keeps one has to copy it. */
const reused = new Float64Array(2);
let ended = 0;
/** How many runs of {@link byChance} have ended in this process. */
export const endedRuns = (): number => ended;
/**
 * Ends at a multiple of `1/chances` along the first axis; all are equally likely where the mean is zero: its
 * noise decides the half, and public coins the place in it.
 */
const byChance = defineOptimizer({
  ...common,
  name: 'laws/by-chance',
  plan: (context) => ({ ...context.params, utility: null }),
  *steps({ plan, start, allRecords, random }) {
    const noise = yield* meanAt(plan, start, allRecords);
    const place = random.integer(chances / 2) + (noise[0] > 0 ? chances / 2 : 0);
    const output = start.length === reused.length ? reused : new Float64Array(start.length);
    output[0] = place / chances;
    // A run that is priced has no noise.
    if (noise.some((entry) => entry !== 0)) ended++;
    return output;
  },
});

/** States the cost of one release, and asks for two. */
const overdrawn = defineOptimizer({
  ...common,
  name: 'laws/overdrawn',
  plan: (context) => ({
    ...context.params,
    utility: null,
    event: gaussianEvent(context.params.noiseMultiplier, {
      'replace-one': context.problem.adjacency === 'replace-one' ? 1 : 2,
      'add-remove': context.problem.adjacency === 'replace-one' ? 0.5 : 1,
      'zero-out': context.problem.adjacency === 'replace-one' ? 0.5 : 1,
    }),
    gradients: 1,
  }),
  *steps({ plan, start, allRecords, rounds }) {
    let answer = start;
    // Left early, so that the steps have no price and the plan is believed.
    for (const _ of rounds(2)) {
      answer = yield* meanAt(plan, start, allRecords);
      break;
    }
    answer = yield* meanAt(plan, answer, allRecords);
    return start.map((x, j) => x - answer[j]);
  },
});

const each: Readonly<Record<BaseName, Optimizer<string, typeof params>>> = {
  'one-step': oneStep,
  'by-chance': byChance,
  overdrawn,
};
/** Names of the optimizers that laws select from. */
export type BaseName = 'one-step' | 'by-chance' | 'overdrawn';
/** All of them. */
export const bases: readonly Plugin[] = Object.values(each);

/** A run of such an optimizer as a plan, for a selection. */
export const plannedBase = (
  name: BaseName,
  registry: Registry,
  problem: Pick<Problem, 'adjacency' | 'dimension' | 'slots' | 'loss'>,
  release: { readonly mean: Ref<'mean'>; readonly noiseMultiplier: number },
): StoredPlan =>
  storedPlan(
    each[name].prepare({
      registry,
      problem: {
        ...problem,
        trust: { model: 'central' },
        domain: { kind: 'domain', name: 'laws/around', params: { radius: 100 } },
        capabilities: {},
        facts: {},
      },
      budget: { epsilon: 1, delta: 1e-6 },
      params: release,
      calibrate: () => {
        throw new Unsupported('the noise is given', {});
      },
      random: seededRandom('public'),
    }),
  );
