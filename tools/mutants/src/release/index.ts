import type { Mutant } from '../mutant.ts';
import { a02 } from './a02-shuffled-as-poisson.ts';
import { m17 } from './m17-cut-off-forgotten.ts';
import * as inventions from './x-inventions.ts';

export const releaseMutants: readonly Mutant<'release'>[] = [a02, m17, ...Object.values(inventions)];
