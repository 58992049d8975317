import type { Mutant } from '../mutant.ts';
import { m01 } from './m01-scale-too-small.ts';
import { m03 } from './m03-variance-for-deviation.ts';
import { m05 } from './m05-classical-calibration.ts';
import { m07 } from './m07-one-draw-for-all.ts';
import { m08 } from './m08-constant-seed.ts';
import { m10 } from './m10-last-entry-left-alone.ts';
import { m12 } from './m12-noise-now-and-then-left-out.ts';
import { m14 } from './m14-laplace-labelled-gaussian.ts';
import { m20 } from './m20-naive-laplace-called-exact.ts';
import { o04 } from './o04-one-stream-for-all-workers.ts';
import * as inventions from './x-inventions.ts';

export const mechanismMutants: readonly Mutant<'mechanism'>[] = [m01, m03, m05, m07, m08, m10, m12, m14, m20, o04, ...Object.values(inventions)];
