import { privateMeans } from '@lethe/algorithms';
import { findPlugin, InvalidParameter, LetheError, parseOrThrow, type LowerBound, type Optimizer, type Plugin, type PluginKind, type Registry } from '@lethe/core';
import { lawOf } from '../oracle/law.js';
import { isCentral, settingsOf } from '../oracle/subject.js';
import { assertSpelt } from './fact-names.js';
import { hardPlugin } from './hard-plugin.js';
import { fitsBound, referencesIn } from './nested-references.js';
import { assertProtects } from './protection.js';
import { rateOf } from './rate.js';
import { isHard, paramsOn, runsOn, type ComparedSpec, type Evaluation, type Experiment, type OptimizerSpec, type TrustSpec } from './schema.js';

/**
 * Checks every name and every parameter of an experiment against the registry, those inside others too, so that a mistake in the
 * last combination, or in the last file, is found before the first one runs.
 *
 * @throws {InvalidParameter} naming the file, and all mistakes with their places in it.
 */
export function checkExperiment(experiment: Experiment, path: string, registry: Registry): void {
  const mistakes = new Set<string>();
  const at = (where: string, check: () => void): void => {
    try {
      check();
    } catch (error) {
      if (!(error instanceof LetheError)) throw error;
      mistakes.add(`${where}: ${error.message}`);
    }
  };
  checkAll(experiment, registry, at);
  const all = [...mistakes];
  if (all.length > 0) throw new InvalidParameter(all.map((mistake) => `${path}: ${mistake}`).join('\n'), { path, mistakes: all });
}

type At = (where: string, check: () => void) => void;

function checkAll(experiment: Experiment, registry: Registry, at: At): void {
  const fits = (kind: PluginKind, name: string, params: unknown): void => {
    parseOrThrow(findPlugin<Plugin>(registry, kind, name).params, params, `${kind} '${name}'`);
  };
  const fitsWith = (where: string, kind: PluginKind, { name, params }: { readonly name: string; readonly params: unknown }): void => {
    at(where, () => fits(kind, name, params));
    for (const inner of referencesIn(params)) at(`${where}.params.${inner.path}`, () => fits(inner.kind, inner.name, inner.params));
  };
  if (experiment.kind === 'oracle') {
    experiment.oracles.forEach((oracle, k) => settingsOf(oracle).forEach(({ params }) => {
      at(`oracles.${k}`, () => fits(isCentral(oracle.name, registry) ? 'meanOracle' : 'localRandomiser', oracle.name, params));
      for (const inner of referencesIn(params)) at(`oracles.${k}.params.${inner.path}`, () => fits(inner.kind, inner.name, inner.params));
    }));
    experiment.laws.forEach((law, k) => at(`laws.${k}`, () => { lawOf(law); }));
    return;
  }
  const isRelease = experiment.kind === 'release';
  const problems = isRelease ? [experiment.problem] : experiment.problems;
  const optimizers: readonly (OptimizerSpec & Partial<Pick<ComparedSpec, 'problems'>>)[] = isRelease ? [experiment.optimizer] : experiment.optimizers;
  problems.forEach((problem, i) => {
    const where = isRelease ? 'problem' : `problems.${i}`;
    at(`${where}.facts`, () => { assertSpelt(Object.keys(problem.facts), registry); });
    if (isHard(problem)) {
      const { name, params } = problem.data.hard;
      at(`${where}.data.hard`, () => { fitsBound(hardPlugin(name, registry).bound, params); });
    } else {
      fitsWith(`${where}.loss`, 'loss', problem.loss);
      fitsWith(`${where}.domain`, 'domain', problem.domain);
      if (problem.regulariser !== undefined) fitsWith(`${where}.regulariser`, 'regulariser', problem.regulariser);
    }
    optimizers.forEach((optimizer, k) => {
      if (!runsOn(optimizer, problem.name)) return;
      const its = isRelease ? 'optimizer' : `optimizers.${k}`, params = paramsOn(optimizer, problem.name);
      fitsWith(its, 'optimizer', { name: optimizer.name, params });
      at(`${its}.params.mean`, () => { fitsMean(params['mean']); });
    });
  });
  if (isRelease) {
    at('budget', () => { assertProtects(experiment); });
    return;
  }
  experiment.optimizers.forEach(({ name, trust }, k) => { at(`optimizers.${k}.trust`, () => runsUnder(findPlugin<Optimizer>(registry, 'optimizer', name), trust, experiment)); });
  experiment.rates.forEach((rate, k) => { at(`rates.${k}`, () => { rateOf(rate); }); });
  const { lowerBound } = experiment;
  if (lowerBound !== undefined) at('lowerBound', () => { fitsBound(findPlugin<LowerBound>(registry, 'lowerBound', lowerBound.name), lowerBound.params); });
}

/** Whether a method and the adjacency of its experiment know the shuffle model; whether users are enough is seen when there is a size. */
function runsUnder({ name, trustModels }: Optimizer, trust: TrustSpec, { adjacency }: Evaluation): void {
  if (trust === 'central') return;
  if (!trustModels.includes('shuffle')) throw new InvalidParameter(`optimizer '${name}' does not run in the shuffle model; it runs in ${trustModels.join(', ')}. Leave trust out, or take another optimizer`, { optimizer: name, trustModels });
  if (adjacency === 'add-remove') throw new InvalidParameter('shuffled messages tell how many users there are, so that add-remove hides nobody; use replace-one or zero-out', { adjacency });
}

/** Whether there is such a private mean, where one is named, and such parameters of it; whether it fits the model of trust is seen in the plan. */
function fitsMean(given: unknown): void {
  if (typeof given !== 'object' || given === null || !('name' in given) || typeof given.name !== 'string') return;
  const { name } = given, mean = privateMeans.find((known) => known.name === name);
  if (mean === undefined) throw new InvalidParameter(`there is no private mean '${name}'; there are ${privateMeans.map((known) => known.name).join(', ')}`, { name });
  parseOrThrow(mean.params, 'params' in given ? given.params : {}, `mean '${name}'`);
}
