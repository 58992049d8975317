import { discreteLaplace, skellam } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const deviationOfScaleOne = defineMutant({
  id: 'mechanism/deviation-bound-of-scale-one',
  title: 'discrete Laplace noise is said to spread at any scale no more than at scale 1, for its scale',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/standard-deviation'],
  within: 1,
  plant: () =>
    planted(discreteLaplace, { deviationBound: (params) => discreteLaplace.standardDeviation(params) }),
});

export const cdfOfFourFifths = defineMutant({
  id: 'mechanism/distribution-at-large-scales-of-four-fifths-of-it',
  title: 'the distribution function at scales above 40 is that of four fifths of the scale',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/every-scale'],
  within: 2048,
  plant: () =>
    planted(skellam, {
      cdfAt: (params, x, scale) => skellam.cdfAt?.(params, x, scale > 40 ? 0.8 * scale : scale) ?? Number.NaN,
    }),
});
