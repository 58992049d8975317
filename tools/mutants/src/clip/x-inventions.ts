import { l2Clip } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { norm2, planted } from './plant.js';

const scale = (vector: Float64Array, by: number): void => {
  for (let j = 0; j < vector.length; j++) vector[j] *= by;
};
const orZero = (vector: Float64Array, clip: () => void): void => {
  if (vector.every(Number.isFinite)) clip();
  else vector.fill(0);
};

export const xClip1 = defineMutant({
  id: 'clip/declared-factor-small-number-added-norm-clip',
  title: 'the declared factor adds a small number to the norm, the clip does not',
  kind: 'clip',
  source: 'clip_grad_norm_ of PyTorch adds 1e-6',
  killedBy: ['clip/factor', 'clip/projection'],
  within: 500,
  plant: () => planted({ factor: ({ radius }, norm) => Math.min(1, radius / (norm + 1e-6)) }),
});

export const xClip2 = defineMutant({
  id: 'clip/bound-adapts-norms-seen',
  title: 'the radius adapts to earlier norms',
  kind: 'clip',
  source: 'adaptive clipping, without its private quantile',
  killedBy: ['clip/memoryless'],
  within: 20,
  plant: () => {
    let usual = 1;
    return planted({
      factor: null,
      isProjection: false,
      clipInPlace({ radius }, vector) {
        const norm = norm2(vector);
        if (norm < Infinity) usual = 0.9 * usual + 0.1 * norm;
        l2Clip.clipInPlace({ radius: Math.max(1e-9, Math.min(radius, usual)) }, vector);
      },
    });
  },
});

export const xClip3 = defineMutant({
  id: 'clip/constant-second-moment-serves-every-order',
  title: 'the constant of the second moment is used for every order',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bias-bound'],
  within: 8_000,
  plant: () =>
    planted({
      biasBound: ({ radius }, moment) => (moment.order > 2 ? 0.5 : 1) * l2Clip.biasBound({ radius }, moment),
    }),
});

export const xClip4 = defineMutant({
  id: 'clip/entries-after-last-full-block-four-not',
  title: 'entries after the last full block of four are missing in the norm',
  kind: 'clip',
  source: 'generic: an unrolled loop without its rest',
  killedBy: ['clip/bounded-norm'],
  within: 100,
  plant: () =>
    planted({
      clipInPlace: ({ radius }, vector) =>
        orZero(vector, () => {
          const norm = norm2(vector.subarray(0, vector.length & ~3));
          if (norm > radius) scale(vector, radius / norm);
        }),
    }),
});

export const xClip5 = defineMutant({
  id: 'clip/norm-computed-single-precision',
  title: 'the norm is computed in single precision',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 200,
  plant: () =>
    planted({
      factor: null,
      isProjection: false,
      clipInPlace: ({ radius }, vector) =>
        orZero(vector, () => {
          const norm = Math.fround(norm2(vector));
          if (norm > radius && norm < Infinity) scale(vector, radius / norm);
          else if (norm === Infinity) l2Clip.clipInPlace({ radius }, vector);
        }),
    }),
});

export const xClip6 = defineMutant({
  id: 'clip/squares-overflow-vector-norm-1e160-becomes-zero',
  title: 'squares overflow: a vector of norm 1e160 becomes zero, unlike the factor',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/factor'],
  within: 600,
  plant: () =>
    planted({
      clipInPlace: ({ radius }, vector) =>
        orZero(vector, () => {
          const norm = norm2(vector);
          if (norm > radius) scale(vector, radius / norm);
        }),
    }),
});

export const xClip7 = defineMutant({
  id: 'clip/variance-bounded-square-mean-norm-instead-mean',
  title: 'the variance is bounded by the square of the mean norm instead of the mean square',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/variance-bound'],
  within: 5_000,
  plant: () =>
    planted({
      varianceBound: ({ radius }, { order, value }) => {
        if (!(order >= 2) || !(value >= 0)) return l2Clip.varianceBound({ radius }, { order, value });
        return Math.min(radius * radius, value ** (2 / order)) / 2;
      },
    }),
});

export const xClip8 = defineMutant({
  id: 'clip/sign-lost-entries-come-back-absolute-values',
  title: 'entries are replaced by their absolute values',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bias-bound', 'clip/factor', 'clip/leaves-inside-alone'],
  within: 2_000,
  plant: () =>
    planted({
      clipInPlace(params, vector) {
        l2Clip.clipInPlace(params, vector);
        for (let j = 0; j < vector.length; j++) vector[j] = Math.abs(vector[j]);
      },
    }),
});

export const xClip9 = defineMutant({
  id: 'clip/soft-bound-overshoots-0-4-narrow-shell',
  title: 'a soft bound that overshoots by 0.4 % in a narrow shell around twice the radius',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 3_000,
  plant: () =>
    planted({
      factor: null,
      isProjection: false,
      clipInPlace: ({ radius }, vector) =>
        orZero(vector, () => {
          const ratio = norm2(vector) / radius;
          l2Clip.clipInPlace(
            { radius: radius * (ratio > 1 ? 1 + 0.004 * Math.exp(-(((ratio - 2.3) / 0.3) ** 2)) - 1e-3 : 1) },
            vector,
          );
        }),
    }),
});

export const xClip10 = defineMutant({
  id: 'clip/radius-constant-whatever-parameter-says',
  title: 'the radius is a constant, independent of the parameter',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 6_000,
  plant: () => planted({ clipInPlace: (_params, vector) => l2Clip.clipInPlace({ radius: 1 }, vector) }),
});
