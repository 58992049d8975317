import { defineMutant } from '../mutant.ts';
import { norm2, planted } from './plant.ts';

export const c06 = defineMutant({
  id: 'C06', title: 'min(1, radius/norm) lets NaN through and makes one of an infinity', kind: 'clip', source: 'Re:cord-play, section 4.3.9: five libraries',
  killedBy: ['clip/non-finite-to-zero'], within: 10,
  plant: () => planted({
    clipInPlace({ radius }, vector) {
      const factor = Math.min(1, radius / norm2(vector));
      for (let j = 0; j < vector.length; j++) vector[j] *= factor;
    },
  }),
});
