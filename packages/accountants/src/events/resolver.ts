import {
  type Adjacency,
  type CoreEvent,
  type PrivacyEvent,
  canonicalJson,
  type CharacterisationKind,
  type Characterisations,
  type EventKind,
  type Resolver,
} from '@lethe/core';
import { defined, IncompatiblePlugins, InvalidParameter, Unsupported } from '@lethe/numerics';
import { attempt } from './attempt.js';
import { derivations } from './derive.js';
import type { EventKnowledge, Knowledge, NestedResolver, Sibling } from './knowledge.js';

type Answered<C extends CharacterisationKind> = { readonly value: Characterisations[C] } | Refusal;

/** That an event has no such characterisation. Its error is made when it is thrown: most never are. */
interface Refusal {
  /** Why, if the event itself has none. */
  readonly why: string | undefined;
  error(): Unsupported;
}

type At = <C extends CharacterisationKind>(
  event: PrivacyEvent,
  want: C,
  adjacency: Adjacency,
  path: string,
) => Answered<C>;

/** Makes resolvers. @param kinds - Event kinds beyond core's. */
export type CreateResolver = (kinds?: readonly EventKind[]) => Resolver;

/**
 * Makes resolvers that know these kinds of events, each with a cache of characterisations and of Rényi
 * divergences by order.
 */
export const resolverOf =
  (knowledge: EventKnowledge): CreateResolver =>
  (kinds = []) =>
    resolverBy(knowledge, kinds);

function resolverBy(knowledge: EventKnowledge, kinds: readonly EventKind[]): Resolver {
  // Refusals are cached too, since nested events are resolved many times.
  const cache = new Map<string, Answered<CharacterisationKind>>();
  const texts = new WeakMap<PrivacyEvent, string>();
  const textOf = (event: PrivacyEvent): string => {
    const text = texts.get(event) ?? canonicalJson(event);
    texts.set(event, text);
    return text;
  };
  const resolve: At = (event, want, adjacency, path) => {
    const key = `${want} ${adjacency} ${textOf(event)}`;
    const known = cache.get(key) as Answered<typeof want> | undefined;
    if (known !== undefined) return known;
    let refusal: Refusal | undefined;
    const found = attempt(
      () => compute(event, want, adjacency, path),
      (error) => {
        refusal = refusalBy(error, event);
      },
    );
    const answer = found ?? defined(refusal);
    cache.set(key, answer);
    return answer;
  };

  function compute<C extends CharacterisationKind>(
    event: PrivacyEvent,
    want: C,
    adjacency: Adjacency,
    path: string,
  ): Answered<C> {
    const below = (step: string): string => (path === '' ? step : `${path}.${step}`);
    const nested = nestedBy((inner, wanted, under, step) => resolve(inner, wanted, under, below(step)));
    let failure: Unsupported | undefined;
    const direct = attempt(
      () =>
        knowledgeOf(event, adjacency, nested, { ...knowledge, kinds })[want]?.() as
          | Characterisations[C]
          | undefined,
      (error) => {
        failure = error;
      },
    );
    if (direct !== undefined) return { value: checked(event, want, direct) };
    // The error already names a nested event; deriving for the composite cannot help.
    if (failure?.details['path'] !== undefined) throw failure;
    let why = failure?.message;
    const sibling = <D extends CharacterisationKind>(other: D): Characterisations[D] | undefined => {
      const found = resolve(event, other, adjacency, path);
      if ('value' in found) return found.value;
      why ??= found.why;
      return undefined;
    };
    const derived = failure?.details['final'] === true ? undefined : derivedBy(knowledge, want, sibling);
    if (derived !== undefined) return { value: checked(event, want, derived) };
    return refusalOf({ event, want, adjacency, path, why });
  }

  return (event, want, adjacency) => valueOf(resolve(event, want, adjacency, ''));
}

/** No pairs follow without rules for pairs. */
function derivedBy<C extends CharacterisationKind>(
  { pairs }: EventKnowledge,
  want: C,
  known: Sibling,
): Characterisations[C] | undefined {
  if (want !== 'pair')
    return derivations[want as keyof typeof derivations](known) as Characterisations[C] | undefined;
  return pairs?.derive(known) as Characterisations[C] | undefined;
}

/** Asks about nested events; what they lack is an error only where it is thrown. */
const nestedBy = (
  ask: <C extends CharacterisationKind>(
    event: PrivacyEvent,
    want: C,
    adjacency: Adjacency,
    step: string,
  ) => Answered<C>,
): NestedResolver =>
  Object.assign(
    <C extends CharacterisationKind>(event: PrivacyEvent, want: C, adjacency: Adjacency, step: string) =>
      valueOf(ask(event, want, adjacency, step)),
    {
      known<C extends CharacterisationKind>(
        event: PrivacyEvent,
        want: C,
        adjacency: Adjacency,
        step: string,
      ): Characterisations[C] | undefined {
        const answer = ask(event, want, adjacency, step);
        return 'value' in answer ? answer.value : undefined;
      },
    },
  );

function valueOf<C extends CharacterisationKind>(answer: Answered<C>): Characterisations[C] {
  if ('value' in answer) return answer.value;
  throw answer.error();
}

function refusalOf(asked: {
  readonly event: PrivacyEvent;
  readonly want: CharacterisationKind;
  readonly adjacency: Adjacency;
  readonly path: string;
  readonly why: string | undefined;
}): Refusal {
  const { event, want, adjacency, path, why } = asked;
  let made: Unsupported | undefined;
  const make = (): Unsupported => {
    const where = path === '' ? 'the event' : `the event at ${path}`;
    return new Unsupported(
      `${where} ('${event.kind}') has no ${want} under ${adjacency}: ${why ?? 'this kind has none'}`,
      { path, kind: event.kind, want, adjacency, why },
    );
  };
  return { why, error: () => (made ??= make()) };
}

/** An error is about the event itself, or one inside it. */
const refusalBy = (error: Unsupported, { kind }: PrivacyEvent): Refusal => ({
  why: error.details['kind'] === kind ? (error.details['why'] as string | undefined) : undefined,
  error: () => error,
});

function knowledgeOf(
  event: PrivacyEvent,
  adjacency: Adjacency,
  nested: NestedResolver,
  { knowers, pairs, kinds }: EventKnowledge & { readonly kinds: readonly EventKind[] },
): Knowledge {
  if (event.kind.startsWith('core/')) {
    if (event.v !== 1 || !Object.hasOwn(knowers, event.kind)) throw unknownKind(event);
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
    if (want === 'pair') pairs?.trust(known as Characterisations['pair']);
    return known;
  };
  const { pair, ...curves } = Object.fromEntries(
    Object.entries(plugin.characterise).map(([want, characterise]) => [
      want,
      () => characterise(event, adjacency, ask),
    ]),
  ) as Knowledge;
  if (pair === undefined || pairs === null) return curves;
  return { ...curves, pair: () => pairs.checked(event.kind, pair()) };
}

const unknownKind = ({ kind, v }: PrivacyEvent): Unsupported =>
  new Unsupported(
    `no event kind '${kind}' version ${v} is known here` +
      (v === 1 ? '; rdp, and all accountants that are not made for chosen kinds, know each of core’s' : ''),
    { kind, v, final: true },
  );

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
