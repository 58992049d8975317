import { optimizers } from '@lethe/algorithms';
import { subjectsOf, type Subject } from '@lethe/laws';
import { losses } from '@lethe/losses';
import { convexLowerBound } from '@lethe/lower-bounds';
import { mechanisms } from '@lethe/mechanisms';
import { defineTight } from '../mutant.ts';

const at = (id: string, index: number): ReturnType<typeof defineTight<'lowerBound'>> =>
  defineTight({ id, kind: 'lowerBound', plant: () => subjectsOf(convexLowerBound, { registry: [...losses, ...optimizers, ...mechanisms] })[index] as Subject<'lowerBound'> });

export const tightConvexLowerBound = at('convex-lower-bound', 0);
export const tightConvexPrivateLowerBound = at('convex-lower-bound-private', 1);
