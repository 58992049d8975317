import { l2Clip } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.ts';
import { planted } from './plant.ts';

export const c02 = defineMutant({
  id: 'C02', title: 'every layer is clipped at the radius of the whole: √layers times too much', kind: 'clip', source: 'pytorch/opacus #347',
  killedBy: ['clip/bounded-norm'], within: 400,
  plant: () => planted({
    isProjection: false, factor: null,
    clipInPlace(params, vector) {
      if (!vector.every(Number.isFinite)) { vector.fill(0); return; }
      const half = vector.length >> 1;
      for (const layer of [vector.subarray(0, half), vector.subarray(half)]) l2Clip.clipInPlace(params, layer);
    },
  }),
});
