import {
  InvalidParameter,
  sameEvent,
  type Calibrate,
  type Interval,
  type Optimizer,
  type PrivacyEvent,
  type Problem,
  type RandomSource,
  type Registry,
  type Run,
  eventKindsOf,
} from '@lethe/core';
import { type WatchedFacts, watchedFacts } from '@lethe/curator';
import { bestOfSweeps } from './best-of-sweeps.js';
import { bestOf } from '@lethe/accountants';
import { defined, errorAt } from '@lethe/numerics';
import { accountantsIn } from '../plugins/accountants-in.js';
import type { LoadedPlugins } from '../plugins/load-plugins.js';
import { depthFor, profileOf } from '../profile/profile.js';
import { headlineCells } from '../report/headline.js';
import type { Cell, EvaluationResult, ProblemResult, SimulatedRun } from '../experiment/results.js';
import {
  isHard,
  labelOf,
  type BudgetSpec,
  type ComparedSpec,
  type Evaluation,
  type ProblemSpec,
} from '../experiment/schema.js';
import { bracketOf } from './bracket.js';
import type { CellStore } from './cell-store.js';
import { combinationsOf, planRandomness } from './combinations.js';
import { compare, expectationOf } from './compare.js';
import { environment } from './environment.js';
import { isOfPopulation } from './generated-population.js';
import { hardBound } from './hard-population.js';
import { heldFilter } from './held-filter.js';
import { lowerBoundOf } from './lower-bound.js';
import { populationOf, sizesOf } from './population-of.js';
import { longPlan } from './long-plan.js';
import type { Drawable, Population, SharedRecords } from './population.js';
import type { Progress } from './progress.js';
import { ratesOf } from './rates.js';
import type { Tables } from './records.js';
import { assertEnough } from './records-population.js';
import { takenFrom, type Share } from './share.js';
import { spreadOf } from './spread.js';
import { isUnprotected } from './unprotected.js';
import { labelOfRun, publicSource, tasksOf, type Setting, type Task } from './tasks.js';
import { unreadFacts, type FactsOfProblem } from './unread-facts.js';

/** Inputs of an evaluation besides the experiment. */
export interface EvaluationContext {
  readonly registry: Registry;
  /** Modules of the plugins that do not ship with Lethe, recorded with the result. */
  readonly plugins?: readonly LoadedPlugins[];
  readonly calibrate: Calibrate;
  /** Folder of relative paths in the experiment. */
  readonly folder: string;
  /** Where runs are kept when they are done, and found again. @defaultValue nowhere */
  readonly cells?: CellStore | undefined;
  /** Records that another thread has read, by problem. @defaultValue none */
  readonly shared?: ReadonlyMap<string, SharedRecords> | undefined;
  /** Problems that were opened before, by name. @defaultValue none */
  readonly opened?: ReadonlyMap<string, OpenProblem> | undefined;
  /** Computes only the runs that no other thread takes, for `fillCells`. @defaultValue all */
  readonly share?: Share | undefined;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Called when runs begin, after which an interrupt is awaited; its answer is called when they end. */
  readonly hold?: () => () => void;
  readonly command: string;
}

/** `events`: the distinct privacy events of the seeds. */
interface Done {
  readonly runs: SimulatedRun[];
  readonly starts: number[];
  readonly seconds: number[];
  readonly events: PrivacyEvent[];
  matches: boolean;
}

/**
 * Runs every optimizer, budget and size of an evaluation over many seeds, with seeded curators. Every
 * combination is planned before data are read, so mistakes are found early.
 */
export async function evaluate(
  experiment: Evaluation,
  context: EvaluationContext,
): Promise<EvaluationResult> {
  const tables: Tables = new Map();
  const problems: ProblemResult[] = [];
  const facts: FactsOfProblem[] = [];
  const seconds: number[] = [];
  for (const spec of experiment.problems) {
    const { result, read, taken } = await evaluateProblem(experiment, spec, tables, context);
    problems.push(result);
    seconds.push(...taken);
    facts.push({ problem: spec.name, declared: Object.keys(spec.facts), read });
  }
  const unread = unreadFacts(facts);
  if (unread !== null) context.progress.warn(unread);
  return {
    kind: 'evaluation',
    label: 'simulation: no privacy',
    experiment,
    command: context.command,
    environment: environment(context.plugins),
    problems,
    seconds,
  };
}

