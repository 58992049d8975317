import { type PrivacyEvent } from '@lethe/core';
import { createMeter, type Meter, type SavedMeter } from './meter.js';
import { assertCount, type PriceList } from './pricing.js';

/** What an odometer shows. */
export interface Reading {
  /** Upper bound of the privacy loss so far; `Infinity` where nothing bounds it. */
  readonly epsilon: number;
  /** The δ the odometer was made with. */
  readonly delta: number;
  /** Probability that an event so far has failed, at most; on top of `delta`. */
  readonly failures: number;
}

/**
 * The cost of a fully adaptive interaction while it goes on: whatever the neighbours, and whatever next event each answer led to, with
 * probability `1 − delta` the privacy loss of the transcript is within the reading at all times at once, unless an event has failed.
 * So it holds at the time, chosen in view of the answers, when one stops. It is a statement about the loss, not (ε, δ)-DP
 * for an ε known beforehand: that needs a filter.
 */
export interface Odometer {
  /**
   * Counts `count` runs of `event`. The event is frozen, so that it is known again by identity.
   *
   * @throws {InvalidParameter} when the event is malformed, or `count` is not a positive whole number.
   * @throws {Unsupported} when the event has no characterisation that the odometer can use. Nothing is counted.
   */
  add(event: PrivacyEvent, count?: number): void;
  spent(): Reading;
  /** Runs counted so far. */
  granted(): number;
  /** The odometer as plain JSON, for `reviveOdometer`. */
  save(): SavedOdometer;
}

/** Some runs of an event, as a ledger has them. */
export interface Charge {
  readonly event: PrivacyEvent;
  /** @defaultValue 1 */
  readonly count?: number;
}

/**
 * What an odometer shows after each of the charges, in the order they were made: what an interaction really spent, such as a run
 * that was held to a limit and stopped before it. The readings hold at all times at once; the guarantee known beforehand is the
 * limit.
 *
 * @param odometer - Goes on from where it is.
 * @throws {InvalidParameter} {@link Odometer.add}
 * @throws {Unsupported} {@link Odometer.add}; the charges before stay counted.
 */
export function readingsOf(odometer: Odometer, charges: Iterable<Charge>): readonly Reading[] {
  return Array.from(charges, ({ event, count }) => {
    odometer.add(event, count);
    return odometer.spent();
  });
}

/** An odometer's options, in full, and what it has counted. */
export interface SavedOdometer {
  readonly v: 1;
  readonly kind: 'renyi-odometer' | 'zcdp-odometer' | 'approximate-odometer';
  readonly options: Readonly<Record<string, unknown>>;
  readonly meter: SavedMeter;
}

/** What makes one kind of odometer. */
export interface OdometerParts {
  readonly kind: SavedOdometer['kind'];
  readonly options: SavedOdometer['options'];
  readonly currencies: number;
  readonly delta: number;
  readonly prices: PriceList;
  epsilon(meter: Meter): number;
}

/** An odometer over a meter without limits. */
export function odometerOf(parts: OdometerParts, saved: SavedMeter | undefined): Odometer {
  const meter = createMeter(Array.from({ length: parts.currencies }, () => Infinity), Infinity, saved);
  return {
    add(event, count = 1) {
      assertCount(count);
      meter.add(parts.prices(event), count);
    },
    spent: () => ({ epsilon: parts.epsilon(meter), delta: parts.delta, failures: Math.min(1, meter.failures()) }),
    granted: meter.granted,
    save: () => ({ v: 1, kind: parts.kind, options: parts.options, meter: meter.save() }),
  };
}
