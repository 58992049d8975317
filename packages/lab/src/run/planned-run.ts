import {
  canonicalJson,
  Corrupt,
  findPlugin,
  type Budget,
  type Calibrate,
  type Optimizer,
  type Problem,
  type Registry,
  type RandomSource,
  type Run,
  type StoredPlan,
} from '@lethe/core';
import { storedPlan } from '@lethe/curator';
import { heldFilter } from './held-filter.js';

/** The plan that a release began with, as its run file holds it. */
export interface RecordedPlan {
  readonly plan: StoredPlan;
  /** Parameters of the optimizer in the experiment, which the plan was made from. */
  readonly params: unknown;
  /** Facts that planning read. */
  readonly factsRead: readonly string[];
}

/** Inputs of the plan of a release. */
export interface PlanRequest {
  readonly registry: Registry;
  readonly optimizer: string;
  readonly params: unknown;
  readonly problem: Problem;
  readonly budget: Budget;
  readonly calibrate: Calibrate;
  /** The public coins of the run. */
  readonly random: RandomSource;
}

/** Plans a release. @throws what `Optimizer.prepare` throws. */
export const planRun = (request: PlanRequest): Run =>
  findPlugin<Optimizer>(request.registry, 'optimizer', request.optimizer).prepare({
    ...request,
    filter: heldFilter(request.registry),
  });

/** Record of a new run's plan for its run file. */
export const recordedPlan = (run: Run, { params }: PlanRequest): RecordedPlan => ({
  plan: storedPlan(run),
  params,
  factsRead: run.factsRead?.() ?? [],
});

/**
 * Starts a release from the plan that it began with. Nothing is calibrated, so a planner with another result,
 * on another machine or with other accountants, does not change the run.
 *
 * @param path - The run file, for messages.
 * @throws {Corrupt} when the experiment has changed, or the plan is damaged.
 * @throws {IncompatiblePlugins} for a plan of another version of the optimizer, or of Lethe.
 */
export function resumedRun(request: PlanRequest, recorded: RecordedPlan, path: string): Run {
  const { registry, optimizer: name, random } = request;
  const optimizer = findPlugin<Optimizer>(registry, 'optimizer', name);
  const differs = differencesOf(request, optimizer, recorded);
  if (differs.length > 0)
    throw new Corrupt(
      `the run began with another ${differs.join(', another ')}. Put the experiment back as it was, ` +
        'or make another release with --again, charged anew.',
      { path, differs },
    );
  try {
    const run = optimizer.fromPlan({ plan: recorded.plan, registry, random, filter: heldFilter(registry) });
    const factsRead = (): readonly string[] => [
      ...new Set([...recorded.factsRead, ...(run.factsRead?.() ?? [])]),
    ];
    return { ...run, factsRead };
  } catch (error) {
    if (!(error instanceof Corrupt)) throw error;
    throw new Corrupt(
      `the plan in ${path} is damaged. Delete its entry 'recorded', ` +
        `then --resume plans again. (${error.message})`,
      { ...error.details, path },
      { cause: error },
    );
  }
}

/** Names of the parts of an experiment that differ from those that the run began with. */
function differencesOf(
  { problem, budget, params, optimizer: name }: PlanRequest,
  { needs }: Optimizer,
  { plan, params: before }: RecordedPlan,
): readonly string[] {
  const now = { ...problem, capabilities: { ...problem.capabilities, ...needs } };
  const parts: Readonly<Record<string, readonly [unknown, unknown]>> = {
    optimizer: [name, plan.optimizer],
    params: [params, before],
    problem: [now, plan.problem],
    budget: [budget, plan.budget],
  };
  return Object.keys(parts).filter((part) => canonicalJson(parts[part][0]) !== canonicalJson(parts[part][1]));
}
