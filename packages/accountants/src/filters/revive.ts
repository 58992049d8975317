import { Corrupt, type EventKind, InvalidParameter, parseOrThrow } from '@lethe/core';
import * as z from 'zod';
import {
  approximateFilter,
  type ApproximateFilterOptions,
  type ApproximateSpent,
} from './approximate-filter.js';
import type { Filter } from './filter.js';
import type { SavedMeter } from './meter.js';
import type { Odometer } from './odometer.js';
import { approximateOdometer, type OdometerOptions, renyiOdometer, zcdpOdometer } from './odometers.js';
import { renyiFilter, type RenyiFilterOptions, type RenyiSpent } from './renyi-filter.js';
import { zcdpFilter, type ZcdpFilterOptions, type ZcdpSpent } from './zcdp-filter.js';

const total = z.tuple([z.number().nonnegative().nullable(), z.number()]);
const meter = z.strictObject({
  totals: z.array(total).min(1),
  failures: z.tuple([z.number().nonnegative().nullable(), z.number()]),
  granted: z.int().nonnegative(),
});
const saved = <const Kinds extends readonly string[]>(kinds: Kinds) =>
  z.strictObject({ v: z.literal(1), kind: z.enum(kinds), options: z.record(z.string(), z.unknown()), meter });
const filterSchema = saved(['renyi-filter', 'zcdp-filter', 'approximate-filter']);
const odometerSchema = saved(['renyi-odometer', 'zcdp-odometer', 'approximate-odometer']);

/**
 * Restores a filter from its saved state.
 *
 * @param json - The result of `save`, parsed from JSON or passed directly.
 * @param kinds - Event kinds beyond core's; they are not saved.
 * @throws {Corrupt} when it is not a saved filter, or its spending exceeds its limit.
 */
export function reviveFilter(
  json: unknown,
  kinds?: readonly EventKind[],
): Filter<RenyiSpent> | Filter<ZcdpSpent> | Filter<ApproximateSpent> {
  return orCorrupt('filter', () => {
    const { kind, options, meter: state } = parseOrThrow(filterSchema, json, 'a saved filter');
    const full = withKinds(options, kinds);
    switch (kind) {
      case 'renyi-filter':
        return renyiFilter(full as RenyiFilterOptions, state as SavedMeter);
      case 'zcdp-filter':
        return zcdpFilter(full as ZcdpFilterOptions, state as SavedMeter);
      case 'approximate-filter':
        return approximateFilter(full as ApproximateFilterOptions, state as SavedMeter);
    }
  });
}

/** Restores an odometer from its saved state; parameters and errors as in {@link reviveFilter}. */
export function reviveOdometer(json: unknown, kinds?: readonly EventKind[]): Odometer {
  return orCorrupt('odometer', () => {
    const { kind, options, meter: state } = parseOrThrow(odometerSchema, json, 'a saved odometer');
    const full = withKinds(options, kinds) as OdometerOptions;
    switch (kind) {
      case 'renyi-odometer':
        return renyiOdometer(full, state as SavedMeter);
      case 'zcdp-odometer':
        return zcdpOdometer(full, state as SavedMeter);
      case 'approximate-odometer':
        return approximateOdometer(full, state as SavedMeter);
    }
  });
}

/** Saved options with the event kinds; the filter or odometer that takes them checks them. */
const withKinds = (
  options: Readonly<Record<string, unknown>>,
  kinds: readonly EventKind[] | undefined,
): unknown => (kinds === undefined ? options : { ...options, kinds });

/** Turns `InvalidParameter` into `Corrupt`, since the fault is in stored data. */
function orCorrupt<T>(what: string, revive: () => T): T {
  try {
    return revive();
  } catch (error) {
    if (error instanceof InvalidParameter)
      throw new Corrupt(`this is not a saved ${what}: ${error.message}`, error.details, { cause: error });
    throw error;
  }
}
