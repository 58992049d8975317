import type { Mutant } from '../mutant.ts';
import * as inventions from './x-inventions.ts';

export const lowerBoundMutants: readonly Mutant<'lowerBound'>[] = Object.values(inventions);
