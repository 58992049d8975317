import { defineMutant } from '../mutant.ts';
import { roundedMeanDefinition } from '../reference/rounded-mean.ts';
import { planted } from './plant.ts';

export const s07 = defineMutant({
  id: 'S07', title: 'stochastic rounding starts at trunc instead of floor: negative numbers are pulled up', kind: 'meanOracle', source: 'generic',
  killedBy: ['meanOracle/unbiased', 'meanOracle/bias-bound'], within: 1_000,
  plant: () => planted(roundedMeanDefinition((x, random) => Math.trunc(x) + (random.uniform() < x - Math.floor(x) ? 1 : 0)), {}),
});