/**
 * Computes a share of the runs of an evaluation into its cells, and nothing else. Every run has randomness of
 * its own, so that results do not depend on who computes which.
 */
export async function fillCells(
  experiment: Evaluation,
  context: EvaluationContext & Required<Pick<EvaluationContext, 'cells' | 'share'>>,
): Promise<void> {
  for await (const { spec, settings, population } of plannedProblems(experiment, context))
    await runAll(experiment, spec, settings, population, context);
}

/** All problems by name, to evaluate with, and what worker threads share of them. */
export async function openProblems(
  experiment: Evaluation,
  context: EvaluationContext,
): Promise<{
  readonly opened: ReadonlyMap<string, OpenProblem>;
  readonly shared: ReadonlyMap<string, SharedRecords>;
}> {
  const opened = new Map<string, OpenProblem>();
  const shared = new Map<string, SharedRecords>();
  for await (const problem of plannedProblems(experiment, context)) {
    if (problem.population.records !== null)
      context.progress.phase(`${problem.spec.title}: non-private optimum`);
    opened.set(problem.spec.name, problem);
    const one = await problem.population.share?.();
    if (one !== undefined && one !== null) shared.set(problem.spec.name, one);
  }
  return { opened, shared };
}

/**
 * Every run of an evaluation, as tasks that anybody may do, and its problems, to evaluate with. Records are
 * read, and no run is made.
 */
export async function allTasks(
  experiment: Evaluation,
  context: EvaluationContext,
): Promise<{ readonly tasks: readonly Task[]; readonly opened: ReadonlyMap<string, OpenProblem> }> {
  const tasks: Task[] = [];
  const opened = new Map<string, OpenProblem>();
  for await (const problem of plannedProblems(experiment, context)) {
    const { spec, settings, population } = problem;
    opened.set(spec.name, problem);
    tasks.push(...(await tasksOf(experiment, spec, settings, population, context)).tasks);
  }
  return { tasks, opened };
}

/** A problem with its records and plans. */
export interface OpenProblem {
  readonly spec: ProblemSpec;
  readonly population: Population;
  readonly sizes: readonly number[];
  readonly settings: readonly Setting[];
}

/** The problems of an evaluation, one after another. */
async function* plannedProblems(
  experiment: Evaluation,
  context: EvaluationContext,
): AsyncGenerator<OpenProblem> {
  const tables: Tables = new Map();
  for (const spec of experiment.problems) {
    yield await openProblem(spec, experiment, tables, context);
  }
}

async function openProblem(
  spec: ProblemSpec,
  experiment: Evaluation,
  tables: Tables,
  context: EvaluationContext,
): Promise<OpenProblem> {
  const { progress } = context;
  progress.phase(
    `${spec.title}: ` +
      `${isHard(spec) || isOfPopulation(spec) ? 'describing the law of the records' : 'reading the records'}`,
  );
  const population = await populationOf(spec, experiment, { ...context, tables });
  const sizes = sizesOf(experiment, spec, population);
  assertEnough(population, sizes, spec.name);
  progress.phase(`${spec.title}: planning`);
  const settings = planAll(experiment, spec, sizes, population, context);
  return { spec, population, sizes, settings };
}

