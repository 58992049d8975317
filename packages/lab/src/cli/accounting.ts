import { accountants } from '@lethe/accountants';
import { eventKindsOf, findPlugin, type Accountant, type EventKind, type Interval } from '@lethe/core';
import { accountantsIn } from '../plugins/accountants-in.js';
import { registryGiven } from '../plugins/option.js';
import type { Option, Parsed } from './command.js';

/** What events are read and accounted for by. */
export interface Accounting {
  readonly kinds: readonly EventKind[];
  readonly accountants: readonly Accountant[];
}

/** Event kinds and accountants that ship, and those of `--plugin`. @throws {InvalidParameter} when such a module cannot be loaded. */
export async function accountingGiven(parsed: Parsed): Promise<Accounting> {
  const registry = await registryGiven(parsed);
  return { kinds: eventKindsOf(registry), accountants: accountantsIn(registry) };
}

/** The accountants that a name stands for: `best` is all of them. @throws {Unsupported} when there is none of that name. */
export const accountantsNamed = (known: readonly Accountant[], name = 'best'): readonly Accountant[] =>
  name === 'best' ? known : [findPlugin<Accountant>(known, 'accountant', name)];

export const accountantNames = accountants.map(({ name }) => name).join(', ');
export const adjacencyHelp = (names: readonly string[]): Option => ({
  type: 'string',
  value: 'A',
  help: names.join(', '),
});

/** JSON has no infinity; an unbounded number is written as the string "Infinity". */
export const toJson = (value: unknown, space?: number): string =>
  JSON.stringify(value, (_key, inner: unknown) => (inner === Infinity ? 'Infinity' : inner), space);

export const inWords = (name: string, { lower, upper, certificate, method }: Interval): string =>
  `${name} in [${lower}, ${upper}] (${certificate}, ${method})`;
export const assuming = (intervals: readonly Interval[]): string => {
  const all = [...new Set(intervals.flatMap(({ assumptions }) => assumptions))];
  return all.length === 0 ? '' : `assuming ${all.join(', ')}\n`;
};
