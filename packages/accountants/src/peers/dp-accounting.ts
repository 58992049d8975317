import {
  type Adjacency,
  clippedMeanSensitivity,
  composedEvent,
  type CoreEvent,
  exponentialEvent,
  freeEvent,
  gaussianEvent,
  InvalidParameter,
  negativeBinomialSelectionEvent,
  parseEvent,
  poissonSelectionEvent,
  type PrivacyEvent,
  repeatedEvent,
  sampledEvent,
  type Sensitivity,
  sensitivityUnder,
  Unsupported,
  unprotectedEvent,
} from '@lethe/core';
import { divideDown, parseOrThrow, sqrtUp } from '@lethe/numerics';
import * as z from 'zod';
import { negativeBinomialOf } from '../selection/repeated-selection.js';
import { type Call, type PythonValue, readCalls } from './python-calls.js';

/** For events whose replace-one cost dp_accounting does not define. */
const withoutReplacement = (value: number): Sensitivity => ({ 'add-remove': value, 'zero-out': value });

const number = z.union([z.number(), z.boolean().transform(Number)]);
const positive = number.pipe(z.number().positive());
const notNegative = number.pipe(z.number().nonnegative());
const share = number.pipe(z.number().positive().max(1));
const count = z.int().positive();

const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'positional');

/** One class of events: its fields in the order of its constructor, and what it is here. */
interface Row {
  readonly fields: readonly string[];
  convert(fields: unknown, what: string, adjacency: Adjacency): PrivacyEvent;
}
function row<Shape extends z.ZodRawShape>(
  shape: Shape,
  convert: (
    fields: z.output<z.ZodObject<Shape>>,
    adjacency: Adjacency,
    eventOf: (value: unknown) => PrivacyEvent,
  ) => PrivacyEvent,
): Row {
  const schema = z.strictObject(shape);
  return {
    fields: Object.keys(shape),
    convert: (fields, what, adjacency) =>
      convert(parseOrThrow(schema, fields, what) as z.output<z.ZodObject<Shape>>, adjacency, (value) =>
        eventOf(value, adjacency),
      ),
  };
}

const nested = z.custom<Call>(isCall, { message: 'it must be an event' });
/** Noise multipliers of dp_accounting are in units of the largest norm of a record's value. */
const gaussian = (noiseMultiplier: number): PrivacyEvent =>
  gaussianEvent(noiseMultiplier, clippedMeanSensitivity);
const noNoise = (multiplier: number, event: () => PrivacyEvent): PrivacyEvent =>
  multiplier === 0 ? unprotectedEvent : event();
const fixedSize = (
  { source_dataset_size: n, sample_size: size }: { source_dataset_size: number; sample_size: number },
  replacement: boolean,
  event: PrivacyEvent,
): PrivacyEvent => sampledEvent({ kind: 'core/fixed-size', n, size, replacement }, event);

