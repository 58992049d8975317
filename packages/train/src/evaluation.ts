import { accountants, bestOf, calibrator } from '@lethe/accountants';
import { optimizers } from '@lethe/algorithms';
import {
  eventKindsOf,
  InvalidData,
  InvalidParameter,
  resolvePlugin,
  secureRandom,
  type Accountant,
  type Loss,
  type RandomSource,
  type Registry,
} from '@lethe/core';
import { openLedger, type Ledger } from '@lethe/curator';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { viewOf } from '@lethe/numerics';
import { certificateOf, type Certificate } from './certificate.js';
import { identityOf } from './identity.js';
import { lossesOf, metricsOf, type Metrics } from './metrics.js';
import { missingAdvice, type Model } from './model.js';
import { predictionsOf, widthOf } from './predictions.js';
import { assertEvaluation } from './options.js';
import { plannedMean } from './private-mean.js';
import { metricsOfSummary, summariesOf, summaryWidth, type Noise } from './private-metrics.js';
import { readingOf } from './reading.js';
import { inUnits, type TrainingRecords } from './records.js';
import {
  assertAdjacency,
  assertFits,
  countOf,
  either,
  byRecord,
  heldOutSlots,
  orderBytes,
  slotsOf,
} from './setting.js';
import { tableOf, type Data } from './table-of.js';
import type { TrainingBudget } from './training.js';
import { usualDelta } from './usual-method.js';

/** What a model is evaluated on. */
export interface EvaluationOptions {
  readonly data: Data;
  /**
   * Only records that were held out of training: `data` are then the records that it was trained on, all of
   * them and in the same order. @defaultValue false
   */
  readonly heldOut?: boolean | undefined;
  /** Budget of a private evaluation. Left out, measures are exact and **not private**. */
  readonly budget?: TrainingBudget | undefined;
  /** The ledger of the records. @defaultValue a new one in memory, which knows of no other run */
  readonly ledger?: Ledger | undefined;
  readonly identity?: Uint8Array | undefined;
  readonly plugins?: Registry | undefined;
  readonly run?: string | undefined;
  readonly secret?: RandomSource | undefined;
  readonly signal?: { throwIfAborted(): void } | undefined;
}

/** How well a model does. */
export interface Evaluation {
  readonly privacy: 'private' | 'not private' | 'simulation: no privacy';
  /**
   * Records that were looked at; of a private evaluation, owners where they are protected, and those without
   * a label count too.
   */
  readonly records: number;
  readonly metrics: Metrics;
  /** What the noise of a private evaluation does to the measures; of exact ones none. */
  readonly noise: Noise | null;
  readonly certificate: Certificate | null;
}

/**
 * Evaluates a model, exactly or privately. A private evaluation releases one noisy mean of bounded numbers
 * per record (its bin of predicted probability and class, whether it is right, its loss), charged to the
 * ledger of the records.
 *
 * @throws {InvalidData} without a record that can be evaluated, and for bad records.
 * @throws {InvalidParameter} for held-out records of data of another size, for a ledger of another adjacency,
 * and for a model whose loss does not fit its label.
 * @throws {BudgetExceeded} when the ledger's limit has no room; nothing is spent.
 */
