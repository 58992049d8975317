import { InvalidParameter, parseOrThrow, type Json } from '@lethe/core';
import { defined, viewOf } from '@lethe/numerics';
import ndarray, { type NdArray } from 'ndarray';
import * as z from 'zod';
import type { Certificate } from './certificate.js';
import { predictionsOf, widthOf } from './predictions.js';
import { readingOf } from './reading.js';
import { shownLabel, unlabelledRecords } from './records.js';
import { trainingSchema, type ParsedSchema } from './schema.js';
import { splitSchema, type Split } from './split.js';
import { tableOf, type Data } from './table-of.js';
import { classesOf, taskOf, type Task } from './task.js';
import type { TrainingPlan } from './training-plan.js';

/** A model as JSON: what a model file holds. */
export interface ModelFile {
  readonly format: 'lethe/model';
  readonly version: 1;
  /** Version of `@lethe/train` that made it. */
  readonly lethe: string;
  readonly schema: ParsedSchema;
  readonly featureNames: readonly string[];
  /** `[classes, features]` for several classes, else `[features]`. */
  readonly weights: readonly number[];
  readonly split: Split & { readonly records: number };
  readonly plan: TrainingPlan;
  readonly certificate: Certificate;
}

/** A trained model. */
export interface Model {
  readonly task: Task;
  /** Classes in the order of their probabilities; none for numbers and counts. */
  readonly classes: readonly (string | number)[];
  /** `[classes, features]` for several classes, else `[1, features]`. */
  readonly weights: NdArray<Float64Array>;
  readonly featureNames: readonly string[];
  readonly certificate: Certificate;
  readonly plan: TrainingPlan;
  readonly file: ModelFile;
  /**
   * What the model says of each record: `[n]` probabilities of the second of two classes, numbers or expected
   * counts; `[n, classes]` probabilities of several classes. Records need no label.
   *
   * @throws {InvalidData} for records without a column of the schema, or with a value that is not of its
   * type.
   */
  predict(data: Data): NdArray<Float64Array>;
  /** The most likely class of each record, or the number. */
  labels(data: Data): readonly (string | number)[];
  /** The model as JSON; `modelFrom` reads it. */
  toJSON(): ModelFile;
}

const ends = z.object({ lower: z.number(), upper: z.number() });
const json = z.looseObject({});
const certificate = z.looseObject({
  label: z.enum(['private', 'simulation: no privacy']),
  epsilon: ends,
  method: z.string(),
  delta: z.number(),
  adjacency: z.string(),
  unit: z.literal('owner').optional(),
  assumptions: z.array(z.string()),
  event: json,
  parts: z.array(z.object({ what: z.string(), event: json })),
  dataset: z.looseObject({ epsilon: ends, runs: z.array(z.string()), holds: z.string() }),
  public: z.array(z.string()),
});
/** Of a plan, what predictions and evaluations read. */
const plan = z.looseObject({
  records: z.int().positive(),
  heldOut: z.int().nonnegative(),
  features: z.int().positive(),
  loss: z.strictObject({ name: z.string(), params: z.json() }),
  method: z.string(),
  params: json,
  budget: z.strictObject({ epsilon: z.number().positive(), delta: z.number().min(0).max(1) }),
  adjacency: z.enum(['replace-one', 'zero-out']),
  epsilon: z.number(),
  // Older files have none.
  noise: z.number().nullable().default(null),
});
const modelFile = z.object({
  format: z.literal('lethe/model'),
  version: z.literal(1),
  lethe: z.string(),
  schema: trainingSchema,
  featureNames: z.array(z.string()).min(1),
  weights: z.array(z.number()).min(1),
  split: splitSchema.extend({ records: z.int().positive() }),
  plan,
  certificate,
});

/**
 * A model from its JSON.
 *
 * @param where - Name of the JSON, for messages.
 * @throws {InvalidParameter} that lists what is wrong with it.
 */
export function modelFrom(file: ModelFile | Json, where = 'model'): Model {
  if (typeof file !== 'object' || file === null || !('format' in file) || file.format !== 'lethe/model')
    throw new InvalidParameter(
      `${where} is no model of Lethe, whose JSON begins with "format": "lethe/model"; give what lethe ` +
        'train or toJSON() of a model has written',
      {},
    );
  const parsed = parseOrThrow(modelFile, file, where) as unknown as ModelFile;
  const { schema, featureNames, weights } = parsed;
  const width = widthOf(schema.label);
  if (weights.length !== width * featureNames.length)
    throw new InvalidParameter(
      `model: weights has ${weights.length} numbers for ${width} output${width === 1 ? '' : 's'} of ` +
        `${featureNames.length} features; the file is damaged, bring it back from a copy`,
      { weights: weights.length },
    );
  const reading = readingOf(schema, false);
  const classes = classesOf(schema.label);
  const outputsOf = (data: Data): Float64Array => {
    const { features } = unlabelledRecords(tableOf(data, reading, missingAdvice), schema);
    return predictionsOf(schema.label, weights, viewOf(features));
  };
  return {
    task: taskOf(schema.label),
    classes,
    weights: ndarray(Float64Array.from(weights), [width, featureNames.length]),
    featureNames,
    certificate: parsed.certificate,
    plan: parsed.plan,
    file: parsed,
    predict(data) {
      const outputs = outputsOf(data);
      return ndarray(outputs, width === 1 ? [outputs.length] : [outputs.length / width, width]);
    },
    labels: (data) => labelsOf(outputsOf(data), width, parsed),
    toJSON: () => parsed,
  };
}

/** What to do about a missing value: the schema is the model's. */
export const missingAdvice = 'give it: the schema of the model says nothing to stand in for it';

/** Most likely classes, or numbers, of predictions `[n, width]`. */
function labelsOf(
  outputs: Float64Array,
  width: number,
  { schema: { label } }: Pick<ModelFile, 'schema'>,
): readonly (string | number)[] {
  const task = taskOf(label);
  return Array.from({ length: outputs.length / width }, (_, i) => {
    if (task === 'binary') return shownLabel(label, outputs[i] > 0.5 ? 1 : -1);
    if (task !== 'classes') return outputs[i];
    let best = 0;
    for (let k = 1; k < width; k++) if (outputs[i * width + k] > outputs[i * width + best]) best = k;
    return defined(classesOf(label)[best]);
  });
}