const rows: Readonly<Record<string, Row>> = {
  NoOpDpEvent: row({}, () => freeEvent),
  NonPrivateDpEvent: row({}, () => unprotectedEvent),
  GaussianDpEvent: row({ noise_multiplier: notNegative }, ({ noise_multiplier: multiplier }) =>
    noNoise(multiplier, () => gaussian(multiplier)),
  ),
  LaplaceDpEvent: row({ noise_multiplier: notNegative }, ({ noise_multiplier: scale }) =>
    noNoise(scale, () => ({ kind: 'core/laplace', v: 1, scale, sensitivity: clippedMeanSensitivity })),
  ),
  DiscreteLaplaceDpEvent: row(
    { noise_parameter: positive, sensitivity: count },
    ({ noise_parameter: rate, sensitivity }): PrivacyEvent & CoreEvent<'core/discrete-laplace'> => ({
      kind: 'core/discrete-laplace',
      v: 1,
      scale: divideDown(1, rate),
      grid: 1,
      sensitivity: withoutReplacement(sensitivity),
    }),
  ),
  DiscreteGaussianDpEvent: row(
    { sigma: positive, sensitivity: positive.default(1), dimension: count.nullish() },
    ({ sigma, sensitivity, dimension }): PrivacyEvent & CoreEvent<'core/discrete-gaussian'> => ({
      kind: 'core/discrete-gaussian',
      v: 1,
      sigma,
      grid: 1,
      ...(typeof dimension === 'number' ? { entries: dimension } : {}),
      sensitivity: withoutReplacement(sensitivity),
    }),
  ),
  MixtureOfGaussiansDpEvent: row(
    {
      standard_deviation: positive,
      sensitivities: z.array(notNegative).min(1),
      sampling_probs: z.array(notNegative).min(1),
    },
    ({ standard_deviation: sigma, sensitivities, sampling_probs: probabilities }, adjacency) => {
      refuseReplacement('MixtureOfGaussiansDpEvent', adjacency);
      return parseEvent({
        kind: 'core/gaussian-mixture-pair',
        v: 1,
        sigma,
        first: { means: sensitivities, probabilities },
        second: { means: [0], probabilities: [1] },
      });
    },
  ),
  RandomizedResponseDpEvent: row(
    { noise_parameter: number.pipe(z.number().min(0).max(1)), num_buckets: count },
    ({ noise_parameter: p, num_buckets: categories }) =>
      categories === 1
        ? freeEvent
        : ({ kind: 'core/randomized-response', v: 1, p, categories } as PrivacyEvent),
  ),
  EpsilonDeltaDpEvent: row({ epsilon: notNegative, delta: notNegative }, (stated) =>
    parseEvent({ kind: 'core/approximate', v: 1, ...stated }),
  ),
  ExponentialMechanismDpEvent: row({ epsilon: positive }, ({ epsilon }, adjacency) =>
    exponentialEvent(epsilon, { [adjacency]: 1 }),
  ),
  ZCDpEvent: row({ rho: notNegative, xi: notNegative.default(0) }, ({ rho, xi }) => {
    if (xi > 0)
      throw new Unsupported(
        `ZCDpEvent has xi = ${xi}; zero-concentrated privacy here has none. Give xi = 0.`,
        {
          xi,
        },
      );
    return { kind: 'core/zcdp', v: 1, rho } as PrivacyEvent;
  }),
  SelfComposedDpEvent: row({ event: nested, count }, ({ event, count: times }, _, eventAt) =>
    repeatedEvent(eventAt(event), times),
  ),
  ComposedDpEvent: row({ events: z.array(nested) }, ({ events }, _, eventAt) =>
    composedEvent(events.map((event) => eventAt(event))),
  ),
  PoissonSampledDpEvent: row(
    { sampling_probability: share, event: nested },
    ({ sampling_probability: rate, event }, _, eventAt) =>
      sampledEvent({ kind: 'core/poisson', rate }, eventAt(event)),
  ),
  SampledWithReplacementDpEvent: row(
    { source_dataset_size: count, sample_size: count, event: nested },
    ({ event, ...sizes }, _, eventAt) => fixedSize(sizes, true, eventAt(event)),
  ),
  SampledWithoutReplacementDpEvent: row(
    { source_dataset_size: count, sample_size: count, event: nested },
    ({ event, ...sizes }, _, eventAt) => fixedSize(sizes, false, eventAt(event)),
  ),
  RepeatAndSelectDpEvent: row(
    { event: nested, mean: positive, shape: number.or(z.literal(Infinity)) },
    ({ event, mean, shape }, _, eventAt) => {
      const base = eventAt(event);
      // Theirs may be no run at all, which releases less than a run.
      if (shape === Infinity) return poissonSelectionEvent(base, { mean });
      return mean === 1 ? base : negativeBinomialSelectionEvent(base, negativeBinomialOf({ mean, shape }));
    },
  ),
  TruncatedSubsampledGaussianDpEvent: row(
    {
      dataset_size: count,
      sampling_probability: share,
      truncated_batch_size: count,
      noise_multiplier: positive,
    },
    ({ dataset_size: n, sampling_probability: rate, truncated_batch_size: most, noise_multiplier: noise }) =>
      sampledEvent({ kind: 'core/truncated-poisson', n, rate, most }, gaussian(noise)),
  ),
  SingleEpochTreeAggregationDpEvent: row(
    { noise_multiplier: positive, step_counts: z.union([count, z.array(count).min(1)]) },
    ({ noise_multiplier: noise, step_counts: steps }, adjacency) => {
      // A record is in one node of each level of one tree: at most ⌊log₂ T⌋ + 1 nodes.
      const levels = Math.floor(Math.log2(Math.max(...[steps].flat()))) + 1;
      if (adjacency === 'add-remove')
        throw new Unsupported(
          'SingleEpochTreeAggregationDpEvent has no add-remove guarantee: a record that is gone would move ' +
            'those after it. Use zero-out or replace-one.',
          { adjacency },
        );
      const length = sqrtUp(levels);
      return gaussianEvent(noise, { 'zero-out': length, 'replace-one': 2 * length });
    },
  ),
};

function refuseReplacement(name: string, adjacency: Adjacency): void {
  if (adjacency === 'replace-one')
    throw new Unsupported(`${name} is not defined for replace-one; use add-remove or zero-out`, {
      name,
      adjacency,
    });
}

