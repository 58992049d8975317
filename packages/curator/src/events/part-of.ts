import { canonicalJson, normalEvent, type CoreEvent, type PrivacyEvent } from '@lethe/core';
import { textOf } from '@lethe/core/internal';
import { ownCopy } from '@lethe/numerics';

type Part = { readonly event: PrivacyEvent; readonly count: number };

/**
 * Whether `part` is a part of `whole`: `whole` without `part` is again an event, so `part` costs no more than
 * `whole`. The decision is structural: by counts in compositions, by one alternative in parallel composition,
 * inside samples with equal samplers. `false` does not imply that `part` costs more.
 *
 * An interaction whose releases are parts of one fixed composition costs no more than that composition, in
 * any order and with any stopping time.
 */
export const isPartOf = (part: PrivacyEvent, whole: PrivacyEvent): boolean =>
  partsWithin(whole)(ownCopy(part));

/** {@link isPartOf} for one `whole` and many parts. The caller must not modify the parts. */
export function partsWithin(whole: PrivacyEvent): (part: PrivacyEvent) => boolean {
  const plan = planOf(ownCopy(whole));
  return (part) => within(normalEvent(part), plan);
}

/** An event in normal form with its parts indexed by their texts, for repeated comparison. */
interface Plan {
  readonly event: PrivacyEvent;
  readonly parts: ReadonlyMap<string, Part>;
}

const plans = new WeakMap<PrivacyEvent, Plan>();

function planOf(event: PrivacyEvent): Plan {
  let plan = plans.get(event);
  if (plan === undefined) {
    const normal = normalEvent(event);
    plan = { event: normal, parts: new Map(partsOf(normal).map((part) => [textOf(part.event), part])) };
    plans.set(event, plan);
  }
  return plan;
}

/** Whether an event is a core event of that kind. */
export const isCore = <K extends CoreEvent['kind']>(event: PrivacyEvent, kind: K): event is CoreEvent<K> =>
  event.kind === kind;
const partsOf = (event: PrivacyEvent): readonly Part[] =>
  isCore(event, 'core/compose') ? event.parts : [{ event, count: 1 }];

/** @param part - In normal form. */
function within(part: PrivacyEvent, whole: Plan): boolean {
  if (isCore(part, 'core/free')) return true;
  if (isCore(part, 'core/parallel'))
    return (
      part.parts.every((one) => within(one, whole)) ||
      (isCore(whole.event, 'core/compose') && composed(part, whole))
    );
  if (isCore(whole.event, 'core/parallel')) return whole.event.parts.some((one) => within(part, planOf(one)));
  return composed(part, whole);
}

/** Compares by counts: first equal parts, then parts that contain the rest. */
function composed(part: PrivacyEvent, { parts }: Plan): boolean {
  const used = new Map<string, number>();
  const rest: Part[] = [];
  for (const { event, count } of partsOf(part)) {
    const text = textOf(event);
    const equal = Math.min(count, parts.get(text)?.count ?? 0);
    if (equal > 0) used.set(text, equal);
    if (count > equal) rest.push({ event, count: count - equal });
  }
  return rest.every(({ event, count }) => {
    let left = count;
    for (const [text, candidate] of parts) {
      if (left === 0) break;
      const free = candidate.count - (used.get(text) ?? 0);
      if (free <= 0 || !holds(candidate.event, event)) continue;
      const taken = Math.min(free, left);
      used.set(text, (used.get(text) ?? 0) + taken);
      left -= taken;
    }
    return left === 0;
  });
}

/** Whether one part of a composition contains another, unequal one. */
function holds(whole: PrivacyEvent, part: PrivacyEvent): boolean {
  if (isCore(whole, 'core/sampled')) {
    return (
      isCore(part, 'core/sampled') &&
      canonicalJson(part.sampler) === canonicalJson(whole.sampler) &&
      within(part.event, planOf(whole.event))
    );
  }
  return isCore(whole, 'core/parallel') && within(part, planOf(whole));
}
