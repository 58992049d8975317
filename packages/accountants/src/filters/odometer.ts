import { type PrivacyEvent } from '@lethe/core';
import { createMeter, type Meter, type SavedMeter } from './meter.js';
import { assertCount, type PriceList } from './pricing.js';

/** Reading of an odometer. */
export interface Reading {
  /** Upper bound of the privacy loss so far; `Infinity` if there is no bound. */
  readonly epsilon: number;
  /** The odometer's δ. */
  readonly delta: number;
  /** Upper bound of the probability that an event has failed so far; in addition to `delta`. */
  readonly failures: number;
}

/**
 * Running cost of a fully adaptive interaction. For all neighbours and all adaptive choices of events, with
 * probability `1 − delta` the privacy loss of the transcript is at most the reading at all times
 * simultaneously, unless an event has failed. So it also holds at a data-dependent stopping time. It is a
 * bound of the loss, not (ε, δ)-DP for an ε fixed in advance; that requires a filter.
 */
export interface Odometer {
  /**
   * Counts `count` runs of `event`. The event is frozen, so that later calls find its price by identity.
   *
   * @throws {InvalidParameter} when the event is malformed, or `count` is not a positive whole number.
   * @throws {Unsupported} when the event has no characterisation
   * that the odometer can use. Nothing is counted.
   */
  add(event: PrivacyEvent, count?: number): void;
  /** What the counted runs cost together, rounded up. */
  spent(): Reading;
  /** Number of runs counted so far. */
  granted(): number;
  /** The odometer as plain JSON, for `reviveOdometer`. */
  save(): SavedOdometer;
}

/** Runs of an event, as in a ledger. */
export interface Charge {
  readonly event: PrivacyEvent;
  /** @defaultValue 1 */
  readonly count?: number;
}

/**
 * Odometer readings after each charge, in order: the actual cost of an interaction, for example of a run that
 * stopped before its limit. The readings hold at all times simultaneously; the a-priori guarantee is the
 * limit.
 *
 * @param odometer - Continues from its current state.
 * @throws {InvalidParameter} {@link Odometer.add}
 * @throws {Unsupported} {@link Odometer.add}; earlier charges stay counted.
 */
export function readingsOf(odometer: Odometer, charges: Iterable<Charge>): readonly Reading[] {
  return Array.from(charges, ({ event, count }) => {
    odometer.add(event, count);
    return odometer.spent();
  });
}

/** Full options and state of an odometer. */
export interface SavedOdometer {
  readonly v: 1;
  readonly kind: 'renyi-odometer' | 'zcdp-odometer' | 'approximate-odometer';
  readonly options: Readonly<Record<string, unknown>>;
  readonly meter: SavedMeter;
}

/** Definition of one kind of odometer. */
export interface OdometerParts {
  readonly kind: SavedOdometer['kind'];
  readonly options: SavedOdometer['options'];
  readonly currencies: number;
  readonly delta: number;
  readonly prices: PriceList;
  epsilon(meter: Meter): number;
}

/** An odometer on top of a meter without limits. */
export function odometerOf(parts: OdometerParts, saved: SavedMeter | undefined): Odometer {
  const meter = createMeter(
    Array.from({ length: parts.currencies }, () => Infinity),
    Infinity,
    saved,
  );
  return {
    add(event, count = 1) {
      assertCount(count);
      meter.add(parts.prices(event), count);
    },
    spent: () => ({
      epsilon: parts.epsilon(meter),
      delta: parts.delta,
      failures: Math.min(1, meter.failures()),
    }),
    granted: meter.granted,
    save: () => ({ v: 1, kind: parts.kind, options: parts.options, meter: meter.save() }),
  };
}