async function evaluateProblem(
  experiment: Evaluation,
  spec: ProblemSpec,
  tables: Tables,
  context: EvaluationContext,
): Promise<{
  readonly result: ProblemResult;
  readonly read: readonly string[];
  readonly taken: readonly number[];
}> {
  const { registry, progress } = context;
  const { population, sizes, settings } =
    context.opened?.get(spec.name) ?? (await openProblem(spec, experiment, tables, context));
  warnOfLongPlans(settings, progress);
  if (population.records !== null)
    progress.phase(
      `${spec.title}: non-private optimum on ${population.records.toLocaleString('en')} records`,
    );
  const { optimum, withoutOptimum, heldOut, dataDigest, done } = await runAll(
    experiment,
    spec,
    settings,
    population,
    context,
  );

  const accountant = bestOf(accountantsIn(registry), eventKindsOf(registry));
  const starts = settings.map((setting) => mean(defined(done.get(setting)).starts));
  const isOneStart = Math.max(...starts) - Math.min(...starts) <= 1e-12 * Math.max(...starts.map(Math.abs));
  const costs = settings.map((setting) =>
    dearest(defined(done.get(setting)).events, (event) =>
      accountant.epsilon(event, {
        adjacency: experiment.adjacency,
        delta: setting.budget.delta,
        near: setting.budget.epsilon,
      }),
    ),
  );
  const cells = settings.map((setting, i): Cell => ({
    ...cellOf(setting, defined(done.get(setting)), costs[i]),
    ...(isOneStart ? {} : { startExcess: starts[i] }),
  }));
  const headline = new Set(headlineCells({ cells }));
  const withProfiles = cells.map((cell, i): Cell =>
    headline.has(cell) && cell.unprotected !== true
      ? {
          ...cell,
          profile: profileOf(costs[i].event, {
            accountant,
            adjacency: experiment.adjacency,
            depth: depthFor(cell.budget.delta),
          }),
        }
      : cell,
  );
  const comparison = compare(withProfiles, (cell) =>
    expectationOf(
      defined(experiment.optimizers.find((optimizer) => labelOf(optimizer) === cell.label)).expected,
      spec.name,
      cell,
    ),
  );
  const watched: WatchedFacts[] = [];
  const problemOf = (n: number, budget: BudgetSpec): Problem => {
    const { problem } = population.describe(n, budget, { model: 'central' });
    const watch = watchedFacts(problem.facts);
    watched.push(watch);
    return { ...problem, facts: watch.facts };
  };
  const first = population.describe(sizes[0], experiment.budgets[0], { model: 'central' });
  const lowerBoundHere = () => {
    if (withoutOptimum !== undefined) return null;
    if (isHard(spec) && (experiment.lowerBound?.name ?? spec.data.hard.name) === spec.data.hard.name)
      return hardBound(spec, experiment, context);
    return lowerBoundOf(experiment, sizes, problemOf, context);
  };
  const lowerBound = lowerBoundHere();
  const rates = withoutOptimum !== undefined ? [] : ratesOf(experiment, sizes, problemOf, context);
  const best = bestOfSweeps(withProfiles, experiment);
  const read = [
    ...settings.flatMap(({ planned }) => planned.flatMap((run) => run.factsRead?.() ?? [])),
    ...watched.flatMap((watch) => watch.read()),
  ];
  const result: ProblemResult = {
    name: spec.name,
    title: spec.title,
    loss: first.problem.loss.name,
    dimension: population.dimension,
    featureNames: population.featureNames,
    population: population.records,
    facts: first.facts,
    optimum,
    ...(withoutOptimum === undefined ? {} : { withoutOptimum }),
    startExcess: Math.max(...starts),
    dataDigest,
    ...(heldOut === undefined ? {} : { heldOut }),
    cells: withProfiles.map((cell) => bracketed(cell, lowerBound)),
    ...(best.length === 0 ? {} : { bestOfSweeps: best }),
    ...(comparison === null ? {} : { comparison }),
    ...(rates.length === 0 ? {} : { rates }),
    lowerBound,
  };
  return { result, read, taken: settings.flatMap((setting) => defined(done.get(setting)).seconds) };
}

/** Names the optimizers whose plans would compute for very long, each once, at its longest. */
function warnOfLongPlans(settings: readonly Setting[], progress: Progress): void {
  const longest = new Map<string, Setting>();
  for (const setting of settings) {
    const known = longest.get(labelOf(setting.spec));
    if (known === undefined || passesOf(setting) > passesOf(known))
      longest.set(labelOf(setting.spec), setting);
  }
  for (const [label, { planned, n }] of longest) {
    const warning = longPlan(planned[0].plan.gradients, n);
    if (warning !== null) progress.warn(`${label}, n = ${n}: ${warning}`);
  }
}

const passesOf = ({ planned, n }: Setting): number => planned[0].plan.gradients / n;

