import { accountants } from '@lethe/accountants';
import { eventKindsOf, findPlugin, type Accountant, type Interval } from '@lethe/core';
import { registry } from '../registry.js';
import type { Option } from './command.js';

/** Event kinds of everything that ships. */
export const kinds = eventKindsOf(registry);

/** The accountants that a name stands for: `best` is all of them. @throws {InvalidParameter} when there is none of that name. */
export const accountantsNamed = (name = 'best'): readonly Accountant[] => (name === 'best' ? accountants : [findPlugin<Accountant>(accountants, 'accountant', name)]);

export const accountantNames = accountants.map(({ name }) => name).join(', ');
export const adjacencyHelp = (names: readonly string[]): Option => ({ type: 'string', value: 'A', help: names.join(', ') });

/** JSON has no infinity; an unbounded number is written as the string "Infinity". */
export const toJson = (value: unknown, space?: number): string => JSON.stringify(value, (_key, inner: unknown) => (inner === Infinity ? 'Infinity' : inner), space);

export const inWords = (name: string, { lower, upper, certificate, method }: Interval): string => `${name} in [${lower}, ${upper}] (${certificate}, ${method})`;
export const assuming = (intervals: readonly Interval[]): string => {
  const all = [...new Set(intervals.flatMap(({ assumptions }) => assumptions))];
  return all.length === 0 ? '' : `assuming ${all.join(', ')}\n`;
};
