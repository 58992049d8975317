import { accountants, bestOf, calibrator, gdp } from '@lethe/accountants';
import { optimizers } from '@lethe/algorithms';
import {
  composedEvent,
  domainAt,
  drive,
  eventKindsOf,
  findPlugin,
  IncompatiblePlugins,
  InvalidParameter,
  iterateDimensionOf,
  parseOrThrow,
  reservationFor,
  resolvePlugin,
  sameEvent,
  secureRandom,
  seededRandom,
  type Accountant,
  type Calibrate,
  type Json,
  type Loss,
  type Optimizer,
  type Problem,
  type RandomSource,
  type Ref,
  type Registry,
  type Resolved,
  type Run,
  type PrivacyEvent,
  Unsupported,
} from '@lethe/core';
import { assertMayFit, attachData, centralCurator, openLedger, type Ledger } from '@lethe/curator';
import { boundsWithin, losses } from '@lethe/losses';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { inArena, viewOf } from '@lethe/numerics';
import { certificateOf, type Certificate } from './certificate.js';
import { binEnd, normBinCount, normBins, quantileOf } from './clip-quantile.js';
import { clipRunOf } from './run-names.js';
import { identityOf } from './identity.js';
import { misfitsOf } from './misfits.js';
import { modelFrom, type Model, type ModelFile } from './model.js';
import { assertPlanned, plannedMean, type Charged, type PlannedMean } from './private-mean.js';
import { readingOf } from './reading.js';
import { assertRunOptions, checkedSettings, checkedTraining } from './options.js';
import type { ParsedSchema, TrainingSchema } from './schema.js';
import {
  assertAdjacency,
  assertFits,
  countOf,
  either,
  byRecord,
  heldOutSlots,
  largestGradient,
  orderBytes,
  slotsOf,
  smoothnessOf,
} from './setting.js';
import type { Split } from './split.js';
import { tableOf, type Data } from './table-of.js';
import { labelBoundOf, taskOf, usualLoss } from './task.js';
import type { TrainingPlan } from './training-plan.js';
import { usualDelta, usualParams, type UsualParams } from './usual-method.js';
import { version } from './version.js';

/** A privacy budget. */
export interface TrainingBudget {
  readonly epsilon: number;
  /** @defaultValue the power of ten at or below a tenth of one over the number of records, 1e-6 at most */
  readonly delta?: number | undefined;
}

