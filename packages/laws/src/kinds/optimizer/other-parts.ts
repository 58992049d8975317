import {
  defineClip,
  defineMean,
  defineSampler,
  InvalidParameter,
  referenceTo,
  repeatedEvent,
  resolvePlugin,
  type Mechanism,
  type Plugin,
  type Ref,
  type Registry,
} from '@lethe/core';
import * as z from 'zod';
import { normOf } from '../../engines/norms.js';
import type { Subject } from '../../law/subject.js';

/** Noise is for at least so many records at once; below, the mean is charged once more. */
const few = 20;

/**
 * The mean of records held to a ball, charged once more unless the radius is a power of two, and once more
 * over few records: what a mean costs may depend on its units, as on a grid, and on the batch.
 */
const costly = defineMean({
  name: 'laws/costs-by-shape',
  summary: 'Mean of clipped records whose cost depends on radius and batch.',
  source: { id: 'lethe', item: 'stand-in of the laws about optimizers' },
  claims: [],
  params: z.strictObject({ radius: z.number().positive(), mechanism: referenceTo('mechanism') }),
  trust: 'central',
  privacyRestsOn: 'clip',
  hiddenSize: true,
  mechanism: ({ mechanism }) => mechanism,
  norm: () => 'l2',
  sensitivity: ({ radius }, { slots }) => ({
    'replace-one': (2 * radius) / slots,
    'add-remove': radius / slots,
    'zero-out': radius / slots,
  }),
  begin({ radius }, { dimension, slots }) {
    const sum = new Float64Array(dimension);
    return {
      add(_slot, gradient) {
        const length = normOf('l2', gradient);
        const factor = length > radius ? radius / length : 1;
        if (Number.isFinite(length)) for (let j = 0; j < dimension; j++) sum[j] += factor * gradient[j];
      },
      value: () => sum.map((total) => total / slots),
      finish: (noised) => noised,
    };
  },
  scaled: ({ radius, mechanism }, factor) => ({ radius: radius * factor, mechanism }),
  event: ({ radius }, noise, { slots }) =>
    repeatedEvent(noise, 1 + Number(!Number.isInteger(Math.log2(radius))) + Number(slots < few)),
  // E‖z‖1{‖z‖ > r} ≤ E‖z‖^k / r^(k−1).
  biasBound: ({ radius }, _shape, { order, value }) => value / positive(radius) ** (order - 1),
  varianceBound: ({ radius }, { dimension, slots }, _moment, noiseVariance) =>
    dimension * noiseVariance + radius ** 2 / slots,
});

function positive(radius: number): number {
  if (radius > 0) return radius;
  throw new InvalidParameter(`a radius of ${radius} was given; it must be positive`, { radius });
}

/** Real noise in ℓ2 of a registry. */
function noiseOf({ registry }: Subject<'optimizer'>): Ref<'mechanism'> | undefined {
  const found = registry.find((plugin): plugin is Mechanism => {
    const { kind, norm, numerics, scalar, params } = plugin as Plugin & Partial<Mechanism>;
    return (
      kind === 'mechanism' &&
      norm === 'l2' &&
      numerics !== 'exact' &&
      scalar !== true &&
      params?.safeParse({}).success === true
    );
  });
  return found === undefined ? undefined : { kind: 'mechanism', name: found.name, params: {} };
}

/** Half of what an ℓ2 clip leaves of a vector: no projection. */
const halving = defineClip({
  name: 'laws/halves',
  summary: 'Half of the projection onto the unit ball.',
  source: { id: 'lethe', item: 'stand-in of the laws about optimizers' },
  params: z.strictObject({}),
  claims: [],
  norm: 'l2',
  isProjection: false,
  radius: () => 1,
  factor: (_params, norm) => halfFactor(norm),
  clipInPlace(_params, vector) {
    const length = normOf('l2', vector);
    if (!Number.isFinite(length)) vector.fill(0);
    const factor = halfFactor(length);
    for (let j = 0; j < vector.length; j++) vector[j] *= factor;
  },
  biasBound: (_params, { order, value }) => value ** (1 / order),
  varianceBound: (_params, { order, value }) => value ** (2 / order),
});
const halfFactor = (norm: number): number => 1 / Math.max(2, norm);

/** All records, without amplification. */
const whole = defineSampler({
  name: 'laws/all-records',
  summary: 'Every record takes part; nothing is amplified.',
  source: { id: 'lethe', item: 'stand-in of the laws about optimizers' },
  params: z.strictObject({}),
  claims: [],
  size: 'exact',
  amplification: () => ({
    'replace-one': { sampler: null, inner: 'replace-one' },
    'zero-out': { sampler: null, inner: 'zero-out' },
  }),
  normaliser: (_params, slots) => slots,
  draw: (_params, slots) => Uint32Array.from({ length: slots }, (_, k) => k),
});

/** The noise of a mechanism, charged twice. */
const twice = (ref: Ref<'mechanism'>, registry: Registry): Mechanism => {
  const { plugin } = resolvePlugin<Mechanism>(registry, ref);
  return Object.freeze({
    ...plugin,
    name: 'laws/charged-twice',
    event: (...given: Parameters<Mechanism['event']>) => repeatedEvent(plugin.event(...given), 2),
  });
};

/** One object for each registry: calibrations are kept by it. */
const extended = new WeakMap<Registry, Registry>();

/** An optimizer with one of its parts by reference. */
export interface WithOtherPart {
  readonly subject: Subject<'optimizer'>;
  /** Name of the part, which some query of a run has to name. */
  readonly part: string;
}

/**
 * An optimizer that is given its parts by reference with others, wherever its schema takes one: a mean whose
 * cost depends on how it is asked for, at no clip norm and at one that changes the cost; a mechanism that is
 * charged twice; a sampler that amplifies nothing; a clip that is no projection.
 */
export function withOtherParts(subject: Subject<'optimizer'>): readonly WithOtherPart[] {
  const mechanism = noiseOf(subject);
  if (mechanism === undefined) return [];
  const { plugin, params: own, registry } = subject;
  const given = own as Readonly<Record<string, unknown>>;
  const mean = costly({ radius: 1, mechanism });
  const { clipNorm: _clipNorm, clip: _clip, mean: _mean, ...rest } = given;
  const { rate: _rate, batchSize: _batchSize, sampler: _sampler, ...unsampled } = given;
  const noise = twice(mechanism, registry);
  const withOthers = extended.get(registry) ?? Object.freeze([...registry, costly, halving, whole, noise]);
  extended.set(registry, withOthers);
  return [
    { part: costly.name, params: { ...rest, mean } },
    { part: costly.name, params: { ...rest, mean, clipNorm: 1.3 } },
    { part: costly.name, params: { ...rest, mean: { gradient: mean, difference: mean } } },
    {
      part: noise.name,
      params: { ...given, mechanism: { kind: 'mechanism', name: noise.name, params: {} } },
    },
    { part: whole.name, params: { ...unsampled, sampler: whole({}) } },
    { part: halving.name, params: { ...rest, clip: halving({}) } },
  ].flatMap(({ part, params }) => {
    const parsed = plugin.params.safeParse(params);
    return parsed.success
      ? [{ part, subject: { ...subject, params: parsed.data, registry: withOthers } }]
      : [];
  });
}
