import type { Mutant } from '../mutant.ts';
import { a06 } from './a06-two-releases-charged-once.ts';
import * as inventions from './x-inventions.ts';

/** Every mutant of a ledger. */
export const ledgerMutants: readonly Mutant[] = [a06, ...Object.values(inventions)];
