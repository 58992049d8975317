import {
  type Accountant,
  type AccountingContext,
  type CharacterisationKind,
  type Characterisations,
  type Claim,
  defineAccountant,
  type FilterMaker,
  type Interval,
  InvalidParameter,
  normalEvent,
  type PrivacyEvent,
  type Source,
  assertOptions,
} from '@lethe/core';
import { withoutFailures } from '../events/failures.js';
import { createResolver } from '../events/resolve.js';
import type { CreateResolver } from '../events/resolver.js';
import { statedOrders } from '../events/stated-orders.js';
import { subtractDown, addUp } from '@lethe/numerics';
import * as z from 'zod/mini';
import { pureDelta, pureEpsilon } from '../profiles/pure-profile.js';
import { remembering } from './remembered.js';
import { characterised, nameOf, orExplain, understoodBy } from './understand.js';

/** Bounds of an answer and the method. */
export interface Found {
  readonly lower: number;
  readonly upper: number;
  /** Both ends equal the true value up to rounding. */
  readonly exact: boolean;
  readonly method: string;
}

/** Definition of an accountant: conversion of one characterisation to ε(δ) and δ(ε). */
export interface Conversion<C extends CharacterisationKind> {
  readonly name: string;
  readonly summary: string;
  readonly source: Source;
  readonly want: C;
  /** The filter of its limits. */
  readonly filter?: FilterMaker;
  /** Claims beyond soundness. */
  readonly claims: readonly Claim[];
  /**
   * `stated`: Rényi orders whose divergence the event states. `enough`: sufficient width of the answer in ε.
   */
  epsilon(known: Characterisations[C], delta: number, stated: readonly number[], enough?: number): Found;
  /** δ at `epsilon`, likewise. */
  delta(known: Characterisations[C], epsilon: number, stated: readonly number[], enough?: number): Found;
}

/** Claims of every accountant in this package. */
export const soundness: readonly Claim[] = [
  {
    property: 'truth',
    statement:
      'No neighbours tell more than the upper end, in either direction, ' +
      'nor do all of them tell less than the lower end.',
  },
  { property: 'count', statement: 'A list of equal events costs what the event with a count costs.' },
  { property: 'regrouping', statement: 'Order, brackets and free parts do not change a cost.' },
  { property: 'conversion', statement: 'ε(δ) and δ(ε) are one curve.' },
  { property: 'failing', statement: 'An event that may fail costs no more δ than its failure and the rest.' },
  { property: 'free', statement: 'Free events cost nothing.' },
  { property: 'filtered', statement: 'A filtered event costs what the limit of its filter costs.' },
];

/**
 * Builds an accountant from a conversion. Failure probabilities are added to δ separately. If the event is
 * ε-DP and the pure bound is smaller than the conversion, the pure bound is the answer.
 */
export const accountantOf = <C extends CharacterisationKind>(conversion: Conversion<C>): Accountant =>
  accountantBy(createResolver, conversion);

/** The same, by resolvers of this maker. */
export function accountantBy<C extends CharacterisationKind>(
  create: CreateResolver,
  conversion: Conversion<C>,
): Accountant {
  const { name, summary, source, want, claims, filter } = conversion;
  const remembered = remembering<Found>();
  return defineAccountant({
    name,
    summary,
    source,
    claims: [...soundness, ...claims],
    params: z.strictObject({}),
    wants: [want, 'pure'],
    ...(filter === undefined ? {} : { filter }),
    epsilon(event, query) {
      assertOptions(query, `${name}.epsilon`);
      const { delta, ...context } = query;
      requireWithin('delta', delta, 1);
      const { known, pure, failing, assumptions, stated, text } = study(create, event, want, context);
      if (delta === 1)
        return interval({ lower: 0, upper: 0, exact: true, method: name }, assumptions, failing);
      const spare = subtractDown(delta, failing);
      if (spare < 0)
        return interval(
          {
            lower: 0,
            upper: Infinity,
            exact: false,
            method: `${name}: the event may fail with probability ${failing}`,
          },
          assumptions,
          failing,
        );
      const found = remembered(text && `ε ${spare} ${context.width} ${text}`, () =>
        conversion.epsilon(known, spare, stated, context.width),
      );
      return interval(
        lesser(found, pure === undefined ? Infinity : pureEpsilon(pure, spare), failing),
        assumptions,
        failing,
      );
    },
    delta(event, query) {
      assertOptions(query, `${name}.delta`);
      const { epsilon, ...context } = query;
      requireWithin('epsilon', epsilon, Infinity);
      const { known, pure, failing, assumptions, stated, text } = study(create, event, want, context);
      const found =
        epsilon === Infinity
          ? { lower: 0, upper: 0, exact: true, method: name }
          : remembered(text && `δ ${epsilon} ${context.width} ${text}`, () =>
              conversion.delta(known, epsilon, stated, context.width),
            );
      const least = lesser(found, pure === undefined ? Infinity : pureDelta(pure, epsilon), failing);
      return interval({ ...least, upper: Math.min(1, addUp(least.upper, failing)) }, assumptions, failing);
    },
  });
}

/** @throws {InvalidParameter} unless `value` is a number from 0 to `most`. */
export function requireWithin(name: string, value: number, most: number): void {
  if (typeof value === 'number' && value >= 0 && value <= most) return;
  throw new InvalidParameter(`${name} is ${String(value)}; it must be a number from 0 to ${most}`, {
    [name]: value,
  });
}

interface Study<C extends CharacterisationKind> {
  readonly known: Characterisations[C];
  readonly pure: number | undefined;
  readonly failing: number;
  readonly assumptions: readonly string[];
  readonly stated: readonly number[];
  /** By {@link nameOf}, of the event without its failures. */
  readonly text: string;
}

function study<C extends CharacterisationKind>(
  create: CreateResolver,
  input: PrivacyEvent,
  want: C,
  context: AccountingContext,
): Study<C> {
  const { event, adjacency, resolve, assumptions } = understoodBy(create, input, context);
  const { event: sound, delta: failing } = withoutFailures(event, adjacency);
  return {
    known: characterised(sound, want, { ...context, adjacency }, create, resolve),
    pure: orExplain(
      () => resolve(normalEvent(sound), 'pure', adjacency),
      () => undefined,
    ),
    failing,
    assumptions,
    stated: statedOrders(sound),
    text: nameOf(sound, context),
  };
}

/** Prefix of the method of answers that use only pure ε. */
export const pureMethod = 'pure differential privacy';

const lesser = (found: Found, pure: number, failing: number): Found => {
  const method = failing === 0 ? pureMethod : `${pureMethod}, failures apart`;
  return pure < found.upper
    ? { lower: Math.min(found.lower, pure), upper: pure, exact: false, method }
    : found;
};

/** Interval with certificate and assumptions. */
export function interval(
  { lower, upper, exact, method }: Found,
  assumptions: readonly string[],
  failing: number,
): Interval {
  // The ends of an exact formula differ if δ is within rounding of 1 or below the resolution of doubles.
  const whole = exact && failing === 0 && (lower === upper || upper - lower <= 1e-6 * upper + 1e-10);
  return {
    lower: failing === 0 ? lower : 0,
    upper,
    certificate: whole ? 'exact' : 'certified',
    method,
    assumptions,
  };
}
