import type { Mutant } from '../mutant.ts';
import { l01 } from './l01-fixed-batch-declared-poisson.ts';
import * as inventions from './x-inventions.ts';

export const samplerMutants: readonly Mutant<'sampler'>[] = [l01, ...Object.values(inventions)];
