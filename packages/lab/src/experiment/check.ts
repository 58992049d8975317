import { findPlugin, InvalidParameter, LetheError, parseOrThrow, proximalBuilders, type Optimizer, type Plugin, type PluginKind, type Registry } from '@lethe/core';
import { lawOf } from '../oracle/law.js';
import { isCentral, settingsOf } from '../oracle/subject.js';
import { hardPlugin } from './hard-plugin.js';
import { rateOf } from './rate.js';
import { isHard, paramsOn, runsOn, type ComparedSpec, type Evaluation, type Experiment, type OptimizerSpec, type SampledSpec, type TrustSpec } from './schema.js';

/**
 * Checks every name and every parameter of an experiment against the registry, so that a mistake in the last combination, or in
 * the last file, is found before the first one runs.
 *
 * @throws {InvalidParameter} naming file and path in it.
 */
export function checkExperiment(experiment: Experiment, path: string, registry: Registry): void {
  const at = (where: string, check: () => void): void => {
    try {
      check();
    } catch (error) {
      if (error instanceof LetheError) throw new InvalidParameter(`${path}: ${where}: ${error.message}`, { path, where, ...error.details });
      throw error;
    }
  };
  const fits = (kind: PluginKind, name: string, params: unknown): void => {
    parseOrThrow(findPlugin<Plugin>(registry, kind, name).params, params, `${kind} '${name}'`);
  };
  if (experiment.kind === 'oracle') {
    experiment.oracles.forEach((oracle, k) => at(`oracles.${k}`, () => settingsOf(oracle).forEach(({ params }) => fits(isCentral(oracle.name, registry) ? 'meanOracle' : 'localRandomiser', oracle.name, params))));
    experiment.laws.forEach((law, k) => at(`laws.${k}`, () => { lawOf(law); }));
    return;
  }
  const isRelease = experiment.kind === 'release';
  const problems = isRelease ? [experiment.problem] : experiment.problems;
  const optimizers: readonly (OptimizerSpec & Partial<Pick<ComparedSpec, 'problems'>>)[] = isRelease ? [experiment.optimizer] : experiment.optimizers;
  problems.forEach((problem, i) => {
    const where = isRelease ? 'problem' : `problems.${i}`;
    if (isHard(problem)) at(`${where}.data.hard`, () => { hardPlugin(problem.data.hard.name, registry); });
    else {
      at(`${where}.loss`, () => fits('loss', problem.loss.name, problem.loss.params));
      at(`${where}.domain`, () => fits('domain', problem.domain.name, problem.domain.params));
      at(`${where}.regulariser`, () => { if (problem.regulariser !== undefined) fitsProximal(problem.regulariser); });
    }
    optimizers.forEach((optimizer, k) => {
      if (!runsOn(optimizer, problem.name)) return;
      at(isRelease ? 'optimizer' : `optimizers.${k}`, () => fits('optimizer', optimizer.name, paramsOn(optimizer, problem.name)));
    });
  });
  if (!isRelease) experiment.optimizers.forEach(({ name, trust }, k) => { at(`optimizers.${k}.trust`, () => runsUnder(findPlugin<Optimizer>(registry, 'optimizer', name), trust, experiment)); });
  if (!isRelease) experiment.rates.forEach((rate, k) => { at(`rates.${k}`, () => { rateOf(rate); }); });
  if (!isRelease && experiment.lowerBound !== undefined) {
    const { name } = experiment.lowerBound;
    at('lowerBound', () => { findPlugin<Plugin>(registry, 'lowerBound', name); });
  }
}

/** Whether a method and the adjacency of its experiment know the shuffle model; whether users are enough is seen when there is a size. */
function runsUnder({ name, trustModels }: Optimizer, trust: TrustSpec, { adjacency }: Evaluation): void {
  if (trust === 'central') return;
  if (!trustModels.includes('shuffle')) throw new InvalidParameter(`optimizer '${name}' does not run in the shuffle model; it runs in ${trustModels.join(', ')}. Leave trust out, or take another optimizer`, { optimizer: name, trustModels });
  if (adjacency === 'add-remove') throw new InvalidParameter('shuffled messages tell how many users there are, so that add-remove hides nobody; use replace-one or zero-out', { adjacency });
}

/** Whether there is such a function, and such parameters of it; whether they fit the dimension is seen when there is one. */
function fitsProximal({ name, params }: NonNullable<SampledSpec['regulariser']>): void {
  const builder = proximalBuilders.find((known) => known.name === name);
  if (builder === undefined) throw new InvalidParameter(`there is no proximal function '${name}'; choose one of ${proximalBuilders.map((known) => known.name).join(', ')}`, { name });
  parseOrThrow(builder.params, params, `proximal '${name}'`);
}
