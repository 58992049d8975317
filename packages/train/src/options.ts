import { InvalidParameter, parseOrThrow } from '@lethe/core';
import * as z from 'zod';
import type { Model } from './model.js';
import { trainingSchema, type ParsedSchema, type TrainingSchema } from './schema.js';
import { splitSchema } from './split.js';
import { dataRule, isData } from './table-of.js';

type Given = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Given =>
  (typeof value === 'object' || typeof value === 'function') && value !== null;
const has =
  (...methods: readonly string[]) =>
  (value: unknown): boolean =>
    isObject(value) && methods.every((name) => typeof value[name] === 'function');

/** A value that is checked by its form, and never copied. */
const checked = (is: (value: unknown) => boolean, error: string) => z.custom<unknown>(is, { error });

/** A plugin by name; what plugins return as a reference has a kind too. */
const named = (example: string) =>
  z.strictObject(
    {
      kind: z.string().optional(),
      name: z.string(),
      params: z.record(z.string(), z.unknown()).optional(),
    },
    {
      error: ({ code, input }) =>
        code === 'invalid_type'
          ? 'must be an object with a name, such as ' +
            `{ name: '${typeof input === 'string' ? input : example}' }`
          : undefined,
    },
  );

const budget = z.strictObject({
  epsilon: z.number().positive(),
  delta: z.number().min(0).max(1).optional(),
});
const data = checked(isData, dataRule);
const plugins = checked(
  (value) => Array.isArray(value) && value.every((one) => has()(one) && 'kind' in one && 'name' in one),
  'must be a list of plugins, such as [myLoss]',
);
const shared = {
  ledger: checked(has('openRun', 'total', 'runs'), 'must be a ledger, as openLedger returns it').optional(),
  identity: checked((value) => value instanceof Uint8Array, 'must be a Uint8Array').optional(),
  signal: checked(has('throwIfAborted'), 'must be the signal of an AbortController').optional(),
};
const secret = checked(
  has('bits32', 'gaussianInto', 'fork', 'key'),
  'must be a source such as secureRandom()',
).optional();
const run = z.string().min(1).optional();
const callback = checked((value) => typeof value === 'function', 'must be a function').optional();

const trainingOptions = z.strictObject({
  data,
  schema: trainingSchema,
  budget,
  loss: named('logistic').optional(),
  method: named('dp-sgd').optional(),
  clip: z.union([z.number().positive(), z.literal('quantile')]).optional(),
  domain: named('l2-ball').optional(),
  split: splitSchema.partial().optional(),
  adjacency: z.enum(['replace-one', 'zero-out']).optional(),
  ledger: shared.ledger,
  identity: shared.identity,
  plugins: plugins.optional(),
  run,
  secret,
});

const runOptions = z.strictObject({ ...shared, pause: callback, progress: callback });

const evaluationOptions = z.strictObject({
  ...shared,
  data,
  heldOut: z.boolean().optional(),
  budget: budget.optional(),
  plugins: plugins.optional(),
  run,
  secret,
});

/**
 * Options of a training, checked before a record is read.
 *
 * @throws {InvalidParameter} that lists everything that is wrong with them, the schema included.
 */
export const checkedTraining = <Options extends { readonly schema: TrainingSchema }>(
  options: Options,
): Omit<Options, 'schema'> & { readonly schema: ParsedSchema } => ({
  ...options,
  schema: parseOrThrow(trainingOptions, options, 'training').schema,
});

/**
 * Options of a training whose records are not read yet.
 *
 * @throws as {@link checkedTraining}.
 */
export const checkedSettings = <Options extends { readonly schema: TrainingSchema }>(
  options: Options,
): Omit<Options, 'schema'> & { readonly schema: ParsedSchema } => ({
  ...options,
  schema: parseOrThrow(trainingOptions.omit({ data: true }), options, 'training').schema,
});

/** @throws {InvalidParameter} for options of a run that are none. */
export const assertRunOptions = (options: unknown): void => {
  parseOrThrow(runOptions, options, 'run of a training');
};

/** @throws {InvalidParameter} for what is no model, and for options of an evaluation that are none. */
export function assertEvaluation(model: Model, options: unknown): void {
  if (!has('predict')(model) || !isObject(model.file))
    throw new InvalidParameter(
      'evaluateModel takes a model, as train or modelFrom returns it, and then its options; give ' +
        'modelFrom(JSON.parse(text)) for the text of a model file',
      {},
    );
  parseOrThrow(evaluationOptions, options, 'evaluation');
}
