import {
  attachData, buildProximal, centralCurator, drive, findPlugin, InvalidParameter, openLedger, resolvePlugin, sameEvent, sampleWithoutReplacement, seededRandom,
  type Calibrate, type DataSet, type DomainPlugin, type Interval, type Loss, type Optimizer, type PrivacyEvent, type Registry, type Run, eventKindsOf,
} from '@lethe/core';
import { accountants, bestOf } from '@lethe/accountants';
import { averageRisk, nonPrivateOptimum, type Table } from '@lethe/losses';
import { depthFor, profileOf } from '../profile/profile.js';
import { headlineCells } from '../report/headline.js';
import type { Cell, EvaluationResult, ProblemResult, SimulatedRun } from '../experiment/results.js';
import { labelOf, paramsOn, type BudgetSpec, type Evaluation, type ComparedSpec, type ProblemSpec } from '../experiment/schema.js';
import { compare, expectationOf } from './compare.js';
import { environment } from './environment.js';
import { copyOf } from './layout.js';
import { loadRecords, type Records } from './load.js';
import { lowerBoundOf } from './lower-bound.js';
import { publicProblem, type PublicProblem } from './problem.js';
import type { Progress } from './progress.js';
import { spreadOf } from './spread.js';
import { isUnprotected } from './unprotected.js';

/** What an evaluation takes from its surroundings. */
export interface EvaluationContext {
  readonly registry: Registry;
  readonly calibrate: Calibrate;
  /** Folder that relative paths in the experiment start from. */
  readonly folder: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly command: string;
}

interface Setting { readonly spec: ComparedSpec; readonly budget: BudgetSpec; readonly n: number; readonly run: Run }

/**
 * Runs every optimizer, budget and size of an evaluation over many seeds, with seeded curators. Every combination is planned
 * before any data are read, so a mistake in the last one costs nothing.
 */
export async function evaluate(experiment: Evaluation, context: EvaluationContext): Promise<EvaluationResult> {
  const tables = new Map<string, Promise<Table>>();
  const problems: ProblemResult[] = [];
  for (const spec of experiment.problems) problems.push(await evaluateProblem(experiment, spec, tables, context));
  return { kind: 'evaluation', label: 'simulation: no privacy', experiment, command: context.command, environment: environment(), problems };
}

async function evaluateProblem(experiment: Evaluation, spec: ProblemSpec, tables: Map<string, Promise<Table>>, context: EvaluationContext): Promise<ProblemResult> {
  const { registry, progress, signal } = context;
  progress.phase(`${spec.title}: reading the records`);
  const records = await loadRecords(spec, context.folder, tables);
  const { rows: population, columns: dimension } = records;
  const sizes = experiment.sizes ?? [population];
  const tooMany = sizes.find((n) => n > population);
  if (tooMany !== undefined) throw new InvalidParameter(`sizes asks for ${tooMany} records, problem '${spec.name}' has ${population}`, { n: tooMany, population });
  const publicOf = (n: number): PublicProblem => publicProblem(spec, { registry, adjacency: experiment.adjacency, n, dimension, rowNorm: records.rowNorm, columnBounds: records.columnBounds });
  const first = publicOf(sizes[0]!);
  progress.phase(`${spec.title}: planning`);
  const settings = planAll(experiment, spec, sizes, publicOf, context);

  progress.phase(`${spec.title}: non-private optimum on ${population.toLocaleString('en')} records`);
  const loss = resolvePlugin<Loss>(registry, first.problem.loss);
  const domainPlugin = resolvePlugin<DomainPlugin>(registry, first.problem.domain);
  const domain = domainPlugin.plugin.build(domainPlugin.params, dimension);
  const { regulariser } = spec;
  const optimum = nonPrivateOptimum(loss, records, domain, regulariser === undefined ? {} : { regulariser });
  const added = regulariser === undefined ? null : buildProximal(regulariser, dimension);
  const risk = (w: Float64Array): number => averageRisk(loss, records, w) + (added?.value(w) ?? 0);
  const start = domain.projectInto(new Float64Array(dimension), new Float64Array(dimension));

  const done = new Map<Setting, { runs: SimulatedRun[]; event: PrivacyEvent; matches: boolean }>();
  const { first: firstSeed, count } = experiment.seeds;
  progress.start(settings.length * count);
  for (const n of sizes) {
    for (let seed = firstSeed; seed < firstSeed + count; seed++) {
      const data = sampleData(records, n, seed, experiment, spec, first, context);
      for (const setting of settings.filter((s) => s.n === n)) {
        signal.throwIfAborted();
        const label = `${spec.name}/${labelOf(setting.spec)}/${setting.budget.epsilon}/${n}/${seed}`;
        const curator = centralCurator({ data, registry, run: label, random: seededRandom(`curator/${experiment.name}/${label}`), allowUnprotected: setting.spec.unprotected, ...(experiment.adjacency === 'add-remove' ? { publicSlots: n } : {}) });
        const { output } = await drive(setting.run, curator, { start, random: seededRandom(`public/${experiment.name}/${label}`), signal, pause: progress.pause });
        const event = curator.spent();
        const known = done.get(setting);
        const result = { seed, excessRisk: risk(output) - optimum.risk };
        const matches = sameEvent(event, setting.run.plan.event);
        if (known === undefined) done.set(setting, { runs: [result], event, matches });
        else { known.runs.push(result); known.matches &&= matches; }
        progress.step(`${spec.name} · ${labelOf(setting.spec)} · ε = ${setting.budget.epsilon} · n = ${n} · seed ${seed}`);
      }
    }
  }
  const accountant = bestOf(accountants, eventKindsOf(registry));
  const cells = settings.map((setting): Cell => cellOf(setting, done.get(setting)!, (event, { delta }) => accountant.epsilon(event, { adjacency: experiment.adjacency, delta })));
  const headline = new Set(headlineCells({ cells }));
  const withProfiles = cells.map((cell, i): Cell => (headline.has(cell) && cell.unprotected !== true
    ? { ...cell, profile: profileOf(done.get(settings[i]!)!.event, { accountant, adjacency: experiment.adjacency, depth: depthFor(cell.budget.delta) }) } : cell));
  const comparison = compare(withProfiles, (cell) => expectationOf(experiment.optimizers.find((optimizer) => labelOf(optimizer) === cell.label)!.expected, spec.name, cell));
  return {
    name: spec.name, title: spec.title, loss: spec.loss.name, dimension, featureNames: records.featureNames, population, facts: first.facts,
    optimum: { risk: optimum.risk, point: [...optimum.point] }, startExcess: risk(start) - optimum.risk, cells: withProfiles, ...(comparison === null ? {} : { comparison }),
    lowerBound: lowerBoundOf(experiment, sizes, (n) => publicOf(n).problem, context),
  };
}

