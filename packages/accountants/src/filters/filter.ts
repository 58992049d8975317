import { BudgetExceeded, deepFreeze, type PrivacyEvent } from '@lethe/core';
import { createMeter, type Meter, type SavedMeter } from './meter.js';
import { assertCount, type PriceList } from './pricing.js';

/**
 * A limit on a fully adaptive interaction: the next event, its cost, and whether there is one may depend on
 * all earlier answers. The whole interaction costs at most the limit, because an event that would exceed it
 * is refused before its release. A cheaper event may be granted later.
 *
 * `Spent` is the total in the filter's own terms. It depends on the answers and is not a privacy guarantee;
 * only the limit is.
 */
export interface Filter<Spent> {
  /**
   * Charges `count` runs of `event` if they fit. Otherwise it charges nothing, and nothing may be released;
   * `false` is the ordinary end of an adaptive loop. The event is frozen, so that later calls find its price
   * by identity and take a look-up and a few additions.
   *
   * @throws {InvalidParameter} when the event is malformed, or `count` is not a positive whole number.
   * @throws {Unsupported} when the event has no characterisation that the filter can use. Nothing is charged.
   */
  trySpend(event: PrivacyEvent, count?: number): boolean;
  /**
   * Like {@link Filter.trySpend}, but throws. @throws {BudgetExceeded} with `spent`, `asked` and `limit`;
   * nothing is charged.
   */
  spend(event: PrivacyEvent, count?: number): void;
  /** What the granted runs cost together, rounded up. */
  spent(): Spent;
  /** The remaining budget, rounded down. */
  remaining(): Spent;
  /** Number of runs granted so far. */
  granted(): number;
  /**
   * A-priori guarantee of the whole interaction, as a `core/filtered` event, for plans that stop by this
   * filter.
   */
  limitEvent(): PrivacyEvent;
  /** The filter as plain JSON, for `reviveFilter`. */
  save(): SavedFilter;
}

/** Full options and state of a filter. */
export interface SavedFilter {
  readonly v: 1;
  readonly kind: 'renyi-filter' | 'zcdp-filter' | 'approximate-filter';
  readonly options: Readonly<Record<string, unknown>>;
  readonly meter: SavedMeter;
}

/** Definition of one kind of filter. */
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

/** A filter on top of a meter. */
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
      throw new BudgetExceeded(
        `${count} of '${event.kind}' would exceed the limit of the filter; nothing was charged. ` +
          'Use a smaller charge, or end the loop.',
        { spent: parts.spent(meter), asked: { event, count }, limit: parts.limit },
      );
    },
    spent: () => parts.spent(meter),
    remaining: () => parts.remaining(meter),
    granted: meter.granted,
    limitEvent: () => limitEvent,
    save: () => ({ v: 1, kind: parts.kind, options: parts.options, meter: meter.save() }),
  };
}
