import { findPlugin, InvalidParameter, LetheError, parseOrThrow, type Plugin, type PluginKind, type Registry } from '@lethe/core';
import { paramsOn, type Experiment } from './schema.js';

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
  const isRelease = experiment.kind === 'release';
  const problems = isRelease ? [experiment.problem] : experiment.problems;
  const optimizers = isRelease ? [experiment.optimizer] : experiment.optimizers;
  problems.forEach((problem, i) => {
    const where = isRelease ? 'problem' : `problems.${i}`;
    at(`${where}.loss`, () => fits('loss', problem.loss.name, problem.loss.params));
    at(`${where}.domain`, () => fits('domain', problem.domain.name, problem.domain.params));
    optimizers.forEach((optimizer, k) => {
      at(isRelease ? 'optimizer' : `optimizers.${k}`, () => fits('optimizer', optimizer.name, paramsOn(optimizer, problem.name)));
    });
  });
  if (!isRelease && experiment.lowerBound !== undefined) {
    const { name } = experiment.lowerBound;
    at('lowerBound', () => { findPlugin<Plugin>(registry, 'lowerBound', name); });
  }
}
