import type { Mutant } from '../mutant.ts';
import { t01 } from './t01-noise-drawn-again.ts';
import { t02 } from './t02-no-noise-at-block-ends.ts';
import { t03 } from './t03-depth-without-the-root.ts';
import * as inventions from './x-inventions.ts';

export const prefixSumMutants: readonly Mutant<'prefixSum'>[] = [t01, t02, t03, ...Object.values(inventions)];
