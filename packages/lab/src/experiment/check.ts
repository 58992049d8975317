import {
  findPlugin,
  InvalidParameter,
  LetheError,
  parseOrThrow,
  type Adjacency,
  type Loss,
  type Optimizer,
  type Plugin,
  type PluginKind,
  type Registry,
  type TrustModel,
} from '@lethe/core';
import { assertMayFit } from '@lethe/curator';
import type * as z from 'zod';
import { hardSetting, settingsOfSeries } from '../mean-errors/hard-setting.js';
import { methodOf } from '../mean-errors/mean-method.js';
import { rateRows } from '../mean-errors/rate-rows.js';
import { distributionOf } from '../means/distribution.js';
import { settingsOf as settingsOfMean } from '../means/subject.js';
import { assertSpelt } from './fact-names.js';
import { hardPlugin, riskBound } from './hard-plugin.js';
import { fitsBound, referencesIn } from './nested-references.js';
import { issuesOf, type Issue } from './mistake.js';
import { assertProtects } from './protection.js';
import { pluginRef } from './parts.js';
import { rateOf } from './rate.js';
import { compared, released } from './optimizer-schema.js';
import { problem as problemSchema } from './problem-schema.js';
import {
  isHard,
  paramsOn,
  runsOn,
  type ComparedSpec,
  type Evaluation,
  type Experiment,
  type OptimizerSpec,
  type ProblemSpec,
  type TrustSpec,
} from './schema.js';
import { countSettings, settingsOf } from './sweeps.js';

/** Collects what goes wrong at each place of an experiment. */
function collected(check: (at: At) => void): readonly Issue[] {
  const mistakes: Issue[] = [];
  check((where, one) => {
    try {
      one();
    } catch (error) {
      if (!(error instanceof LetheError)) throw error;
      const path = where.split('.');
      // Of parameters the first that is wrong is where to look.
      const [first] = issuesOf(error) ?? [];
      const at =
        first === undefined ? {} : { at: [...path, 'params', ...first.path], keys: first.keys ?? [] };
      mistakes.push({ path, message: error.message, ...at });
    }
  });
  return mistakes;
}

/**
 * Checks every name and every parameter of an experiment against the registry, those inside others too, so
 * that a mistake in the last combination, or in the last file, is found before the first one runs.
 */
export const mistakesInExperiment = (experiment: Experiment, registry: Registry): readonly Issue[] =>
  collected((at) => {
    checkAll(experiment, registry, at);
  });

/**
 * Mistakes in those problems and optimizers of a file that
 * are of the right form, for a file that is not as a whole.
 */
export function mistakesInParts(content: unknown, registry: Registry): readonly Issue[] {
  const { kind, problem, problems, optimizer, optimizers } = (
    typeof content === 'object' && content !== null ? content : {}
  ) as Readonly<Record<string, unknown>>;
  if (kind !== 'evaluation' && kind !== 'release') return [];
  const isRelease = kind === 'release';
  const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  const inForm = <T extends z.ZodType>(
    schema: T,
    given: readonly unknown[],
  ): readonly (z.output<T> | undefined)[] => given.map((one) => schema.safeParse(one).data);
  return collected((at) => {
    const { fitsWith } = fitting(registry, at);
    (isRelease ? [problem] : listed(problems)).forEach((given, i) => {
      if (problemSchema.safeParse(given).success) return;
      // The plugins of a problem that is malformed elsewhere.
      for (const part of ['loss', 'domain', 'regulariser'] as const) {
        const named = pluginRef.safeParse((given as Readonly<Record<string, unknown>> | null)?.[part]).data;
        if (named !== undefined) fitsWith(`${isRelease ? 'problem' : `problems.${i}`}.${part}`, part, named);
      }
    });
    checkParts(
      {
        isRelease,
        problems: inForm(problemSchema, isRelease ? [problem] : listed(problems)),
        optimizers: inForm(isRelease ? released : compared, isRelease ? [optimizer] : listed(optimizers)),
      },
      registry,
      at,
    );
  });
}

type At = (where: string, check: () => void) => void;

/**
 * Problems and optimizers, each where it stands in its file;
 * `undefined` for one that is not of the right form.
 */
interface Parts {
  readonly isRelease: boolean;
  readonly problems: readonly (ProblemSpec | undefined)[];
  readonly optimizers: readonly ((OptimizerSpec & Partial<Pick<ComparedSpec, 'problems'>>) | undefined)[];
}

