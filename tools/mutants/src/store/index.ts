import type { Mutant } from '../mutant.ts';
import * as inventions from './x-inventions.ts';

/** Every mutant of a store. */
export const storeMutants: readonly Mutant[] = Object.values(inventions);
