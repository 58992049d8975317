import { LetheError, memoryStore, type FilterMaker, type PrivacyEvent } from '@lethe/core';
import type { Ledger, LedgerOptions, Limit } from '@lethe/curator';
import type { Subject } from '../../law/subject.js';
import { pureFilter } from './filters.js';
import { keyOf, noise, rootOf } from './fixture.js';

const charge = (index: number, event: PrivacyEvent) => ({
  run: 'run-0',
  index,
  digest: 'd',
  effect: { charge: { on: { space: 'all', from: 0, to: 8 }, event } },
});
/** Forms of requests for an event, to a ledger with `answered` charges of run-0 on record. */
export const asks: Readonly<Record<string, (ledger: Ledger, event: PrivacyEvent, answered: number) => void>> =
  {
    'a charge': (ledger, event, answered) => {
      ledger.openRun('run-0', rootOf('run-0'));
      ledger.append(charge(answered, event));
    },
    'a plan': (ledger, event) => {
      ledger.openRun('run-1', rootOf('run-1'), { planned: event });
    },
    'a query about a plan': (ledger, event) => ledger.assertAffordable(event),
  };
/** The typed error that a call throws. */
export const outcome = (ask: () => void): LetheError | undefined => {
  try {
    ask();
    return undefined;
  } catch (error) {
    if (error instanceof LetheError) return error;
    throw error;
  }
};
/** Makes filters that admit nothing. */
export const refusing: FilterMaker = (request) => ({
  ...pureFilter('laws/refusing')(request),
  admits: () => false,
});

/**
 * A ledger under this limit, with so many charges of a thousandth on record, which were made without a call
 * of accountant or filter. are asked about.
 */
export function begun(
  subject: Subject<'ledger'>,
  answered: number,
  limit: Limit,
  reopened: boolean,
): { readonly ledger: Ledger; readonly bytes: () => string } {
  const store = memoryStore();
  const options: LedgerOptions = { adjacency: 'zero-out', store };
  const before = subject.open(options);
  if (answered > 0) before.openRun('run-0', rootOf('run-0'));
  for (let i = 0; i < answered; i++) before.append(charge(i, noise(1000)));
  const open = (): Ledger => subject.open({ ...options, limit });
  if (reopened) open();
  return { ledger: open(), bytes: () => keyOf(store.read()) };
}
