import type { Run } from '@lethe/core';
import type { ModelFile } from '@lethe/train';
import { ownerOf } from '../experiment/owner-of.js';
import { modelFileOf } from '../model/model-file.js';
import type { FederationResult } from './federation-result.js';
import { publicShape } from './public-shape.js';

/**
 * The model of a federated run as `lethe train` writes one. Its certificate is that of the silo that pays
 * most, for this run: what else its records have spent a silo alone knows.
 *
 * @returns `null` where a model file cannot say the features or the label: see `schemaOfDesign`.
 */
export function modelOf(result: Omit<FederationResult, 'model'>, { problem, plan }: Run): ModelFile | null {
  const { experiment, silos, output, label, run, environment } = result;
  const { optimizer, budget, problem: spec } = experiment;
  const { epsilon, charged } = silos.reduce((most, one) =>
    one.epsilon.upper > most.epsilon.upper ? one : most,
  );
  const { lower, upper, method, assumptions } = epsilon;
  return modelFileOf({
    spec,
    problem,
    featureNames: publicShape(spec).featureNames,
    weights: output,
    records: silos.reduce((sum, one) => sum + one.records, 0),
    optimizer,
    gradients: plan.gradients,
    budget,
    run,
    lethe: environment.lethe,
    certificate: {
      label: label === 'release' ? 'private' : label,
      epsilon: { lower, upper },
      method,
      delta: budget.delta,
      assumptions: [...assumptions],
      event: charged,
      parts: [
        {
          what:
            `training by ${optimizer.name} on ${silos.length} silos, whose ledgers tell ` +
            'what else their records have spent',
          event: charged,
        },
      ],
      dataset: { epsilon: { lower, upper }, runs: [run], holds: 'one training' },
      public: [
        `the number of ${ownerOf(spec) === undefined ? 'records' : 'owners'} of each silo`,
        'the names of columns, their bounds and lists of values',
        'the schedule, the budget and the public coins',
      ],
    },
  });
}
