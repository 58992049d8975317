import type { Mutant } from '../mutant.ts';
import * as inventions from './x-inventions.ts';

export const solverMutants: readonly Mutant<'solver'>[] = Object.values(inventions);
