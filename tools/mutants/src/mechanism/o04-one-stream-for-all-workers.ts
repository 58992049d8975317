import type { RandomSource } from '@lethe/core';
import { gaussian } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

const workers = 4;
/** Each worker adds noise of `scale/√workers`, from the source given by `coinsOf`. */
const distributed = (randomnessOf: (random: RandomSource, rank: number) => RandomSource) =>
  planted(gaussian, {
    addNoise: (params, value, scale, random) => {
      for (let rank = 0; rank < workers; rank++)
        gaussian.addNoise(params, value, scale / Math.sqrt(workers), randomnessOf(random, rank));
    },
  });

export const o04 = defineMutant({
  id: 'mechanism/every-worker-draws-share-noise-one-stream',
  title: 'every worker draws its part of the noise from the start of one stream',
  kind: 'mechanism',
  source: 'Opacus, review of distributed training',
  killedBy: ['mechanism/noise-law'],
  within: 1000,
  plant: () => distributed((random) => random.fork('worker')),
});
