import type { Mutant } from '../mutant.ts';
import * as inventions from './x-inventions.ts';

export const localRandomiserMutants: readonly Mutant<'localRandomiser'>[] = Object.values(inventions);
