import { openLedger, type Ledger, type LedgerOptions } from '@lethe/curator';
import type { Subject } from '@lethe/laws';

export const subject = (open: (options: LedgerOptions) => Ledger): Subject<'ledger'> => ({
  kind: 'ledger',
  name: 'planted',
  claims: [],
  open,
});

/** Core's ledger with changed methods. */
export const changed = (
  change: (ledger: Ledger, options: LedgerOptions) => Partial<Ledger>,
): Subject<'ledger'> =>
  subject((options) => {
    const ledger = openLedger(options);
    return { ...ledger, ...change(ledger, options) };
  });
