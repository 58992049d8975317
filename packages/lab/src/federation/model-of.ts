import type { Run } from '@lethe/core';
import { schemaOfDesign, type ModelFile } from '@lethe/train';
import type { SiloResult, FederationResult } from './federation-result.js';
import { ownerOf } from '../experiment/owner-of.js';
import { publicShape } from './public-shape.js';

/**
 * The model of a federated run as `lethe train` writes one, for `lethe predict`, `evaluate` and `inspect`.
 * Its certificate is that of the silo that pays most, for this run: what else its records have spent a silo
 * alone knows.
 *
 * @returns `null` where a model file cannot say the features or the label: see `schemaOfDesign`.
 */
export function modelOf(result: Omit<FederationResult, 'model'>, { problem, plan }: Run): ModelFile | null {
  const { experiment, silos, output, label, run } = result;
  const { data } = experiment.problem;
  const owner = ownerOf(experiment.problem);
  const plain = 'design' in data ? schemaOfDesign(data.design) : null;
  const schema = plain === null || owner === undefined ? plain : { ...plain, owner };
  const { loss, adjacency } = problem;
  if (schema === null || loss.name !== losses[schema.label.type] || adjacency === 'add-remove') return null;
  const paid = silos.reduce((most, one) => (one.epsilon.upper > most.epsilon.upper ? one : most));
  const epsilon = endsOf(paid);
  const { featureNames } = publicShape(experiment.problem);
  const records = silos.reduce((sum, one) => sum + one.records, 0);
  return {
    format: 'lethe/model',
    version: 1,
    lethe: result.environment.lethe,
    schema,
    featureNames,
    weights: output,
    split: { heldOut: 0, key: run, records },
    plan: {
      task: schema.label.type === 'above' ? 'binary' : 'classes',
      records,
      ...(owner === undefined ? {} : { owner }),
      heldOut: 0,
      features: featureNames.length,
      loss: { name: loss.name, params: loss.params },
      method: experiment.optimizer.name,
      params: experiment.optimizer.params,
      clip: { by: 'method' },
      gradients: plan.gradients,
      budget: experiment.budget,
      adjacency,
      epsilon: epsilon.upper,
      run,
    },
    certificate: {
      label: label === 'release' ? 'private' : label,
      epsilon,
      method: paid.epsilon.method,
      delta: experiment.budget.delta,
      adjacency,
      ...(owner === undefined ? {} : { unit: 'owner' as const }),
      assumptions: [...paid.epsilon.assumptions],
      event: paid.charged,
      parts: [
        {
          what:
            `training by ${experiment.optimizer.name} on ${silos.length} silos, whose ledgers tell ` +
            'what else their records have spent',
          event: paid.charged,
        },
      ],
      dataset: { epsilon, runs: [run], holds: 'one training' },
      public: [
        `the number of ${owner === undefined ? 'records' : 'owners'} of each silo`,
        'the names of columns, their bounds and lists of values',
        'the schedule, the budget and the public coins',
      ],
    },
  };
}

/** Losses whose models a model file reads, by the label. */
const losses: Readonly<Record<string, string>> = { above: 'logistic', classes: 'softmax' };
const endsOf = ({ epsilon: { lower, upper } }: SiloResult) => ({ lower, upper });