function eventOf(value: unknown, adjacency: Adjacency): PrivacyEvent {
  if (!isCall(value))
    throw new InvalidParameter('the text is no event of dp_accounting: a class with its arguments', {});
  const { name, positional, named } = value;
  const known = Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (known === undefined)
    throw new Unsupported(
      `'${name}' of dp_accounting has no counterpart here; there are ${Object.keys(rows).join(', ')}`,
      { name },
    );
  if (positional.length > known.fields.length)
    throw new InvalidParameter(
      `${name} takes ${known.fields.length} arguments (${known.fields.join(', ')}); ` +
        `got ${positional.length}`,
      { name },
    );
  const twice = known.fields.slice(0, positional.length).find((field) => Object.hasOwn(named, field));
  if (twice !== undefined)
    throw new InvalidParameter(`${name} is given ${twice} twice: by place and by name`, { name });
  const fields: Record<string, PythonValue> = { ...named };
  for (const [i, one] of positional.entries()) fields[known.fields[i]] = one;
  return known.convert(fields, name, adjacency);
}

/**
 * Reads an event of Google's dp_accounting, as Python prints it: `repr(event)`, or the expression that makes
 * it, with or without the module.
 *
 * Noise multipliers there are in units of the largest norm of a record's value. Events without a sensitivity,
 * such as `EpsilonDeltaDpEvent`, hold under `adjacency`.
 *
 * @param adjacency - `NeighboringRelation` of the accountant: `ADD_OR_REMOVE_ONE` is add-remove,
 * `REPLACE_ONE` is replace-one, `REPLACE_SPECIAL` is zero-out.
 * @throws {InvalidParameter} for a text that is no such event, or whose arguments do not fit.
 * @throws {Unsupported} for a class without a counterpart, or one not defined under `adjacency`.
 */
export const fromDpAccounting = (text: string, adjacency: Adjacency): PrivacyEvent =>
  eventOf(readCalls(text, 'the event of dp_accounting'), adjacency);

/**
 * Writes an event as the Python expression that makes it with dp_accounting, for an accountant with the
 * `NeighboringRelation` of `adjacency`.
 *
 * @throws {Unsupported} for an event that dp_accounting has no class for.
 */
export function toDpAccounting(event: PrivacyEvent, adjacency: Adjacency): string {
  const core = event as CoreEvent;
  const inner = (one: PrivacyEvent): string => toDpAccounting(one, adjacency);
  const made = (name: string, fields: Readonly<Record<string, number | string>>): string =>
    `dp_accounting.${name}(${Object.entries(fields)
      .map(([field, value]) => `${field}=${value === Infinity ? "float('inf')" : String(value)}`)
      .join(', ')})`;
  /** Noise in units of the norm of a value, which moves a sum by two of them when it is replaced. */
  const multiplier = (scale: number, sensitivity: Sensitivity): number =>
    (scale * (adjacency === 'replace-one' ? 2 : 1)) /
    sensitivityUnder(sensitivity, adjacency, `the event '${event.kind}'`);
  switch (core.kind) {
    case 'core/free':
      return made('NoOpDpEvent', {});
    case 'core/unprotected':
      return made('NonPrivateDpEvent', {});
    case 'core/gaussian':
      return made('GaussianDpEvent', { noise_multiplier: multiplier(core.sigma, core.sensitivity) });
    case 'core/laplace':
      return made('LaplaceDpEvent', { noise_multiplier: multiplier(core.scale, core.sensitivity) });
    case 'core/randomized-response':
      return made('RandomizedResponseDpEvent', { noise_parameter: core.p, num_buckets: core.categories });
    case 'core/pure':
      return made('EpsilonDeltaDpEvent', { epsilon: core.epsilon, delta: 0 });
    case 'core/approximate':
      return made('EpsilonDeltaDpEvent', { epsilon: core.epsilon, delta: core.delta });
    case 'core/zcdp':
      return made('ZCDpEvent', { rho: core.rho });
    case 'core/exponential': {
      const moved = sensitivityUnder(core.sensitivity, adjacency, `the event '${event.kind}'`);
      return made('ExponentialMechanismDpEvent', { epsilon: core.epsilon * moved });
    }
    case 'core/compose': {
      const parts = core.parts.map(({ event: part, count: times }) =>
        times === 1 ? inner(part) : made('SelfComposedDpEvent', { event: inner(part), count: times }),
      );
      return parts.length === 1 ? parts[0] : made('ComposedDpEvent', { events: `[${parts.join(', ')}]` });
    }
    case 'core/sampled': {
      const { sampler } = core;
      if (sampler.kind === 'core/poisson')
        return made('PoissonSampledDpEvent', {
          sampling_probability: sampler.rate,
          event: inner(core.event),
        });
      if (sampler.kind === 'core/fixed-size')
        return made(`SampledWith${sampler.replacement ? '' : 'out'}ReplacementDpEvent`, {
          source_dataset_size: sampler.n,
          sample_size: sampler.size,
          event: inner(core.event),
        });
      break;
    }
    default:
  }
  throw new Unsupported(`dp_accounting has no class for the event '${event.kind}'`, { kind: event.kind });
}
