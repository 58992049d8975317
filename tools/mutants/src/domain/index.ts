import type { Mutant } from '../mutant.ts';
import * as inventions from './x-inventions.ts';

export const domainMutants: readonly Mutant<'domain'>[] = Object.values(inventions);
