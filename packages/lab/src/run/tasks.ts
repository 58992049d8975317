import {
  drive,
  seededRandom,
  type RandomSource,
  type Registry,
  type Run,
  type TrustModel,
} from '@lethe/core';
import {
  labelOf,
  type BudgetSpec,
  type ComparedSpec,
  type Evaluation,
  type ProblemSpec,
} from '../experiment/schema.js';
import type { LoadedPlugins } from '../plugins/load-plugins.js';
import type { StoredCell } from './cell-store.js';
import { environment } from './environment.js';
import { watchClip } from './found-clip.js';
import type { Drawable, Population, Sample } from './population.js';
import type { Progress } from './progress.js';
import { curatorUnder } from './trust.js';

/** One optimizer at one budget and number of records. */
export interface Setting {
  readonly spec: ComparedSpec;
  readonly budget: BudgetSpec;
  readonly n: number;
  readonly trust: TrustModel;
  /** One plan per seed where plans depend on public coins, otherwise one for all seeds. */
  readonly planned: readonly Run[];
}

/** One run of an evaluation. Its randomness is its own, so that it does not matter who does it, and when. */
export interface Task {
  readonly setting: Setting;
  readonly seed: number;
  readonly planned: Run;
  /** Whatever runs on the same records has the same text here. */
  readonly records: string;
  /** What is run, for people. */
  readonly text: string;
  /** All that the run depends on. */
  readonly inputs: unknown;
  compute(): Promise<StoredCell>;
}

/** The runs of a problem, and the source of its records, which is opened when it is needed. */
export interface ProblemTasks {
  readonly opened: () => Drawable;
  readonly dataDigest: string;
  readonly tasks: readonly Task[];
}

/** What a task needs from its surroundings. */
export interface TaskContext {
  readonly registry: Registry;
  readonly plugins?: readonly LoadedPlugins[];
  readonly progress: Pick<Progress, 'pause'>;
  readonly signal: AbortSignal;
}

/** The runs of a problem in their order: those on the same records follow one another, and share a sample. */
export async function tasksOf(
  experiment: Evaluation,
  spec: ProblemSpec,
  settings: readonly Setting[],
  population: Population,
  { registry, progress, signal, plugins = [] }: TaskContext,
): Promise<ProblemTasks> {
  let drawable: Drawable | undefined;
  const opened = (): Drawable => (drawable ??= population.open());
  const dataDigest = await population.recordsKey();
  const { title: _title, ...problem } = spec;
  const shared = {
    lethe: environment(plugins),
    experiment: experiment.name,
    adjacency: experiment.adjacency,
    problem,
    recordsKey: dataDigest,
    ...(experiment.heldOut === undefined ? {} : { heldOut: experiment.heldOut }),
  };
  let last: { readonly key: string; readonly sample: Sample } | undefined;
  const sampleOf = ({ n, budget }: Setting, seed: number): Sample => {
    const key = JSON.stringify([n, budget, seed]);
    if (last?.key !== key) last = { key, sample: opened().draw(n, budget, seed) };
    return last.sample;
  };
  const taskOf = (setting: Setting, seed: number): Task => {
    const { spec: optimizer, budget, n, trust } = setting;
    const label = labelOfRun(experiment, spec, setting, seed);
    const planned = setting.planned[seed - experiment.seeds.first] ?? setting.planned[0];
    return {
      setting,
      seed,
      planned,
      records: `${n}/${seed}`,
      text: `${spec.name} · ${labelOf(optimizer)} · ε = ${budget.epsilon} · n = ${n} · seed ${seed}`,
      inputs: {
        ...shared,
        label,
        trust: { model: trust, given: optimizer.trust ?? null },
        budget,
        plan: planned.plan,
        mark: planned.mark,
      },
      async compute() {
        const { data, start, startExcess, excessRisk, test } = sampleOf(setting, seed);
        const curator = curatorUnder(
          trust,
          {
            data,
            registry,
            run: label,
            random: seededRandom(`curator/${experiment.name}/${label}`),
            allowUnprotected: optimizer.unprotected,
            held: planned.held,
            ...(experiment.adjacency === 'add-remove' ? { publicSlots: n } : {}),
          },
          optimizer.trust,
        );
        const begun = performance.now();
        const random = publicSource(experiment, label);
        const { observe, found } = watchClip(planned.plan);
        const { pause } = progress;
        const { output } = await drive(planned, curator, { start, random, signal, pause, observe });
        const clipNorm = found();
        const seconds = (performance.now() - begun) / 1000;
        return {
          event: curator.spent(),
          excessRisk: excessRisk(output),
          startExcess,
          seconds,
          ...(clipNorm === undefined ? {} : { clipNorm }),
          ...(test === undefined ? {} : { test: test(output) }),
        };
      },
    };
  };
  const { first, count } = experiment.seeds;
  const seeds = Array.from({ length: count }, (_, i) => first + i);
  const tasks = [...new Set(settings.map(({ n }) => n))].flatMap((n) =>
    seeds.flatMap((seed) =>
      experiment.budgets.flatMap((budget) =>
        settings
          .filter((setting) => setting.n === n && setting.budget === budget)
          .map((setting) => taskOf(setting, seed)),
      ),
    ),
  );
  return { opened, dataDigest, tasks };
}

/** Name of a run in its ledger; δ is part of it where budgets share their ε. */
export function labelOfRun(
  { budgets }: Evaluation,
  { name }: ProblemSpec,
  { spec, budget: { epsilon, delta }, n }: Omit<Setting, 'planned'>,
  seed: number,
): string {
  const shared = budgets.filter((other) => other.epsilon === epsilon).length > 1;
  return `${name}/${labelOf(spec)}/${epsilon}${shared ? ` at ${delta}` : ''}/${n}/${seed}`;
}

/** Public coins of a run, shared by its plan and its steps. */
export const publicSource = ({ name }: Evaluation, label: string): RandomSource =>
  seededRandom(`public/${name}/${label}`);
