import { addUp, multiplyUp } from '@lethe/numerics';
import { assertOptions, type Adjacency, type EventKind, parseOrThrow } from '@lethe/core';
import { createResolver } from '../events/index.js';
import * as z from 'zod';
import { concentratedBound, linesAt } from './boundary.js';
import type { SavedMeter } from './meter.js';
import { type Odometer, odometerOf } from './odometer.js';
import { createPriceList, parsedAdjacency, soundPart } from './pricing.js';

/** Options of every odometer. */
export interface OdometerOptions {
  /** Probability, in (0, 1), that the reading is ever too low. */
  readonly delta: number;
  readonly adjacency: Adjacency;
  /** Event kinds beyond core's. */
  readonly kinds?: readonly EventKind[];
}
/** Options of {@link renyiOdometer}. */
export interface RenyiOdometerOptions extends OdometerOptions {
  /**
   * Rényi orders above 1, fixed before the first answer; they share δ equally. @defaultValue `1 + 2^i`, `i`
   * from −10 to 20, with larger shares in the middle
   */
  readonly orders?: readonly number[];
}

const deltaSchema = z.number().positive().lt(1);
const ordersSchema = z
  .array(
    z
      .number()
      .gt(1)
      .max(2 ** 40),
  )
  .min(1)
  .max(1024);

/** Validates the common options. */
function read(
  options: OdometerOptions,
  name: string,
): {
  readonly delta: number;
  readonly context: { readonly adjacency: Adjacency; readonly kinds?: readonly EventKind[] };
} {
  assertOptions(options, name);
  const delta = parseOrThrow(deltaSchema, options.delta, `the delta of ${name}`);
  const adjacency = parsedAdjacency(options.adjacency);
  return {
    delta,
    context: options.kinds === undefined ? { adjacency } : { adjacency, kinds: options.kinds },
  };
}

/**
 * Odometer by Rényi divergences at fixed orders; uses amplification by sampling.
 * @throws {InvalidParameter} for options that are not valid.
 */
export function renyiOdometer(options: RenyiOdometerOptions, saved?: SavedMeter): Odometer {
  const { delta, context } = read(options, 'renyiOdometer');
  const orders =
    options.orders === undefined
      ? undefined
      : parseOrThrow(ordersSchema, options.orders, 'the orders of a Rényi odometer');
  const lines = linesAt(delta, orders);
  const prices = createPriceList((event) => {
    const { known, failure } = soundPart(event, 'rdp', context);
    return { costs: lines.map(({ order }) => known(order)), failure };
  }, options.kinds);
  return odometerOf(
    {
      kind: 'renyi-odometer',
      options:
        orders === undefined
          ? { delta, adjacency: context.adjacency }
          : { delta, adjacency: context.adjacency, orders },
      currencies: lines.length,
      delta,
      prices,
      epsilon: (meter) =>
        lines.every((_, i) => meter.total(i) === 0)
          ? 0
          : Math.min(...lines.map(({ offset }, i) => addUp(meter.total(i), offset))),
    },
    saved,
  );
}

/**
 * Odometer by ρ of zero-concentrated differential privacy.
 * @throws {InvalidParameter} for options that are not valid.
 */
export function zcdpOdometer(options: OdometerOptions, saved?: SavedMeter): Odometer {
  const { delta, context } = read(options, 'zcdpOdometer');
  const lines = linesAt(delta);
  const prices = createPriceList((event) => {
    const { known, failure } = soundPart(event, 'zcdp', context);
    return { costs: [known], failure };
  }, options.kinds);
  return odometerOf(
    {
      kind: 'zcdp-odometer',
      options: { delta, adjacency: context.adjacency },
      currencies: 1,
      delta,
      prices,
      epsilon: (meter) => concentratedBound(lines, meter.total(0)),
    },
    saved,
  );
}

/**
 * Odometer by ε and δ of events that are (ε, δ)-DP given the past. The reading is the smaller of the sum of
 * the ε, which holds with certainty, and the bound for ρ equal to half the sum of their squares.
 * @throws {InvalidParameter} for options that are not valid.
 */
export function approximateOdometer(options: OdometerOptions, saved?: SavedMeter): Odometer {
  const { delta, context } = read(options, 'approximateOdometer');
  const lines = linesAt(delta);
  const prices = createPriceList((event) => {
    const { epsilon, delta: failure } = createResolver(context.kinds)(
      event,
      'approximate',
      context.adjacency,
    );
    return { costs: [multiplyUp(0.5, multiplyUp(epsilon, epsilon)), epsilon], failure };
  }, options.kinds);
  return odometerOf(
    {
      kind: 'approximate-odometer',
      options: { delta, adjacency: context.adjacency },
      currencies: 2,
      delta,
      prices,
      epsilon: (meter) => Math.min(meter.total(1), concentratedBound(lines, meter.total(0))),
    },
    saved,
  );
}