function checkParts({ isRelease, problems, optimizers }: Parts, registry: Registry, at: At): void {
  const { fitsWith } = fitting(registry, at);
  problems.forEach((problem, i) => {
    if (problem === undefined) return;
    const where = isRelease ? 'problem' : `problems.${i}`;
    at(`${where}.facts`, () => {
      assertSpelt(Object.keys(problem.facts), registry);
    });
    if (isHard(problem)) {
      const { name, params } = problem.data.hard;
      at(`${where}.data.hard`, () => {
        fitsBound(hardPlugin(name, registry).bound, params);
      });
    } else {
      fitsWith(`${where}.loss`, 'loss', problem.loss);
      fitsWith(`${where}.domain`, 'domain', problem.domain);
      if (problem.regulariser !== undefined)
        fitsWith(`${where}.regulariser`, 'regulariser', problem.regulariser);
    }
  });
  const named = problems.flatMap((problem) => problem?.name ?? []);
  optimizers.forEach((optimizer, k) => {
    if (optimizer === undefined) return;
    const its = isRelease ? 'optimizer' : `optimizers.${k}`;
    const all =
      named.length === 0
        ? [optimizer.params]
        : named.filter((name) => runsOn(optimizer, name)).map((name) => paramsOn(optimizer, name));
    for (const params of all) {
      let settings: readonly Pick<OptimizerSpec, 'params'>[] = [];
      at(its, () => {
        settings = isRelease ? [{ params }] : settingsOf({ ...optimizer, params }, registry);
      });
      for (const one of settings) fitsWith(its, 'optimizer', { name: optimizer.name, params: one.params });
    }
  });
}

interface Named {
  readonly name: string;
  readonly params: unknown;
}

/** Checks of a plugin's parameters, alone or with those of the plugins inside. */
function fitting(registry: Registry, at: At) {
  const fits = (kind: PluginKind, name: string, params: unknown): unknown =>
    parseOrThrow(findPlugin<Plugin>(registry, kind, name).params, params, `${kind} '${name}'`);
  const fitsWith = (where: string, kind: PluginKind, { name, params }: Named): void => {
    // Parsed references say their kind, whatever the parameter is called.
    let parsed = params;
    at(where, () => {
      parsed = fits(kind, name, params);
    });
    let good = 0;
    const inside = referencesIn(parsed);
    for (const inner of inside)
      at(`${where}.params.${inner.path}`, () => {
        fits(inner.kind, inner.name, inner.params);
        good++;
      });
    const plugin = registry.find((one) => one.kind === kind && one.name === name);
    if (good === inside.length && parsed !== params && plugin?.kind === 'optimizer')
      at(`${where}.params`, () => (plugin as Optimizer).fits?.(parsed, registry));
  };
  return { fitsWith };
}

function checkAll(experiment: Experiment, registry: Registry, at: At): void {
  const { fitsWith } = fitting(registry, at);
  if (experiment.kind === 'mean') {
    experiment.means.forEach((mean, k) =>
      settingsOfMean(mean).forEach(({ params }) => {
        at(`means.${k}`, () => {
          fitsWith(`means.${k}`, 'mean', { name: mean.name, params });
        });
      }),
    );
    experiment.laws.forEach((law, k) =>
      at(`laws.${k}`, () => {
        distributionOf(law);
      }),
    );
    return;
  }
  if (experiment.kind === 'mean-error') {
    experiment.series.forEach((series, k) => {
      settingsOfSeries(series).forEach((setting, i) => {
        at(`series.${k}.values.${i}`, () => {
          const { radius } = hardSetting(series, setting, registry);
          for (const method of series.methods) methodOf(method, setting, { radius, registry });
        });
      });
    });
    const { tables } = experiment;
    if (tables !== undefined)
      at('tables', () => {
        rateRows(tables);
      });
    return;
  }
  const isRelease = experiment.kind === 'release';
  checkParts(
    {
      isRelease,
      problems: isRelease ? [experiment.problem] : experiment.problems,
      optimizers: isRelease ? [experiment.optimizer] : experiment.optimizers,
    },
    registry,
    at,
  );
  if (isRelease) {
    at('optimizer', () => {
      const { optimizer, problem, adjacency } = experiment;
      assertMethodFits(optimizer, problem, { adjacency, trust: 'central', registry });
    });
    at('budget', () => {
      assertProtects(experiment);
    });
    return;
  }
  at('seeds', () => {
    assertRuns(experiment, registry);
  });
  at('sizes', () => {
    assertSizes(experiment);
  });
  experiment.optimizers.forEach((one, k) => {
    const { name, trust } = one;
    const optimizer = registry.find((plugin) => plugin.kind === 'optimizer' && plugin.name === name);
    if (optimizer === undefined) return;
    let isRunning = false;
    at(`optimizers.${k}.trust`, () => {
      runsUnder(optimizer as Optimizer, trust, experiment);
      isRunning = true;
    });
    if (!isRunning) return;
    at(`optimizers.${k}`, () => {
      for (const problem of experiment.problems)
        if (runsOn(one, problem.name)) assertMethodFits(one, problem, { ...experiment, trust, registry });
    });
  });
  experiment.rates.forEach((rate, k) => {
    at(`rates.${k}`, () => {
      rateOf(rate);
    });
  });
  const { lowerBound } = experiment;
  if (lowerBound !== undefined)
    at('lowerBound', () => {
      fitsBound(riskBound(lowerBound.name, registry), lowerBound.params);
    });
}

