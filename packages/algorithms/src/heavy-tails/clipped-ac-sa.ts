import { InvalidParameter, LetheError, type Optimizer, type Problem, type StoredPlan } from '@lethe/core';
import { defineOptimizer, storedPlan } from '@lethe/curator';
import type { Domain } from '@lethe/numerics';
import * as z from 'zod';
import { centralSlots, diameterOf } from '../common/problem-facts.js';
import { composedAcSa } from './composed-ac-sa.js';
import { momentsOf, recordLipschitzOf, startDistanceOf } from './facts.js';
import { noisyClippedAcSa } from './noisy-clipped-ac-sa.js';

const name = 'clipped-ac-sa';
const forms = ['one-pass', 'composed'] as const;
type Form = (typeof forms)[number];
const optimizerOf = { 'one-pass': noisyClippedAcSa, composed: composedAcSa } as unknown as Readonly<
  Record<Form, Optimizer>
>;

const params = z.strictObject({
  form: z
    .enum(forms)
    .optional()
    .describe('Each record in one round, or all records in every round. Left out: the plan chooses.'),
  onePass: z.record(z.string(), z.unknown()).default({}).describe('Parameters of noisy-clipped-ac-sa.'),
  composed: z.record(z.string(), z.unknown()).default({}).describe('Parameters of composed-ac-sa.'),
});

/** A form as it would run, with the excess population risk that it is chosen by. */
interface Candidate {
  readonly form: Form;
  readonly plan: StoredPlan;
  readonly risk: number;
}

/**
 * What samples of a population cost whatever method reads them, up to a constant: `r D/√n`, for the least
 * size `r` that gradients are known to have, in mean square or each.
 */
function samplingError(problem: Problem, domain: Domain): number {
  const sizes = momentsOf(problem, 'pointwise').map(({ moment }) => moment);
  const size = Math.min(recordLipschitzOf(problem, domain) ?? Infinity, ...sizes);
  const distance = Math.min(startDistanceOf(problem, domain), diameterOf(problem, domain));
  return (size * distance) / Math.sqrt(centralSlots(problem));
}

/**
 * Accelerated descent on clipped gradients, in one pass or on all records in every round: the plan prepares
 * both, {@link noisyClippedAcSa} and {@link composedAcSa}, and takes the one with the smaller number. That of
 * one pass is its proved bound on the excess population risk. That of all records in every round is public
 * and a heuristic: its bound on the empirical risk if nothing is clipped, plus `r D/√n` for what samples cost
 * any method. `plan.form` says which was taken, `plan.compared` both numbers, and `plan.chosenBy` whether the
 * one that decided is proved. `plan.utility` is that of the form taken: of the population for one pass, of
 * the records at hand otherwise.
 *
 * Facts are those of both. A form that cannot be planned, for a fact that is missing, is not taken.
 */
export const clippedAcSa = defineOptimizer({
  name,
  summary: 'Accelerated clipped gradient descent, in one pass or on all records in every round, by the plan.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithm 5, in one pass or with every record in every round' },
  params,
  examples: [{ onePass: { rounds: 3, clipNorm: 1 }, composed: { rounds: 2, clipNorm: 1 } }],
  claims: [
    { property: 'event', statement: 'that of the form taken' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  needs: { convex: true, smooth: true },
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  schedule: z.looseObject({ form: z.enum(forms), base: z.looseObject({}) }),
  plan({ problem, domain, registry, budget, calibrate, random, params: given }) {
    const reasons: string[] = [];
    const own = { 'one-pass': given.onePass, composed: given.composed };
    const candidates = (given.form === undefined ? forms : [given.form]).flatMap((form): Candidate[] => {
      try {
        const run = optimizerOf[form].prepare({
          problem,
          registry,
          budget,
          params: own[form],
          calibrate,
          random,
        });
        const { utility } = run.plan;
        const { predicted } = run.plan as { readonly predicted?: number };
        const plan = storedPlan(run);
        if (form === 'one-pass') return [{ form, plan, risk: utility?.bound ?? Infinity }];
        const risk = (predicted ?? Infinity) + samplingError(problem, domain);
        return [{ form, plan, risk }];
      } catch (error) {
        if (!(error instanceof LetheError) || given.form !== undefined) throw error;
        reasons.push(`${form}: ${error.message}`);
        return [];
      }
    });
    if (candidates.length === 0)
      throw new InvalidParameter(`neither form can be planned; ${reasons.join('; ')}`, { reasons });
    const taken = candidates.reduce((best, one) => (one.risk < best.risk ? one : best));
    const { utility = null, uncovered = null } = taken.plan.plan as {
      readonly utility?: { readonly bound: number; readonly source: string } | null;
      readonly uncovered?: string | null;
    };
    return {
      form: taken.form,
      base: taken.plan,
      compared: Object.fromEntries(
        candidates.flatMap(({ form, risk }) => (risk < Infinity ? [[form, risk] as const] : [])),
      ),
      chosenBy: chosenBy(taken, candidates, given.form),
      utility,
      uncovered,
    };
  },
  *steps({ plan, registry, random, ...context }) {
    const run = optimizerOf[plan.form].fromPlan({ plan: plan.base as StoredPlan, registry, random });
    return yield* run.steps({ ...context, random });
  },
});

function chosenBy(taken: Candidate, all: readonly Candidate[], asked: Form | undefined): string {
  if (asked !== undefined) return 'the parameter form';
  if (all.length === 1) return 'the other form cannot be planned for this problem';
  // Numbers of a plan are finite, so that without a bound one pass is not taken.
  return taken.form === 'one-pass'
    ? 'its proved bound is below the heuristic of the other form'
    : 'a heuristic: its bound if nothing is clipped, and r D/√n, are below the bound of one pass';
}
