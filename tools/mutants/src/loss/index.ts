import type { Mutant } from '../mutant.ts';
import * as inventions from './x-inventions.ts';

export const lossMutants: readonly Mutant<'loss'>[] = Object.values(inventions);
