import {
  type Adjacency,
  parseEvent,
  type CoreEvent,
  type PrivacyEvent,
  canonicalJson,
  type AccountingContext,
  type CharacterisationKind,
  type Characterisations,
  type EventKind,
  type Resolver,
} from '@lethe/core';
import { IncompatiblePlugins, InvalidParameter, Unsupported } from '@lethe/numerics';
import { attempt } from './attempt.js';
import { checkedPairs, trustPairs } from './checked-pairs.js';
import { derivations } from './derive.js';
import { knowers } from './kinds/index.js';
import type { Knowledge, NestedResolver } from './knowledge.js';

type At = <C extends CharacterisationKind>(
  event: PrivacyEvent,
  want: C,
  adjacency: Adjacency,
  path: string,
) => Characterisations[C];

/**
 * A resolver with a cache of characterisations and of Rényi divergences by order. Create one per query.
 *
 * @param kinds - Event kinds beyond core's. The resolver expects events as returned by `parseEvent`.
 */
export function createResolver(kinds: readonly EventKind[] = []): Resolver {
  // Refusals are cached too, since nested events are resolved many times.
  const cache = new Map<string, { readonly value: unknown } | { readonly refusal: Unsupported }>();
  const texts = new WeakMap<PrivacyEvent, string>();
  const textOf = (event: PrivacyEvent): string => {
    const text = texts.get(event) ?? canonicalJson(event);
    texts.set(event, text);
    return text;
  };
  const resolve: At = (event, want, adjacency, path) => {
    const key = `${want} ${adjacency} ${textOf(event)}`;
    let entry = cache.get(key);
    if (entry === undefined) {
      let refusal: Unsupported | undefined;
      const value = attempt(
        () => checked(event, want, compute(event, want, adjacency, path)),
        (error) => {
          refusal = error;
        },
      );
      entry = refusal === undefined ? { value } : { refusal };
      cache.set(key, entry);
    }
    if ('refusal' in entry) throw entry.refusal;
    return entry.value as Characterisations[typeof want];
  };

  function compute<C extends CharacterisationKind>(
    event: PrivacyEvent,
    want: C,
    adjacency: Adjacency,
    path: string,
  ): Characterisations[C] {
    const nested: NestedResolver = (inner, wanted, under, step) =>
      resolve(inner, wanted, under, path === '' ? step : `${path}.${step}`);
    let failure: Unsupported | undefined;
    const direct = attempt(
      () => knowledgeOf(event, adjacency, nested, kinds)[want]?.() as Characterisations[C] | undefined,
      (error) => {
        failure = error;
      },
    );
    if (direct !== undefined) return direct;
    // The error already names a nested event; deriving for the composite cannot help.
    if (failure?.details['path'] !== undefined) throw failure;
    let why = failure?.message;
    const sibling = <D extends CharacterisationKind>(other: D): Characterisations[D] | undefined =>
      attempt(
        () => resolve(event, other, adjacency, path),
        ({ details }) => {
          if (details['kind'] === event.kind) why ??= details['why'] as string | undefined;
        },
      );
    const derived = failure?.details['final'] === true ? undefined : derivations[want](sibling);
    if (derived !== undefined) return derived as Characterisations[C];
    const where = path === '' ? 'the event' : `the event at ${path}`;
    throw new Unsupported(
      `${where} ('${event.kind}') has no ${want} under ${adjacency}: ${why ?? 'this kind has none'}`,
      { path, kind: event.kind, want, adjacency, why },
    );
  }

  return (event, want, adjacency) => resolve(event, want, adjacency, '');
}

/**
 * Characterisation of an event under an adjacency, as an upper bound for both directions.
 *
 * @throws {Unsupported} naming the sub-event without a suitable characterisation.
 * @throws {InvalidParameter} when the event is malformed.
 * @throws {IncompatiblePlugins} when a plugin returns an invalid characterisation. Its privacy-loss
 * distributions throw it later, when one of their answers is invalid.
 */
export function resolveEvent<C extends CharacterisationKind>(
  event: PrivacyEvent,
  want: C,
  { adjacency, kinds }: AccountingContext,
): Characterisations[C] {
  return createResolver(kinds)(parseEvent(event, kinds), want, adjacency);
}

const all = [
  'pure',
  'approximate',
  'zcdp',
  'tcdp',
  'rdp',
  'gdp',
  'pair',
] as const satisfies readonly CharacterisationKind[];

/** Names of the characterisations of an event under an adjacency. */
export function characterisationsOf(
  event: PrivacyEvent,
  { adjacency, kinds }: AccountingContext,
): readonly CharacterisationKind[] {
  const resolve = createResolver(kinds);
  const parsed = parseEvent(event, kinds);
  return all.filter((want) => attempt(() => resolve(parsed, want, adjacency)) !== undefined);
}

function knowledgeOf(
  event: PrivacyEvent,
  adjacency: Adjacency,
  nested: NestedResolver,
  kinds: readonly EventKind[],
): Knowledge {
  if (event.kind.startsWith('core/')) {
    if (event.v !== 1 || !Object.hasOwn(knowers, event.kind))
      throw new Unsupported(`no event kind '${event.kind}' version ${event.v} is known`, { final: true });
    const know = knowers[event.kind as keyof typeof knowers] as (
      e: CoreEvent,
      a: Adjacency,
      n: NestedResolver,
    ) => Knowledge;
    return know(event as CoreEvent, adjacency, nested);
  }
  const plugin = kinds.find((kind) => kind.name === event.kind && kind.version === event.v);
  if (plugin === undefined)
    throw new Unsupported(
      `no event kind '${event.kind}' version ${event.v} was given; ` +
        "pass the plugin that defines it in 'kinds'",
      { final: true },
    );
  const ask: Resolver = (inner, want, under) => {
    const known = nested(inner, want, under, '(nested)');
    if (want === 'pair') trustPairs(known as Characterisations['pair']);
    return known;
  };
  const knowledge = Object.fromEntries(
    Object.entries(plugin.characterise).map(([want, characterise]) => [
      want,
      () => characterise(event, adjacency, ask),
    ]),
  ) as Knowledge;
  const { pair } = knowledge;
  return pair === undefined ? knowledge : { ...knowledge, pair: () => checkedPairs(event.kind, pair()) };
}

/** Validates a characterisation. A Rényi curve is wrapped to check its order and cache its values. */
function checked<C extends CharacterisationKind>(
  { kind }: PrivacyEvent,
  want: C,
  value: Characterisations[C],
): Characterisations[C] {
  const require = (number: number, of: string): number => {
    if (number >= 0) return number;
    throw new IncompatiblePlugins(
      `the event kind '${kind}' gave ${number} as ${of}; it must be a number from 0 to Infinity`,
      { kind, want, value: number },
    );
  };
  if (typeof value === 'number') require(value, want);
  if (typeof value === 'object')
    for (const [name, inner] of Object.entries(value))
      if (typeof inner === 'number') require(inner, `${want}.${name}`);
  return typeof value === 'function' ? (cachedCurve(value, require) as Characterisations[C]) : value;
}

function cachedCurve(
  curve: Characterisations['rdp'],
  require: (number: number, of: string) => number,
): Characterisations['rdp'] {
  const values = new Map<number, number>();
  return (alpha) => {
    if (!(alpha > 1 && alpha < Infinity))
      throw new InvalidParameter(`the Rényi order is ${alpha}; it must be finite and above 1`, { alpha });
    const cached = values.get(alpha);
    if (cached !== undefined) return cached;
    const divergence = require(curve(alpha), `the Rényi divergence of order ${alpha}`);
    values.set(alpha, divergence);
    return divergence;
  };
}