/**
 * What is known without reading a record: generators say how many they make.
 *
 * @throws {InvalidParameter} for sizes of more records than a problem has.
 */
function assertSizes({ problems, sizes = [], heldOut = 0 }: Evaluation): void {
  for (const problem of problems) {
    if (isHard(problem)) continue;
    const made = rowsMade(problem.data);
    if (made === null || problem.risk === 'population') continue;
    if (heldOut >= made)
      throw new InvalidParameter(
        `heldOut is ${heldOut}, problem '${problem.name}' has ${made} records; hold fewer out`,
        { heldOut, rows: made },
      );
    const tooMany = sizes.find((n) => n > made - heldOut);
    if (tooMany !== undefined)
      throw new InvalidParameter(
        `sizes asks for ${tooMany} records, problem '${problem.name}' has ${made - heldOut}` +
          (heldOut === 0 ? '' : ` beside the ${heldOut} that are held out`),
        { n: tooMany, population: made - heldOut },
      );
  }
}

/** Records that a generator makes; `null` for a file. */
function rowsMade(data: Exclude<ProblemSpec['data'], { readonly hard: unknown }>): number | null {
  if ('generate' in data) return data.generate.rows;
  return 'generateSparse' in data ? data.generateSparse.rows : null;
}

/** Runs of an evaluation at most: all of them are in memory before the first one begins. */
const mostRuns = 1e6;

/** @throws {InvalidParameter} for an evaluation of more runs than that. */
function assertRuns({ problems, optimizers, budgets, sizes, seeds }: Evaluation, registry: Registry): void {
  const settings = optimizers.reduce((sum, one) => sum + countSettings(one, registry), 0);
  const runs = problems.length * settings * budgets.length * (sizes?.length ?? 1) * seeds.count;
  if (runs > mostRuns)
    throw new InvalidParameter(
      `this evaluation has ${runs} runs; at most ${mostRuns} are made. Give fewer seeds, settings, sizes ` +
        'or budgets, or split the file.',
      { runs },
    );
}

interface MethodSetting {
  readonly adjacency: Adjacency;
  readonly trust: TrustSpec;
  readonly registry: Registry;
}

/**
 * Whether a method takes the loss of a problem and the adjacency, which needs no record. Names that nothing
 * has are told elsewhere, and hard instances choose their loss.
 *
 * @throws as `assertMayFit`.
 */
function assertMethodFits(
  { name }: OptimizerSpec,
  problem: ProblemSpec,
  { adjacency, trust, registry }: MethodSetting,
): void {
  if (isHard(problem)) return;
  const optimizer = registry.find((one): one is Optimizer => one.kind === 'optimizer' && one.name === name);
  const loss = registry.find((one): one is Loss => one.kind === 'loss' && one.name === problem.loss.name);
  if (optimizer === undefined || loss === undefined) return;
  const { capabilities } = loss;
  assertMayFit(optimizer, { adjacency, trust: { model: modelOf(trust) }, loss, capabilities });
}

const modelOf = (trust: TrustSpec): TrustModel['model'] => {
  if (trust === 'central') return trust;
  return trust.model === 'simulated-sums' ? 'federated' : trust.model;
};

/**
 * Whether a method and the adjacency of its experiment know the trust
 * model; whether users or records are enough is seen when there is a size.
 */
function runsUnder({ name, trustModels }: Optimizer, trust: TrustSpec, { adjacency }: Evaluation): void {
  if (trust === 'central') return;
  const model = modelOf(trust);
  if (!trustModels.includes(model))
    throw new InvalidParameter(
      `optimizer '${name}' does not run in the ${model} model; it runs in ${trustModels.join(', ')}. ` +
        'Leave trust out, or take another optimizer',
      { optimizer: name, trustModels },
    );
  if (model === 'shuffle' && adjacency === 'add-remove')
    throw new InvalidParameter(
      'shuffled messages tell how many users there are, so that add-remove hides nobody; ' +
        'use replace-one or zero-out',
      { adjacency },
    );
}
