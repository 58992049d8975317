import type { Mutant } from '../mutant.ts';
import { a04 } from './a04-steps-counted-as-epochs.ts';
import { o02 } from './o02-raw-gradient-in-momentum.ts';
import * as inventions from './x-inventions.ts';

export const optimizerMutants: readonly Mutant<'optimizer'>[] = [a04, o02, ...Object.values(inventions)];
