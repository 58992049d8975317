import { ownCopy } from '@lethe/numerics';
import { isConstant } from '../is-constant.js';
import { canonicalJson } from '../json.js';
import { freeEvent } from './build.js';
import type { CoreEvent, PrivacyEvent } from './schema.js';

type Part = { readonly event: PrivacyEvent; readonly count: number };
const isCompose = (event: PrivacyEvent): event is CoreEvent<'core/compose'> => event.kind === 'core/compose';
const isParallel = (event: PrivacyEvent): event is CoreEvent<'core/parallel'> =>
  event.kind === 'core/parallel';
const isSampled = (event: PrivacyEvent): event is CoreEvent<'core/sampled'> => event.kind === 'core/sampled';
const isGroup = (event: PrivacyEvent): event is CoreEvent<'core/group'> => event.kind === 'core/group';
const isFree = (event: PrivacyEvent): boolean => event.kind === 'core/free';

/** Cache of normal forms and their texts, for immutable events. */
const forms = new WeakMap<PrivacyEvent, { readonly normal: PrivacyEvent; readonly text: string }>();

/**
 * Caches the normal form and the text of an event that is compared often, such as a copy made by `ownCopy`.
 * Mutable events are not cached.
 *
 * @returns whether the event is in the cache.
 */
export function rememberForm(event: PrivacyEvent): boolean {
  if (forms.has(event)) return true;
  if (!isConstant(event)) return false;
  const normal = ownCopy(normalEvent(event));
  const form = { normal, text: canonicalJson(normal) };
  forms.set(event, form);
  forms.set(normal, form);
  return true;
}

/** The text of an event in normal form. */
export const textOf = (normal: PrivacyEvent): string => forms.get(normal)?.text ?? canonicalJson(normal);

/**
 * Normal form of an event, at the same cost: compositions are flattened and counted, groups are pushed down
 * to the parts, equal parallel parts appear once, free parts are dropped, and parts are sorted by their text.
 * Two events with equal normal forms cost the same.
 */
export function normalEvent(event: PrivacyEvent): PrivacyEvent {
  const known = forms.get(event);
  if (known !== undefined) return known.normal;
  if (isCompose(event)) return composed(event);
  if (isParallel(event)) return inParallel(event);
  if (isSampled(event)) {
    const inner = normalEvent(event.event);
    return isFree(inner) ? freeEvent : ({ ...event, event: inner } as PrivacyEvent);
  }
  return isGroup(event) ? grouped(event) : event;
}

/** Pushes a group down to the parts of a composition, merges nested groups, and removes a group of size 1. */
function grouped({ size, event }: CoreEvent<'core/group'>): PrivacyEvent {
  const inner = normalEvent(event);
  if (size === 1 || isFree(inner)) return inner;
  const of = (part: PrivacyEvent, times: number): PrivacyEvent & { size: number; event: PrivacyEvent } => ({
    kind: 'core/group',
    v: 1,
    size: times,
    event: part,
  });
  if (isGroup(inner)) return of(inner.event, size * inner.size);
  return isCompose(inner)
    ? composed({ ...inner, parts: inner.parts.map((part) => ({ ...part, event: of(part.event, size) })) })
    : of(inner, size);
}

function composed(event: CoreEvent<'core/compose'>): PrivacyEvent {
  const counts = new Map<string, Part>();
  const gather = ({ parts }: CoreEvent<'core/compose'>, times: number): void => {
    for (const part of parts) {
      const inner = normalEvent(part.event);
      if (isFree(inner)) continue;
      if (isCompose(inner)) {
        gather(inner, times * part.count);
        continue;
      }
      const key = textOf(inner);
      counts.set(key, { event: inner, count: (counts.get(key)?.count ?? 0) + times * part.count });
    }
  };
  gather(event, 1);
  const parts = [...counts].toSorted(byKey).map(([, part]) => part);
  if (parts.length === 0) return freeEvent;
  return parts.length === 1 && parts[0].count === 1
    ? parts[0].event
    : ({ kind: 'core/compose', v: 1, parts } as PrivacyEvent);
}

function inParallel(event: CoreEvent<'core/parallel'>): PrivacyEvent {
  const distinct = new Map<string, PrivacyEvent>();
  const gather = (parts: readonly PrivacyEvent[]): void => {
    for (const part of parts) {
      const inner = normalEvent(part);
      if (isParallel(inner)) gather(inner.parts);
      else if (!isFree(inner)) distinct.set(textOf(inner), inner);
    }
  };
  gather(event.parts);
  const parts = [...distinct].toSorted(byKey).map(([, part]) => part);
  if (parts.length === 0) return freeEvent;
  return parts.length === 1 ? parts[0] : ({ kind: 'core/parallel', v: 1, parts } as PrivacyEvent);
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : Number(a > b);

/** Text of the normal form. Two events are structurally equal when these texts are equal. */
export const canonicalEvent = (event: PrivacyEvent): string => textOf(normalEvent(event));
/** Whether two events have the same normal form, and so the same cost under every adjacency. */
export const sameEvent = (a: PrivacyEvent, b: PrivacyEvent): boolean =>
  canonicalEvent(a) === canonicalEvent(b);
