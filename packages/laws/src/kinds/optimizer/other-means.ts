import {
  defineMean,
  InvalidParameter,
  referenceTo,
  repeatedEvent,
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

/** One object for each registry: calibrations are kept by it. */
const extended = new WeakMap<Registry, Registry>();

/**
 * An optimizer that is given its means by reference with a mean whose cost depends on how it is asked for,
 * wherever its schema takes one: at no clip norm and at one that changes the cost.
 */
export function withOtherMeans(subject: Subject<'optimizer'>): readonly Subject<'optimizer'>[] {
  const mechanism = noiseOf(subject);
  if (mechanism === undefined) return [];
  const { plugin, params: own, registry } = subject;
  const mean = costly({ radius: 1, mechanism });
  const { clipNorm: _clipNorm, clip: _clip, mean: _mean, ...rest } = own as Readonly<Record<string, unknown>>;
  const withCostly = extended.get(registry) ?? Object.freeze([...registry, costly]);
  extended.set(registry, withCostly);
  return [
    { ...rest, mean },
    { ...rest, mean, clipNorm: 1.3 },
    { ...rest, mean: { gradient: mean, difference: mean } },
  ].flatMap((params) => {
    const parsed = plugin.params.safeParse(params);
    return parsed.success ? [{ ...subject, params: parsed.data, registry: withCostly }] : [];
  });
}