/** The optimizer of a training, by name, with its parameters. */
export interface TrainingMethod {
  readonly name: string;
  /** Of `dp-sgd` what is left out follows from public numbers; of others all that they need is given. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** A loss or a domain by name, with its parameters. */
export interface NamedPlugin {
  readonly name: string;
  /** @defaultValue none */
  readonly params?: Json | undefined;
}

/** What a model is trained on, and how. All but the records is public. */
export interface TrainingOptions {
  /** A table, as `readTable` or `parseCsv` return it under {@link readingOf}, or a list of records. */
  readonly data: Data;
  readonly schema: TrainingSchema;
  readonly budget: TrainingBudget;
  /** @defaultValue logistic, softmax, squared or Poisson regression, by the label */
  readonly loss?: NamedPlugin | undefined;
  /** @defaultValue `dp-sgd` with parameters from the number of records */
  readonly method?: TrainingMethod | undefined;
  /**
   * Norm to which `dp-sgd` clips each gradient; or `quantile`: a private quantile of their norms at the
   * start, which takes a small part of the budget. @defaultValue `quantile` for numbers and counts, and
   * otherwise half of the largest norm
   */
  readonly clip?: number | 'quantile' | undefined;
  /** Set in which the weights stay. @defaultValue the ball of radius 10 */
  readonly domain?: NamedPlugin | undefined;
  /** @defaultValue a fifth is held out, by the key `lethe` */
  readonly split?: Partial<Split> | undefined;
  /** @defaultValue `replace-one` */
  readonly adjacency?: 'replace-one' | 'zero-out' | undefined;
  /** The ledger of the records. @defaultValue a new one in memory, which knows of no other training */
  readonly ledger?: Ledger | undefined;
  /** Bytes by which a ledger recognises the records. @defaultValue a digest of all columns that were given */
  readonly identity?: Uint8Array | undefined;
  /** Plugins besides those that ship. */
  readonly plugins?: Registry | undefined;
  /** Name of the run in the ledger, and seed of its public coins. @defaultValue a new one */
  readonly run?: string | undefined;
  /** Source of the noise. Another than the default makes a simulation. @defaultValue {@link secureRandom} */
  readonly secret?: RandomSource | undefined;
}

/** How a training is watched and ended. */
export interface RunOptions {
  /** In place of that of the options. */
  readonly ledger?: Ledger | undefined;
  /** In place of that of the options. */
  readonly identity?: Uint8Array | undefined;
  readonly signal?: { throwIfAborted(): void } | undefined;
  /** Called before each query; what it returns is awaited. */
  readonly pause?: (() => Promise<void> | undefined) | undefined;
  /** Called after each query with the number of those that are done. */
  readonly progress?: ((queries: number) => void) | undefined;
}

/** A training that is planned: nothing is spent yet. */
export interface Training {
  readonly plan: TrainingPlan;
  /** What the training costs, which its ledger must have room for. */
  readonly event: PrivacyEvent;
  /**
   * What is likely not meant by the schema, by what the records hold: columns whose list or bounds fit few
   * of them, and a label that is always the same. For the owner of the records alone: **not private**, and no
   * part of anything that is released.
   */
  warnings(): readonly string[];
  /**
   * Trains, and charges the ledger.
   *
   * @throws {BudgetExceeded} when the ledger's limit has no room for it; nothing is spent.
   * @throws {InvalidParameter} for a ledger of another adjacency.
   */
  run(options?: RunOptions): Promise<Model>;
}

/** Share of the budget, as a share of squared noise, that the quantile of gradient norms takes. */
const quantileShare = 0.03;
/** Share of gradients that are not clipped at the start. */
const unclipped = 0.6;
const usualSplit: Split = { heldOut: 0.2, key: 'lethe' };
const usualRadius = 10;
const usualAdjacency = 'replace-one';

/**
 * Plans a training: reads the records under the schema, splits them, or their owners, by a public key, and
 * calibrates the noise. Nothing is spent.
 *
 * @throws {InvalidParameter} that lists everything that is wrong with the options, before a record is read.
 * @throws {InvalidData} that lists what is wrong with the records.
 */
export function prepareTraining(given: TrainingOptions): Training {
  const options = checkedTraining(given);
  const { schema, budget: asked } = options;
  const { registry, lossRef, loss, domainRef, method, optimizer } = partsOf(options);
  const split: Split = { ...usualSplit, ...options.split };
  const adjacency = options.adjacency ?? usualAdjacency;
  const secret = options.secret ?? secureRandom();
  const name = options.run ?? `train-${hex(secureRandom().bytes(6))}`;

  const reading = readingOf(schema, true);
  const table = tableOf(options.data, reading);
  const { records: read, slots, owners } = slotsOf(table, schema);
  const { features: unrounded, ...records } = read;
  // What is learnt, the quantile of a clip included, is learnt of the rounded records.
  const features = inArena(viewOf(unrounded), schema.precision);
  const { columns } = records;
  const held = heldOutSlots(split, { slots, owners });
  const leftOut = either(byRecord(held, owners), records.unlabelled);
  const unit = owners === null ? {} : { unit: 'owner' as const };
  const budget = { epsilon: asked.epsilon, delta: asked.delta ?? usualDelta(slots) };
  const heldOut = countOf(held);
  if (slots - heldOut < 1)
    throw new InvalidParameter(`no ${unit.unit ?? 'record'} is left to train on; hold out less`, {
      records: slots,
      heldOut,
    });

  const dimension = iterateDimensionOf(loss, columns);
  const domain = domainAt(registry, domainRef, dimension);
  const labelBound = labelBoundOf(schema.label);
  const {
    record: { columns: _, ...recordDomain },
    facts,
  } = boundsWithin(loss, domain, {
    columns,
    featureNorm: records.facts.rowNorm,
    featureBounds: records.facts.featureBounds.map(([lower, upper]) => Math.max(-lower, upper)),
    ...(labelBound === undefined ? {} : { labelBound }),
  });
  const problem: Problem = {
    adjacency,
    trust: { model: 'central' },
    dimension,
    slots: [slots],
    ...unit,
    domain: domainRef,
    loss: lossRef,
    capabilities: loss.plugin.capabilities,
    facts,
  };
  const kinds = eventKindsOf(registry);
  const chosen = registry.filter((plugin): plugin is Accountant => plugin.kind === 'accountant');
  const calibrate = calibrator(chosen, kinds);
  const largest = largestGradient(schema.label, loss, columns, records.facts.rowNorm);
  const clip =
    options.clip ??
    (loss.plugin.labels.classes === undefined && taskOf(schema.label) !== 'binary'
      ? 'quantile'
      : largest / 2);
  const whole = wholeMean();
  const quantile = clip === 'quantile' ? quantilePlan() : null;
  const first = prepared(clip === 'quantile' ? largest / 2 : clip, calibrateBeside(quantile));
  const event = eventWith(first);
  const accountant = bestOf(chosen, kinds);
  const interval = accountant.epsilon(event, {
    adjacency,
    delta: budget.delta,
    near: budget.epsilon,
  });

  const plan: TrainingPlan = {
    task: taskOf(schema.label),
    records: slots,
    ...(schema.owner === undefined ? {} : { owner: schema.owner }),
    heldOut,
    features: columns,
    loss: { name: lossRef.name, params: lossRef.params },
    method: method.name,
    params: paramsAt(clip === 'quantile' ? null : clip),
    clip: shownClip(),
    gradients: first.plan.gradients,
    budget,
    adjacency,
    epsilon: interval.upper,
    noise: whole === null ? null : ((whole.noise * slots) / (slots - heldOut)) * Math.sqrt(dimension),
    run: name,
  };
  return { plan, event, warnings: () => misfitsOf(table, schema, records), run };

  /**
   * A mean over all slots that takes the whole budget; `null` where no Gaussian noise keeps it. Its noise is
   * that of the exact curve of one Gaussian answer, which takes no time.
   */
  function wholeMean(): PlannedMean | null {
    try {
      return plannedMean({ ...meanRequest(), calibrate: calibrator([gdp], kinds) });
    } catch (error) {
      if (error instanceof Unsupported) return null;
      throw error;
    }
  }

  function meanRequest() {
    return {
      run: clipRunOf(name),
      adjacency,
      slots,
      ...unit,
      width: normBinCount,
      registry,
      budget,
      calibrate,
    };
  }

  /** The quantile's noise is fixed by its share of a Gaussian budget; the exact cost is in the event. */
  function quantilePlan(): PlannedMean {
    const { noiseMultiplier } = whole ?? plannedMean(meanRequest());
    return plannedMean({ ...meanRequest(), noiseMultiplier: noiseMultiplier / Math.sqrt(quantileShare) });
  }

  function calibrateBeside(beside: PlannedMean | null): Calibrate {
    if (beside === null) return calibrate;
    return (request) =>
      calibrate({ ...request, make: (value) => composedEvent([beside.event, request.make(value)]) });
  }

  function paramsAt(clipNorm: number | null): Readonly<Record<string, unknown>> {
    const usual = usualParams({
      records: slots - heldOut,
      smoothness: smoothnessOf(schema.label, loss, columns, records.facts.rowNorm),
      hasClasses: taskOf(schema.label) === 'binary' || taskOf(schema.label) === 'classes',
    });
    return withUsual(method, usual, clipNorm);
  }

  function prepared(clipNorm: number, by: Calibrate, noiseMultiplier?: number): Run {
    return optimizer.prepare({
      problem,
      registry,
      budget,
      params: {
        ...paramsAt(clipNorm),
        ...(noiseMultiplier === undefined ? {} : { noiseMultiplier }),
      },
      calibrate: by,
      random: seededRandom(`coins/${name}`),
    });
  }

  function eventWith({ plan: { event: own } }: Run) {
    return quantile === null ? own : composedEvent([quantile.event, own]);
  }

  function shownClip(): TrainingPlan['clip'] {
    if (method.name !== 'dp-sgd' || method.params?.['mean'] !== undefined) return { by: 'method' };
    if (quantile === null) {
      const own = method.params?.['clipNorm'];
      return { by: 'number', norm: typeof own === 'number' ? own : (clip as number) };
    }
    return { by: 'quantile', share: unclipped, largest, noiseMultiplier: quantile.noiseMultiplier };
  }

  async function run(watch: RunOptions = {}): Promise<Model> {
    assertRunOptions(watch);
    const { signal, pause, progress } = watch;
    const ledger = watch.ledger ?? options.ledger ?? openLedger({ adjacency });
    assertAdjacency(ledger, adjacency);
    const identity = [watch.identity ?? options.identity ?? identityOf(table), orderBytes()];
    const charged: Charged = {
      ledger,
      identity,
      secret,
      signal,
      pause,
      ...(owners === null ? {} : { owned: { owners, leftOut } }),
    };
    const known = new Set(ledger.runs());
    if (!known.has(name)) ledger.assertAffordable(event);
    const data = attachData({
      features,
      labels: records.labels,
      nulls: leftOut,
      ...(owners === null ? {} : { owners }),
      loss: lossRef,
      registry,
      domain: recordDomain,
      outside: 'clip',
      identity,
      ledger,
    });
    // Opened before the quantile is told: what is set aside afterwards counts as chosen after an answer, and
    // needs more room than the limit may have.
    const curator = centralCurator({ data, registry, run: name, ...reservationFor(first), random: secret });
    const { clipNorm, simulation } =
      quantile === null
        ? { clipNorm: clip as number, simulation: false }
        : await chosenClip(quantile, charged);
    const multiplier = (first.plan as { readonly noiseMultiplier?: unknown }).noiseMultiplier;
    const main =
      quantile === null
        ? first
        : prepared(
            clipNorm,
            calibrateBeside(quantile),
            typeof multiplier === 'number' ? multiplier : undefined,
          );
    if (!sameEvent(main.plan.event, first.plan.event))
      throw new IncompatiblePlugins(
        `optimizer '${method.name}' costs something else at another clipNorm, so its clip cannot be a ` +
          'quantile; give clip a number',
        { optimizer: method.name },
      );
    const { output } = await drive(main, curator, {
      start: domain.projectInto(new Float64Array(dimension), new Float64Array(dimension)),
      random: seededRandom(`coins/${name}`),
      ...(signal === undefined ? {} : { signal }),
      ...(pause === undefined ? {} : { pause }),
      ...(progress === undefined ? {} : { progress: ({ queries }) => progress(queries) }),
    });
    curator.end();
    assertPlanned(curator.spent(), main.plan.event, method.name);
    const certificate: Certificate = certificateOf({
      event: eventWith(main),
      parts: [
        ...(quantile === null ? [] : [{ what: 'private quantile of gradient norms', event: quantile.event }]),
        { what: `training by ${method.name}`, event: main.plan.event },
      ],
      accountant,
      adjacency,
      budget,
      simulation: simulation || curator.facts.simulation,
      assumptions: curator.facts.assumptions,
      ledger,
      owner: schema.owner,
    });
    const file: ModelFile = {
      format: 'lethe/model',
      version: 1,
      lethe: version,
      schema,
      featureNames: [...records.featureNames],
      weights: [...output],
      split: { ...split, records: slots },
      plan: { ...plan, params: paramsAt(clipNorm) },
      certificate,
    };
    return modelFrom(file);
  }

  async function chosenClip(by: PlannedMean, charged: Charged) {
    const vectors = normBins(loss, features, records.labels, { leftOut, largest });
    const { mean, simulation } = await by.release(vectors, charged);
    const found = quantileOf(mean, { share: unclipped, largest, noise: by.noise });
    return { clipNorm: Math.max(found, binEnd(0, largest)), simulation };
  }
}

/** The plugins of a training, and what is chosen of them. */
interface Parts {
  readonly registry: Registry;
  readonly lossRef: Ref<'loss'>;
  readonly loss: Resolved<Loss>;
  readonly domainRef: Ref<'domain'>;
  readonly method: TrainingMethod;
  readonly optimizer: Optimizer;
}

/** Parameters of DP-SGD that any number of records may lead to: they stand in where none is known yet. */
const anyUsual: UsualParams = {
  steps: 1,
  rate: 1,
  stepSize: 1,
  schedule: 'inverse-sqrt',
  average: 'last',
};

/**
 * The plugins of a training and their parameters, checked without its records.
 *
 * @throws {InvalidParameter} for parameters that a plugin does not take.
 * @throws {IncompatiblePlugins} for a loss that does not fit the label or the method.
 * @throws {Unsupported} for a method that does not support the adjacency, or runs in no central model.
 */
function partsOf({
  schema,
  loss: givenLoss,
  domain,
  method = { name: 'dp-sgd' },
  adjacency = usualAdjacency,
  plugins = [],
}: Omit<TrainingOptions, 'data' | 'schema'> & { readonly schema: ParsedSchema }): Parts {
  const registry: Registry = [...mechanisms, ...losses, ...optimizers, ...accountants, ...plugins];
  const lossRef = refTo('loss', givenLoss ?? usualLoss(schema.label));
  const loss = resolvePlugin<Loss>(registry, lossRef);
  assertFits(schema.label, loss);
  const domainRef = refTo('domain', domain ?? l2BallDomain({ radius: usualRadius }));
  resolvePlugin(registry, domainRef);
  const optimizer = findPlugin<Optimizer>(registry, 'optimizer', method.name);
  const params = withUsual(method, anyUsual, 1);
  const parsed = parseOrThrow(optimizer.params, params, `optimizer '${optimizer.name}'`);
  optimizer.fits?.(parsed, registry);
  assertMayFit(optimizer, {
    adjacency,
    trust: { model: 'central' },
    loss: loss.plugin,
    capabilities: loss.plugin.capabilities,
  });
  return { registry, lossRef, loss, domainRef, method, optimizer };
}

/** Parameters of a method; of `dp-sgd` those that are left out are the usual ones. */
function withUsual(
  { name, params: own = {} }: TrainingMethod,
  { rate, ...usual }: UsualParams,
  clipNorm: number | null,
): Readonly<Record<string, unknown>> {
  if (name !== 'dp-sgd') return own;
  return {
    ...usual,
    ...('batchSize' in own || 'sampler' in own ? {} : { rate }),
    ...('mean' in own || clipNorm === null ? {} : { clipNorm }),
    ...own,
  };
}

/**
 * Checks everything that a training is given but its records, before they are read.
 *
 * @throws as {@link prepareTraining}.
 */
export function assertSettings(given: Omit<TrainingOptions, 'data'>): void {
  partsOf(checkedSettings(given));
}

/** Passes over the records beyond which a training would not end. */
const mostPasses = 1e6;

/**
 * Trains a private model: {@link prepareTraining}, and its run.
 *
 * @throws {InvalidParameter} for a plan of more than a million passes over the records, and what these throw.
 */
export async function train(options: TrainingOptions, watch: RunOptions = {}): Promise<Model> {
  assertRunOptions(watch);
  const training = prepareTraining(options);
  const { gradients, records, method } = training.plan;
  if (gradients > mostPasses * records)
    throw new InvalidParameter(
      `method: the plan of '${method}' takes ${(gradients / records).toPrecision(2)} passes over the ` +
        `${records} records, and train takes ${mostPasses} at most; give fewer steps, or run what ` +
        'prepareTraining returns',
      { gradients, records },
    );
  return training.run(watch);
}

/** Reference to a plugin; the parameters that are left out are those by default. */
const refTo = <K extends 'loss' | 'domain'>(kind: K, { name, params = {} }: NamedPlugin): Ref<K> => ({
  kind,
  name,
  params,
});

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
