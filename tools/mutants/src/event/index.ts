import type { Mutant } from '../mutant.ts';
import * as inventions from './x-inventions.ts';

/** Every mutant of a kind of event. */
export const eventMutants: readonly Mutant[] = Object.values(inventions);
