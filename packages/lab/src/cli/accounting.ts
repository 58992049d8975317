import { accountants, type CalibratorOptions, type TimeOptions } from '@lethe/accountants';
import {
  eventKindsOf,
  findPlugin,
  parseOrThrow,
  type Accountant,
  type EventKind,
  type Interval,
  type Registry,
} from '@lethe/core';
import { mechanisms } from '@lethe/mechanisms';
import * as z from 'zod';
import { accountantsIn } from '../plugins/accountants-in.js';
import { pluginsGiven } from '../plugins/option.js';
import { withPlugins } from '../plugins/with-plugins.js';
import type { Parsed } from './command.js';

/** Known event kinds and accountants. */
export interface Accounting {
  readonly kinds: readonly EventKind[];
  readonly accountants: readonly Accountant[];
}

/** Shipped plugins with all shipped event kinds and accountants. The other packages have none. */
export const shippedAccounting: Registry = [...mechanisms, ...accountants];
const wholeRegistry = async (): Promise<Registry> => (await import('../registry.js')).registry;

/**
 * Event kinds and accountants that ship, and those of `--plugin`.
 *
 * @throws {InvalidParameter} when such a module cannot be loaded.
 */
export async function accountingGiven(parsed: Parsed): Promise<Accounting> {
  const plugins = await pluginsGiven(parsed);
  const registry = plugins.length === 0 ? shippedAccounting : withPlugins(await wholeRegistry(), plugins);
  return { kinds: eventKindsOf(registry), accountants: accountantsIn(registry) };
}

/**
 * The accountants that a name stands for: `best` is all of them.
 *
 * @throws {Unsupported} when there is none of that name.
 */
export const accountantsNamed = (known: readonly Accountant[], name = 'best'): readonly Accountant[] =>
  name === 'best' ? known : [findPlugin<Accountant>(known, 'accountant', name)];

/**
 * The time for each question to accountants, of `--seconds`.
 *
 * @throws {InvalidParameter} unless it is positive.
 */
export function timeGiven(parsed: Parsed): TimeOptions | undefined {
  const seconds = parsed.number('seconds');
  if (seconds === undefined) return undefined;
  return {
    seconds: parseOrThrow(z.number().positive(), seconds, '--seconds'),
    now: () => performance.now() / 1000,
  };
}

/** Options of a calibrator with this time for each of its questions. */
export const limited = (time: TimeOptions | undefined): CalibratorOptions =>
  time === undefined ? {} : { time };

/** JSON has no infinity; an unbounded number is written as the string "Infinity". */
export const toJson = (value: unknown, space?: number): string =>
  JSON.stringify(value, (_key, inner: unknown) => (inner === Infinity ? 'Infinity' : inner), space);

/** An answer without a lower end says so. */
export const inWords = (name: string, { lower, upper, certificate, method }: Interval): string =>
  `${name} ${lower === 0 && upper > 0 ? `at most ${upper}` : `in [${lower}, ${upper}]`} (${certificate}, ` +
  `${method})`;
export const assuming = (intervals: readonly Interval[]): string => {
  const all = [...new Set(intervals.flatMap(({ assumptions }) => assumptions))];
  return all.length === 0 ? '' : `assuming ${all.join(', ')}\n`;
};