function bracketed(cell: Cell, lowerBound: ProblemResult['lowerBound']): Cell {
  const bracket = bracketOf(cell, lowerBound);
  return bracket === null ? cell : { ...cell, bracket };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

async function runAll(
  experiment: Evaluation,
  spec: ProblemSpec,
  settings: readonly Setting[],
  population: Population,
  context: EvaluationContext,
): Promise<
  Omit<Drawable, 'draw'> & { readonly dataDigest: string; readonly done: ReadonlyMap<Setting, Done> }
> {
  const { progress, signal, cells, share, hold = () => () => undefined } = context;
  const { opened, dataDigest, tasks } = await tasksOf(experiment, spec, settings, population, context);
  const drawable = opened();
  const { withoutOptimum } = drawable;
  if (withoutOptimum !== undefined)
    progress.warn(
      `problem '${spec.name}' is evaluated by risk alone, not by excess risk, ` +
        `and beside no lower bound: ${withoutOptimum}`,
    );
  const done = new Map<Setting, Done>();
  progress.start(tasks.length);
  const letGo = hold();
  try {
    const own = share === undefined ? tasks : takenFrom(tasks, experiment.problems.indexOf(spec), share);
    for (const { setting, planned, seed, text, inputs, compute } of own) {
      signal.throwIfAborted();
      const known = done.get(setting) ?? { runs: [], starts: [], seconds: [], events: [], matches: true };
      done.set(setting, known);
      const stored = cells?.get(inputs);
      const cell = stored ?? (await compute());
      if (stored === undefined) cells?.put(inputs, cell);
      const { event, excessRisk, startExcess, seconds, clipNorm, test } = cell;
      if (!known.events.some((other) => sameEvent(other, event))) known.events.push(event);
      known.runs.push({
        seed,
        excessRisk,
        ...(clipNorm === undefined ? {} : { clipNorm }),
        ...(test === undefined ? {} : { test }),
      });
      known.starts.push(startExcess);
      known.seconds.push(seconds);
      known.matches &&= sameEvent(event, planned.plan.event);
      progress.step(text);
    }
  } finally {
    letGo();
  }
  return { ...drawable, dataDigest, done };
}

function planAll(
  experiment: Evaluation,
  spec: ProblemSpec,
  sizes: readonly number[],
  population: Population,
  { registry, calibrate }: EvaluationContext,
): Setting[] {
  const filter = heldFilter(registry);
  return combinationsOf(experiment, spec, sizes, population, registry).map(
    ({ optimizer, problem, params, ...setting }): Setting => {
      const plan = (random: RandomSource): Run => {
        const run = prepared(optimizer, spec, {
          registry,
          problem,
          budget: setting.budget,
          params,
          calibrate,
          filter,
          random,
        });
        assertMayRun(setting.spec, run);
        return run;
      };
      if (optimizer.stopping !== 'public-coins')
        return { ...setting, planned: [plan(planRandomness(experiment, spec))] };
      const { first, count } = experiment.seeds;
      return {
        ...setting,
        planned: Array.from({ length: count }, (_, i) =>
          plan(publicSource(experiment, labelOfRun(experiment, spec, setting, first + i))),
        ),
      };
    },
  );
}

/** @throws as the optimizer, with the problem and the optimizer before the message. */
function prepared(
  optimizer: Optimizer,
  { name }: ProblemSpec,
  request: Parameters<Optimizer['prepare']>[0],
): Run {
  try {
    return optimizer.prepare(request);
  } catch (error) {
    throw errorAt(`problem '${name}', optimizer '${optimizer.name}'`, error);
  }
}

interface Cost {
  readonly event: PrivacyEvent;
  readonly accounted: Interval;
}

/** The most expensive of the events of a setting's seeds. */
function dearest(events: readonly PrivacyEvent[], account: (event: PrivacyEvent) => Interval): Cost {
  return events
    .map((event): Cost => ({ event, accounted: account(event) }))
    .reduce((most, one) => (one.accounted.upper > most.accounted.upper ? one : most));
}

/**
 * @throws {InvalidParameter} for a plan that releases without noise, unless the experiment says that it may.
 */
function assertMayRun(optimizer: ComparedSpec, { plan }: Run): void {
  if (optimizer.unprotected || !isUnprotected(plan.event)) return;
  throw new InvalidParameter(
    `optimizer '${labelOf(optimizer)}' releases without noise, so it has no privacy; ` +
      'write unprotected: true beside its name to compare with it all the same',
    { optimizer: labelOf(optimizer) },
  );
}

function cellOf(
  { spec, budget, n, trust, planned }: Setting,
  { runs, events, matches }: Done,
  { accounted }: Cost,
): Cell {
  const { plan } = planned[0];
  return {
    optimizer: spec.name,
    label: labelOf(spec),
    budget,
    n,
    ...(trust.model === 'central' ? {} : { trust }),
    plan,
    accounted,
    ledgerMatchesPlan: matches,
    ...(events.some(isUnprotected) ? { unprotected: true } : {}),
    runs,
    excess: spreadOf(runs.map(({ excessRisk }) => excessRisk)),
  };
}
