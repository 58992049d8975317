import type { Mutant } from '../mutant.ts';
import { c01 } from './c01-mean-clipped.ts';
import { c04 } from './c04-realised-count.ts';
import { c05 } from './c05-raw-record-summed.ts';
import { c10 } from './c10-radius-from-batch.ts';
import { c11 } from './c11-micro-batches.ts';
import { l07 } from './l07-order-matters.ts';
import { m24 } from './m24-upper-bound-ignored.ts';
import { s03 } from './s03-one-sign-for-all-rows.ts';
import { s07 } from './s07-truncated.ts';
import * as inventions from './x-inventions.ts';

export const meanOracleMutants: readonly Mutant<'meanOracle'>[] = [c01, c04, c05, c10, c11, l07, m24, s03, s07, ...Object.values(inventions)];
