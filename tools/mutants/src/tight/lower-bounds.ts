import { optimizers } from '@lethe/algorithms';
import type { LowerBound } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { losses } from '@lethe/losses';
import {
  approximateSparseMeanBound,
  convexLowerBound,
  packingMeanBound,
  pureSparseMeanBound,
  stronglyConvexLowerBound,
} from '@lethe/lower-bounds';
import { mechanisms } from '@lethe/mechanisms';
import { defineTight } from '../mutant.js';

const at = (
  id: string,
  index: number,
  plugin: { readonly name: string } = convexLowerBound,
): ReturnType<typeof defineTight<'lowerBound'>> =>
  defineTight({
    id,
    kind: 'lowerBound',
    plant: () =>
      subjectsOf(plugin as LowerBound, { registry: [...losses, ...optimizers, ...mechanisms] })[
        index
      ] as Subject<'lowerBound'>,
  });

export const tightConvexLowerBound = at('convex-lower-bound', 0);
export const tightConvexPrivateLowerBound = at('convex-lower-bound-private', 1);
export const tightStronglyConvexLowerBound = at('strongly-convex-lower-bound', 0, stronglyConvexLowerBound);
export const tightStronglyConvexPrivateLowerBound = at(
  'strongly-convex-lower-bound-private',
  2,
  stronglyConvexLowerBound,
);
export const tightSparseMeanPure = at('sparse-mean-pure', 0, pureSparseMeanBound);
export const tightSparseMeanPacking = at('sparse-mean-packing', 1, packingMeanBound);
export const tightSparseMeanApproximate = at('sparse-mean-approximate', 0, approximateSparseMeanBound);
