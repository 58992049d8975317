import { l2Clip } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const scaledNoFurther = defineMutant({
  id: 'clip/no-units-below-a-hundredth',
  title: 'in units of less than a hundredth the radius is that of a hundredth',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/scaled'],
  within: 200,
  plant: () => planted({ scaled: ({ radius }, factor) => ({ radius: radius * Math.max(factor, 0.01) }) }),
});

export const secondHalved = defineMutant({
  id: 'clip/variance-half-of-known-second-moment',
  title: 'where the second moment is known, the variance bound is half of it',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/variance-bound'],
  within: 40_000,
  plant: () =>
    planted({
      varianceBound: (params, moment) =>
        Math.min(l2Clip.varianceBound(params, moment), (moment.second ?? Infinity) / 2),
    }),
});
