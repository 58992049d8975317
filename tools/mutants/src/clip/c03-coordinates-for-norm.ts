import { defineMutant } from '../mutant.ts';
import { planted } from './plant.ts';

export const c03 = defineMutant({
  id: 'C03', title: 'coordinates are clipped, and the ℓ2 norm is claimed to be', kind: 'clip', source: 'generic',
  killedBy: ['clip/bounded-norm'], within: 200,
  plant: () => planted({
    isProjection: false, factor: null,
    clipInPlace({ radius }, vector) {
      if (!vector.every(Number.isFinite)) { vector.fill(0); return; }
      for (let j = 0; j < vector.length; j++) vector[j] = Math.max(-radius, Math.min(radius, vector[j]));
    },
  }),
});
