import type { Mutant } from '../mutant.ts';
import * as i0 from './i0.ts';
import * as i1 from './i1.ts';
import * as i3 from './i3.ts';
import * as i5 from './i5.ts';
import * as i6 from './i6.ts';
import * as late from './i7-to-i11.ts';
import * as inventions from './inventions.ts';
import * as known from './known.ts';

export const curatorMutants: readonly Mutant<'curator'>[] = [known, i0, i1, i3, i5, i6, late, inventions].flatMap((group): readonly Mutant<'curator'>[] => Object.values(group));