function planAll(experiment: Evaluation, spec: ProblemSpec, sizes: readonly number[], publicOf: (n: number) => PublicProblem, { registry, calibrate }: EvaluationContext): Setting[] {
  return sizes.flatMap((n) => experiment.optimizers.flatMap((optimizer) => experiment.budgets.map((budget): Setting => {
    const run = findPlugin<Optimizer>(registry, 'optimizer', optimizer.name).prepare({ problem: publicOf(n).problem, budget, params: paramsOn(optimizer, spec.name), calibrate, random: seededRandom(`plan/${experiment.name}/${spec.name}`) });
    assertMayRun(optimizer, run);
    return { spec: optimizer, budget, n, run };
  })));
}

/** @throws {InvalidParameter} for a plan that releases without noise, unless the experiment says that it may. */
function assertMayRun(optimizer: ComparedSpec, { plan }: Run): void {
  if (optimizer.unprotected || !isUnprotected(plan.event)) return;
  throw new InvalidParameter(`optimizer '${labelOf(optimizer)}' releases without noise, so it has no privacy; write unprotected: true beside its name to compare with it all the same`, { optimizer: labelOf(optimizer) });
}

/** A sample of the population, without replacement; the same for every optimizer and budget of a seed. */
function sampleData(records: Records, n: number, seed: number, experiment: Evaluation, spec: ProblemSpec, { record }: PublicProblem, { registry }: EvaluationContext): DataSet {
  const chosen = sampleWithoutReplacement(seededRandom(`sample/${experiment.name}/${spec.name}/${n}/${seed}`), records.rows, n);
  const { dimension: _, ...domain } = record;
  return attachData({
    features: copyOf(records, chosen, spec.data.layout),
    labels: Float64Array.from(chosen, (row) => records.labels[row]!),
    loss: { kind: 'loss', ...spec.loss }, registry, domain, outside: 'clip', ledger: openLedger({ adjacency: experiment.adjacency }),
  });
}

function cellOf({ spec, budget, n, run }: Setting, { runs, event, matches }: { readonly runs: readonly SimulatedRun[]; readonly event: PrivacyEvent; readonly matches: boolean }, account: (event: PrivacyEvent, budget: BudgetSpec) => Interval): Cell {
  const { event: planned, utility, gradients } = run.plan;
  return {
    optimizer: spec.name, label: labelOf(spec), budget, n, plan: { ...run.plan, event: planned, utility, gradients },
    accounted: account(event, budget),
    ledgerMatchesPlan: matches, ...(isUnprotected(event) ? { unprotected: true } : {}), runs, excess: spreadOf(runs.map(({ excessRisk }) => excessRisk)),
  };
}
