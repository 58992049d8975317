import { discreteLaplace } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const m20 = defineMutant({
  id: 'mechanism/laplace-noise-inverting-distribution-function-doubles-said',
  title: 'Laplace noise by inversion in doubles is declared as exact',
  kind: 'mechanism',
  source: 'Mironov 2012',
  killedBy: ['mechanism/lattice'],
  within: 1000,
  plant: () =>
    planted(discreteLaplace, {
      addNoise: (_params, value, scale, random) => {
        value.forEach((x, j) => {
          const u = random.uniform() - 0.5;
          value[j] = x - scale * Math.sign(u) * Math.log1p(-2 * Math.abs(u));
        });
      },
    }),
});
