import { BudgetExceeded, deepFreeze, type PrivacyEvent } from '@lethe/core';
import { createMeter, type Meter, type SavedMeter } from './meter.js';
import { assertCount, type PriceList } from './pricing.js';

/**
 * A limit on a fully adaptive interaction: which event comes next, at which cost, and whether any does, may depend on every answer
 * so far. The interaction as a whole costs at most the limit, because an event that would pass it is refused before it is
 * released; a cheaper one may still be granted after that.
 *
 * `Spent` says how much in the filter's own terms. What was spent depends on the answers, and is not itself a guarantee: only the
 * limit is.
 */
export interface Filter<Spent> {
  /**
   * Charges `count` runs of `event` if they fit; otherwise nothing is charged, and nothing may be released. Refusal is an ordinary
   * answer, with which loops end. The event is frozen, so that it is known again by identity: then a call costs a look-up and
   * a few additions.
   *
   * @throws {InvalidParameter} when the event is malformed, or `count` is not a positive whole number.
   * @throws {Unsupported} when the event has no characterisation that the filter can use. Nothing is charged.
   */
  trySpend(event: PrivacyEvent, count?: number): boolean;
  /** As {@link Filter.trySpend}, for callers to whom refusal is an error. @throws {BudgetExceeded} with `spent`, `asked` and `limit`; nothing is charged. */
  spend(event: PrivacyEvent, count?: number): void;
  spent(): Spent;
  /** What is left of the limit, rounded down. */
  remaining(): Spent;
  /** Runs granted so far. */
  granted(): number;
  /** The a-priori guarantee of the whole interaction, as a `core/filtered` event: the event of a plan that stops by this filter. */
  limitEvent(): PrivacyEvent;
  /** The filter as plain JSON, for `reviveFilter`. */
  save(): SavedFilter;
}

/** A filter's options, in full, and what it has granted. */
export interface SavedFilter {
  readonly v: 1;
  readonly kind: 'renyi-filter' | 'zcdp-filter' | 'approximate-filter';
  readonly options: Readonly<Record<string, unknown>>;
  readonly meter: SavedMeter;
}

/** What makes one kind of filter. */
export interface FilterParts<Spent> {
  readonly kind: SavedFilter['kind'];
  readonly options: SavedFilter['options'];
  readonly budgets: readonly number[];
  readonly mayFail: number;
  readonly prices: PriceList;
  readonly limit: PrivacyEvent;
  spent(meter: Meter): Spent;
  remaining(meter: Meter): Spent;
}

/** A filter over a meter. */
export function filterOf<Spent>(parts: FilterParts<Spent>, saved: SavedMeter | undefined): Filter<Spent> {
  const meter = createMeter(parts.budgets, parts.mayFail, saved);
  const limitEvent = deepFreeze({ kind: 'core/filtered', v: 1, limit: parts.limit });
  const trySpend = (event: PrivacyEvent, count = 1): boolean => {
    assertCount(count);
    return meter.add(parts.prices(event), count);
  };
  return {
    trySpend,
    spend(event, count = 1) {
      if (trySpend(event, count)) return;
      throw new BudgetExceeded(`${count} of '${event.kind}' would pass the limit of the filter; nothing was charged. Ask for less, or end here.`,
        { spent: parts.spent(meter), asked: { event, count }, limit: parts.limit });
    },
    spent: () => parts.spent(meter),
    remaining: () => parts.remaining(meter),
    granted: meter.granted,
    limitEvent: () => limitEvent,
    save: () => ({ v: 1, kind: parts.kind, options: parts.options, meter: meter.save() }),
  };
}
