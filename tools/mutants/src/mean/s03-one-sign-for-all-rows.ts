import { defineMutant } from '../mutant.js';
import { riggedCountSketch } from './plant.js';

export const s03 = defineMutant({
  id: 'mean/countsketch-one-sign-all-rows-no-longer',
  title: 'a CountSketch with one sign for all rows: they no longer average collisions out',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/variance-bound'],
  within: 500,
  plant: () => riggedCountSketch((k, dimension) => k % dimension),
});
