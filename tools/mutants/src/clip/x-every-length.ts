import { l2Clip } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { norm2, planted } from './plant.js';

const clip = l2Clip.clipInPlace;

/** Vectors of some lengths lose their last entry in the norm. */
const forgetsTheLast = (isWrong: (length: number) => boolean): ReturnType<typeof planted> =>
  planted({
    clipInPlace(params, vector) {
      if (!isWrong(vector.length) || !vector.every(Number.isFinite)) return clip(params, vector);
      const factor = Math.min(1, params.radius / norm2(vector.subarray(0, -1)));
      for (let j = 0; j < vector.length; j++) vector[j] *= factor;
    },
  });

export const wrongAt33 = defineMutant({
  id: 'clip/norm-forgets-last-of-33',
  title: 'the norm of vectors of 33 entries leaves out the last',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 700,
  plant: () => forgetsTheLast((length) => length === 33),
});

export const wrongWhenLong = defineMutant({
  id: 'clip/norm-forgets-last-of-some-long-vectors',
  title: 'the norm of vectors of more than 300 entries leaves out the last, if their length is 2 modulo 4',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 700,
  plant: () => forgetsTheLast((length) => length > 300 && length % 4 === 2),
});

export const halvedAt48 = defineMutant({
  id: 'clip/48-entries-halved',
  title: 'vectors of 48 entries are halved, inside the ball too',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bias-bound'],
  within: 30_000,
  plant: () =>
    planted({
      clipInPlace(params, vector) {
        clip(params, vector);
        if (vector.length === 48) for (let j = 0; j < vector.length; j++) vector[j] /= 2;
      },
    }),
});

export const infiniteAt100 = defineMutant({
  id: 'clip/not-finite-passes-at-100-entries',
  title: 'a NaN among 100 entries counts as 0',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/non-finite-to-zero'],
  within: 700,
  plant: () =>
    planted({
      clipInPlace(params, vector) {
        if (vector.length === 100) for (let j = 0; j < 100; j++) if (Number.isNaN(vector[j])) vector[j] = 0;
        clip(params, vector);
      },
    }),
});

export const oddOrder = defineMutant({
  id: 'clip/variance-too-small-at-order-5',
  title: 'the variance bound from a fifth moment is a tenth too small',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/variance-bound'],
  within: 40_000,
  plant: () =>
    planted({
      varianceBound: (params, moment) =>
        l2Clip.varianceBound(params, moment) * (moment.order === 5 ? 0.9 : 1),
    }),
});
