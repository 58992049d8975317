import type { Mutant } from '../mutant.ts';
import { s01 } from './s01-not-scaled.ts';
import { s02 } from './s02-naive-shuffle.ts';
import * as inventions from './x-inventions.ts';

export const sketchMutants: readonly Mutant<'sketch'>[] = [s01, s02, ...Object.values(inventions)];
