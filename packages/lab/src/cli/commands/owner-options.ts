import type { Command } from '../command.js';

/** Options that say whose records are whose. */
export const ownerOptions = {
  owner: {
    type: 'string',
    value: 'COLUMN',
    help: 'column that says whose a record is: all that one owner has is then protected, not one record',
  },
  'owner-records': {
    type: 'number',
    value: 'K',
    help: 'records of one owner that count, the first ones of the file (default 10)',
  },
} as const satisfies Command['options'];

/** What is wrong with the options of owners. */
export function ownerMistakes(owner: string | undefined, most: number | undefined): readonly string[] {
  if (most === undefined) return [];
  if (owner === undefined)
    return ['--owner-records says how many records of one owner count; give --owner too'];
  return Number.isSafeInteger(most) && most >= 1
    ? []
    : [`--owner-records is ${most}; it must be a positive whole number`];
}
