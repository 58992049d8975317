import type { Mutant } from '../mutant.ts';
import { c02 } from './c02-per-layer-radius.ts';
import { c03 } from './c03-coordinates-for-norm.ts';
import { c06 } from './c06-not-finite-passes.ts';
import * as inventions from './x-inventions.ts';

export const clipMutants: readonly Mutant<'clip'>[] = [c02, c03, c06, ...Object.values(inventions)];
