import type { Mutant } from '../mutant.ts';
import * as a01 from './a01-replaced-like-removed.ts';
import * as a08 from './a08-one-direction.ts';
import * as a09 from './a09-losses-rounded-down.ts';
import * as a10 from './a10-asking-forgets.ts';
import * as defects from './x-defects.ts';
import * as inventions from './x-inventions.ts';

/** Every mutant of an accountant. */
export const accountantMutants: readonly Mutant[] = [a01, a08, a09, a10, defects, inventions].flatMap((file) => Object.values(file) as readonly Mutant[]);