export async function evaluateModel(model: Model, options: EvaluationOptions): Promise<Evaluation> {
  assertEvaluation(model, options);
  const { schema, split, plan } = model.file;
  const registry: Registry = [
    ...mechanisms,
    ...losses,
    ...optimizers,
    ...accountants,
    ...(options.plugins ?? []),
  ];
  const loss = resolvePlugin<Loss>(registry, { ...plan.loss, kind: 'loss' });
  assertFits(schema.label, loss);
  const table = tableOf(options.data, readingOf(schema, true), missingAdvice);
  const { records, slots, owners } = slotsOf(table, schema);
  const of = owners === null ? 'records' : 'owners';
  if (options.heldOut === true && slots !== split.records)
    throw new InvalidParameter(
      `the model was trained on ${split.records} ${of} and these are ${slots}; to evaluate on what ` +
        'was held out, give the records of the training, or evaluate on all of these',
      { records: slots, trained: split.records },
    );
  const held =
    options.heldOut === true ? heldOutSlots(split, { slots, owners }) : new Uint8Array(slots).fill(1);
  const wanted = countOf(held);
  if (wanted === 0)
    throw new InvalidData('no record was held out of this training; evaluate on other records', {});
  const leftOut = either(
    byRecord(held, owners).map((one) => 1 - one),
    records.unlabelled,
  );
  const scored = scoredOf(model, records, loss);
  const { budget: given } = options;
  if (given === undefined) {
    const kept = keptOf(leftOut);
    if (kept.length === 0)
      throw new InvalidData('no record has a label, so there is nothing to compare with', {});
    const { width } = scored;
    const predictions = new Float64Array(kept.length * width);
    kept.forEach((row, i) =>
      predictions.set(scored.predictions.subarray(row * width, (row + 1) * width), i * width),
    );
    const truth = Float64Array.from(kept, (row) => scored.truth[row]);
    const mean = kept.reduce((sum, row) => sum + scored.losses[row] / kept.length, 0);
    return {
      privacy: 'not private',
      records: kept.length,
      metrics: metricsOf({ task: model.task, predictions, width, truth, loss: mean }),
      noise: null,
      certificate: null,
    };
  }
  const { adjacency } = plan;
  const budget = { epsilon: given.epsilon, delta: given.delta ?? usualDelta(slots) };
  const secret = options.secret ?? secureRandom();
  const ledger = options.ledger ?? openLedger({ adjacency });
  assertAdjacency(ledger, adjacency);
  const kinds = eventKindsOf(registry);
  const chosen = registry.filter((plugin): plugin is Accountant => plugin.kind === 'accountant');
  const run = options.run ?? `evaluate-${hex(secureRandom().bytes(6))}`;
  const mean = plannedMean({
    run,
    adjacency,
    slots,
    ...(owners === null ? {} : { unit: 'owner' as const }),
    width: summaryWidth(model.task),
    registry,
    budget,
    calibrate: calibrator(chosen, kinds),
  });
  const vectors = summariesOf(schema.label, { ...scored, leftOut });
  const { mean: sums, simulation } = await mean.release(vectors, {
    ledger,
    identity: [options.identity ?? identityOf(table), orderBytes()],
    secret,
    signal: options.signal,
    ...(owners === null ? {} : { owned: { owners, leftOut } }),
  });
  const perRecord = sums.map((value) => (value * slots) / wanted);
  const spread = (mean.noise * slots) / wanted;
  const certificate = certificateOf({
    event: mean.event,
    parts: [{ what: 'private evaluation', event: mean.event }],
    accountant: bestOf(chosen, kinds),
    adjacency,
    budget,
    simulation,
    assumptions: [],
    ledger,
    owner: schema.owner,
  });
  const { metrics, noise } = metricsOfSummary(schema.label, perRecord, spread);
  return {
    privacy: certificate.label,
    records: wanted,
    metrics,
    noise,
    certificate,
  };
}

interface ScoredRecords {
  readonly predictions: Float64Array;
  readonly width: number;
  readonly truth: Float64Array;
  readonly losses: Float64Array;
}

function scoredOf(
  model: Model,
  { features, labels, columns, unlabelled }: TrainingRecords,
  loss: ReturnType<typeof resolvePlugin<Loss>>,
): ScoredRecords {
  const { schema } = model.file;
  const { label } = schema;
  const weights = Float64Array.from(model.file.weights);
  const given = labels.map((value, i) => (unlabelled[i] === 1 ? safeLabel(model, value) : value));
  return {
    predictions: predictionsOf(label, weights, viewOf(features)),
    width: widthOf(label),
    truth: given.map((value) => {
      if (model.task === 'binary') return value > 0 ? 1 : 0;
      return model.task === 'classes' ? value : inUnits(label, value);
    }),
    losses: lossesOf(loss, weights, { features: features.data, labels: given, columns }),
  };
}

/** A label that the loss takes, in place of none; the record is left out. */
const safeLabel = (model: Model, value: number): number =>
  model.task === 'binary' ? Math.sign(value) || -1 : value;

const keptOf = (leftOut: Uint8Array): Uint32Array =>
  Uint32Array.from([...leftOut.keys()].filter((row) => leftOut[row] === 0));

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
