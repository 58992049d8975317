import { seededRandom } from '@lethe/core';
import type { Ledger } from '@lethe/curator';

/**
 * The record of a run that is in the ledger. The ledger has its
 * random source, so the one given here is not used.
 */
export const recordOf = (ledger: Ledger, run: string): ReturnType<Ledger['openRun']> =>
  ledger.openRun(run, seededRandom('not used'));
