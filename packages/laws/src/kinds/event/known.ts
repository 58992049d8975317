import {
  adjacencies,
  deepFreeze,
  Unsupported,
  type Adjacency,
  type CharacterisationKind,
  type Characterisations,
  type EventKind,
  type PrivacyEvent,
  type Registry,
} from '@lethe/core';
import { createResolver } from '@lethe/accountants';
import fc, { type Arbitrary } from 'fast-check';
import type { Subject } from '../../law/subject.js';

/** Characterisations of one event under one adjacency, as declared by the kind; refused ones are absent. */
export type Known = { readonly [C in CharacterisationKind]?: Characterisations[C] };

/** Every event kind of a registry, the subject's own first. */
export const kindsOf = ({ plugin, registry }: Subject<'event'>): readonly EventKind[] => [
  plugin,
  ...(registry as Registry).filter(
    (other): other is EventKind => other.kind === 'event' && other.name !== plugin.name,
  ),
];

/** All characterisations that the kind declares itself, without those that core derives. */
export function knownOf(subject: Subject<'event'>, event: PrivacyEvent, adjacency: Adjacency): Known {
  const resolve = createResolver(kindsOf(subject));
  const entries = Object.entries(subject.plugin.characterise).flatMap(([want, characterise]) => {
    try {
      return [
        [
          want,
          (characterise as (e: PrivacyEvent, a: Adjacency, r: typeof resolve) => unknown)(
            event,
            adjacency,
            resolve,
          ),
        ] as const,
      ];
    } catch (error) {
      if (error instanceof Unsupported) return [];
      throw error;
    }
  });
  return Object.fromEntries(entries) as Known;
}

/** Path of a number in plain data. */
type Path = readonly string[];
export function numbersIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value === 'number') return [path];
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => numbersIn(inner, [...path, key]))
    : [];
}

/** A copy with a new value at one path. */
export function withValue(value: unknown, [key, ...rest]: Path, put: (old: unknown) => unknown): unknown {
  if (key === undefined) return put(value);
  if (Array.isArray(value))
    return value.map((inner, i) => (String(i) === key ? withValue(inner, rest, put) : (inner as unknown)));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, inner]) => [
      name,
      name === key ? withValue(inner, rest, put) : (inner as unknown),
    ]),
  );
}

/** The example and nearby events: its numbers multiplied, as far as the schema accepts them. */
function eventsNear({ plugin, params }: Subject<'event'>): Arbitrary<PrivacyEvent> {
  const paths = numbersIn(params).filter(([first]) => first !== 'v');
  const factors = fc.tuple(...paths.map(() => fc.constantFrom(1, 0.5, 2, 0.1, 10, 3)));
  return factors.map((by) => {
    const changed = paths.reduce<unknown>(
      (event, path, i) => withValue(event, path, (old) => (old as number) * by[i]),
      params,
    );
    const parsed = plugin.schema.safeParse(changed);
    return deepFreeze((parsed.success ? parsed.data : params) as PrivacyEvent);
  });
}

/** An event near the example, under any adjacency. */
export const settingsOf = (
  subject: Subject<'event'>,
): Arbitrary<{ readonly event: PrivacyEvent; readonly adjacency: Adjacency }> =>
  fc.record({ event: eventsNear(subject), adjacency: fc.constantFrom(...adjacencies) });

/** The example under each adjacency. */
export const examplesOf = ({
  params,
}: Subject<'event'>): readonly { readonly event: PrivacyEvent; readonly adjacency: Adjacency }[] =>
  adjacencies.map((adjacency) => ({ event: params as PrivacyEvent, adjacency }));
