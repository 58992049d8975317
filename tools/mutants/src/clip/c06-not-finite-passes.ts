import { automaticClip, blockClip } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { norm2, planted, plantedOn } from './plant.js';

export const c06 = defineMutant({
  id: 'clip/min-1-radius-norm-lets-nan-through',
  title: 'min(1, radius/norm) passes NaN and maps an infinity to NaN',
  kind: 'clip',
  source: 'Re:cord-play, section 4.3.9: five libraries',
  killedBy: ['clip/non-finite-to-zero'],
  within: 10,
  plant: () =>
    planted({
      clipInPlace({ radius }, vector) {
        const factor = Math.min(1, radius / norm2(vector));
        for (let j = 0; j < vector.length; j++) vector[j] *= factor;
      },
    }),
});

export const c06Normalising = defineMutant({
  id: 'clip/normalising-makes-nan-infinity-passes-nan',
  title: 'normalising maps an infinity to NaN, and passes NaN',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/non-finite-to-zero'],
  within: 10,
  plant: () =>
    plantedOn(
      automaticClip,
      { radius: 1, stability: 0.01 },
      {
        clipInPlace({ radius, stability }, vector) {
          const factor = radius / (norm2(vector) + stability);
          for (let j = 0; j < vector.length; j++) vector[j] *= factor;
        },
      },
    ),
});

export const c06Block = defineMutant({
  id: 'clip/only-block-entry-not-finite-becomes-zero',
  title: 'only the block with the non-finite entry becomes zero',
  kind: 'clip',
  source: 'generic: per-layer clipping',
  killedBy: ['clip/non-finite-to-zero'],
  within: 300,
  plant: () =>
    plantedOn(
      blockClip,
      { radii: [1, 1], sizes: [2, 2] },
      {
        clipInPlace(_params, vector) {
          for (const layer of [vector.subarray(0, 2), vector.subarray(2)])
            blockClip.clipInPlace({ radii: [1], sizes: [2] }, layer);
        },
      },
    ),
});
