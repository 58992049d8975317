import type { ModelFile } from '@lethe/train';
import type { ReleaseResult } from '../experiment/results.js';
import { ownerOf } from '../experiment/owner-of.js';
import { paramsOn } from '../experiment/schema.js';
import { modelFileOf } from './model-file.js';

/**
 * The model of a release as `lethe train` writes one.
 *
 * @returns `null` where a model file cannot say the features or the label: see `schemaOfDesign`.
 */
export function modelOfRelease(result: ReleaseResult): ModelFile | null {
  const { experiment, model, records, plan, spent, run, environment, label, certificate, total } = result;
  const { optimizer, budget, problem: spec, adjacency } = experiment;
  const { lower, upper, method, delta, assumptions } = certificate;
  return modelFileOf({
    spec,
    problem: { loss: { kind: 'loss', ...spec.loss }, adjacency },
    featureNames: model.features,
    weights: model.weights,
    records,
    optimizer: { name: optimizer.name, params: paramsOn(optimizer, spec.name) },
    gradients: plan.gradients,
    budget,
    run,
    lethe: environment.lethe,
    certificate: {
      label: label === 'release' ? 'private' : label,
      epsilon: { lower, upper },
      method,
      delta,
      assumptions: [...assumptions],
      event: spent,
      parts: [{ what: `training by ${optimizer.name}`, event: spent }],
      dataset: {
        epsilon: { lower: total.interval.lower, upper: total.interval.upper },
        runs: total.runs,
        holds: holdsWords[total.holds?.when ?? 'fixed in advance'],
      },
      public: [
        `the number of ${ownerOf(spec) === undefined ? 'records' : 'owners'}, and their public order`,
        'the names of columns, their bounds and lists of values',
        'the schedule, the budget and the seed of the public coins',
      ],
    },
  });
}

const holdsWords = {
  'one run': 'one training',
  'fixed in advance': 'fixed in advance',
  limit: 'limit',
} as const;
