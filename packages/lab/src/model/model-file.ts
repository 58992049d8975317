import type { Problem } from '@lethe/core';
import { schemaOfDesign, type Certificate, type ModelFile, type ParsedSchema } from '@lethe/train';
import { ownerOf } from '../experiment/owner-of.js';
import type { SampledSpec } from '../experiment/schema.js';

/** A model that an experiment made, and how. */
export interface Made {
  readonly spec: Pick<SampledSpec, 'data'>;
  readonly problem: Pick<Problem, 'loss' | 'adjacency'>;
  readonly featureNames: readonly string[];
  readonly weights: readonly number[];
  /** Records, or owners, that were trained on. */
  readonly records: number;
  readonly optimizer: { readonly name: string; readonly params: Readonly<Record<string, unknown>> };
  readonly gradients: number;
  readonly budget: { readonly epsilon: number; readonly delta: number };
  readonly run: string;
  /** Version of Lethe. */
  readonly lethe: string;
  readonly certificate: Omit<Certificate, 'adjacency' | 'unit'>;
}

/**
 * The model of an experiment as `lethe train` writes one, for `lethe predict`, `evaluate` and `inspect`.
 *
 * @returns `null` where a model file cannot say the features or the label: see `schemaOfDesign`.
 */
export function modelFileOf(made: Made): ModelFile | null {
  const { spec, problem, featureNames, records, optimizer, budget, run, certificate } = made;
  const { loss, adjacency } = problem;
  const schema = schemaOf(spec);
  if (schema === null || loss.name !== losses[schema.label.type] || adjacency === 'add-remove') return null;
  const { owner } = schema;
  return {
    format: 'lethe/model',
    version: 1,
    lethe: made.lethe,
    schema,
    featureNames,
    weights: made.weights,
    split: { heldOut: 0, key: run, records },
    plan: {
      task: schema.label.type === 'classes' ? 'classes' : 'binary',
      records,
      ...(owner === undefined ? {} : { owner }),
      heldOut: 0,
      features: featureNames.length,
      loss: { name: loss.name, params: loss.params },
      method: optimizer.name,
      params: optimizer.params,
      clip: { by: 'method' },
      gradients: made.gradients,
      budget,
      adjacency,
      epsilon: certificate.epsilon.upper,
      noise: null,
      run,
    },
    certificate: { ...certificate, adjacency, ...(owner === undefined ? {} : { unit: 'owner' as const }) },
  };
}

/** Why there is no model file, for messages. */
export const noModelFile =
  'no model.json: lethe predict reads logistic and softmax models whose label is a threshold, a ' +
  'value or a list of three classes or more, and whose features are plain numbers, lists of values and times';

/** Losses whose models a model file reads, by the label. */
const losses: Readonly<Record<string, string>> = {
  above: 'logistic',
  equals: 'logistic',
  classes: 'softmax',
};

function schemaOf(spec: Made['spec']): ParsedSchema | null {
  const plain = 'design' in spec.data ? schemaOfDesign(spec.data.design) : null;
  const owner = ownerOf(spec);
  return plain === null || owner === undefined ? plain : { ...plain, owner };
}
