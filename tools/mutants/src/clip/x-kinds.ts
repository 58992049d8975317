import {
  automaticClip,
  blockClip,
  coordinateClip,
  domainClip,
  gradientDifferenceClip,
  l1Clip,
  l2Clip,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { norm2, plantedOn } from './plant.js';

const scale = (vector: Float64Array, by: number): void => {
  for (let j = 0; j < vector.length; j++) vector[j] *= by;
};
const finite = (vector: Float64Array, clip: () => void): void => {
  if (vector.every(Number.isFinite)) clip();
  else vector.fill(0);
};
/** Parameters of the templates. */
const small = { radius: 1, stability: 0.01 };
const offCentre = { domain: { name: 'box', params: { lower: [1, 1], upper: [2, 1.5] } }, dimension: 2 };
const difference = { lipschitz: 1, smoothness: 0.5, travel: 2 };

export const xClip12 = defineMutant({
  id: 'clip/l1-clip-divides-l2-norm',
  title: 'the ℓ1 clip divides by the ℓ2 norm',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 100,
  plant: () =>
    plantedOn(l1Clip, { radius: 1 }, { clipInPlace: (params, vector) => l2Clip.clipInPlace(params, vector) }),
});

export const xClip13 = defineMutant({
  id: 'clip/l1-variance-bounded-mean-square-l2',
  title: 'the ℓ1 variance is bounded by the mean square, as in ℓ2',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/variance-bound'],
  within: 5_000,
  plant: () =>
    plantedOn(
      l1Clip,
      { radius: 1 },
      { varianceBound: (params, moment) => l2Clip.varianceBound(params, moment) },
    ),
});

export const xClip14 = defineMutant({
  id: 'clip/linfinity-variance-bounded-twice-mean-square-records',
  title: 'the ℓ∞ variance is bounded by twice the mean square, as for pairs of records',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/variance-bound'],
  within: 5_000,
  plant: () =>
    plantedOn(
      coordinateClip,
      { radius: 1 },
      { varianceBound: (params, moment) => 2 * l2Clip.varianceBound(params, moment) },
    ),
});

export const xClip15 = defineMutant({
  id: 'clip/radii-blocks-add-root-blocks-times-too',
  title: 'radii of blocks are added: √blocks times too much noise',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/radius-attained'],
  within: 20_000,
  plant: () =>
    plantedOn(
      blockClip,
      { radii: [1, 1], sizes: [2, 2] },
      { radius: ({ radii }) => radii.reduce((a, b) => a + b) },
    ),
});

export const xClip16 = defineMutant({
  id: 'clip/bias-blocks-bounded-joint-radius',
  title: 'the bias of blocks is bounded at their joint radius',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bias-bound'],
  within: 5_000,
  plant: () =>
    plantedOn(
      blockClip,
      { radii: [2, 1, 2], sizes: [1, 2, 1] },
      { biasBound: (_params, moment) => l2Clip.biasBound({ radius: 3 }, moment) },
    ),
});

export const xClip17 = defineMutant({
  id: 'clip/bias-blocks-bounded-mean-radii-smallest-counts',
  title: 'the bias of blocks is bounded at the mean of their radii instead of the smallest',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bias-bound'],
  within: 5_000,
  plant: () =>
    plantedOn(
      blockClip,
      { radii: [2, 1.8, 2], sizes: [1, 2, 1] },
      { biasBound: (_params, moment) => l2Clip.biasBound({ radius: 1.93 }, moment) },
    ),
});

export const xClip18 = defineMutant({
  id: 'clip/entry-no-block-not-clipped',
  title: 'an entry in no block is not clipped',
  kind: 'clip',
  source: 'generic: a frozen layer left out',
  killedBy: ['clip/bounded-norm'],
  within: 100,
  plant: () =>
    plantedOn(
      blockClip,
      { radii: [1, 1], sizes: [2, 2] },
      {
        clipInPlace: (_params, vector) =>
          finite(vector, () =>
            blockClip.clipInPlace({ radii: [1, 1], sizes: [2, 1] }, vector.subarray(0, 3)),
          ),
      },
    ),
});

export const xClip19 = defineMutant({
  id: 'clip/normalising-without-stability-constant-makes-nan-zero',
  title: 'normalising without a stability constant maps zero to NaN',
  kind: 'clip',
  source: 'generic: AUTO-V at a vanishing gradient',
  killedBy: ['clip/bounded-norm'],
  within: 400,
  plant: () =>
    plantedOn(automaticClip, small, {
      clipInPlace: ({ radius }, vector) => finite(vector, () => scale(vector, radius / norm2(vector))),
    }),
});

export const xClip20 = defineMutant({
  id: 'clip/bias-normalising-clip-projection-short-vectors-grow',
  title: 'the bias of the normalising clip is that of the projection, which does not lengthen short vectors',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bias-bound'],
  within: 2_000,
  plant: () =>
    plantedOn(automaticClip, small, {
      biasBound: ({ radius }, moment) => l2Clip.biasBound({ radius }, moment),
    }),
});

export const xClip21 = defineMutant({
  id: 'clip/bias-normalising-clip-one-point-moment-laws',
  title:
    'the bias of the normalising clip is that of one point at the moment, ' +
    'without distributions on a short and a long vector',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bias-bound'],
  within: 30_000,
  plant: () =>
    plantedOn(
      automaticClip,
      { radius: 1, stability: 0.2 },
      {
        biasBound({ radius, stability }, moment) {
          const whole = automaticClip.biasBound({ radius, stability }, moment);
          const norm = moment.value ** (1 / moment.order);
          return Math.min(
            whole,
            ((norm * Math.abs(norm + stability - radius)) / (norm + stability)) * (1 + 1e-9),
          );
        },
      },
    ),
});

export const xClip22 = defineMutant({
  id: 'clip/stability-constant-stands-outside-norm-radius-norm',
  title: 'the stability constant is outside the brackets: radius / norm + stability',
  kind: 'clip',
  source: 'generic: missing brackets',
  killedBy: ['clip/factor', 'clip/bounded-norm'],
  within: 400,
  plant: () =>
    plantedOn(automaticClip, small, {
      clipInPlace: ({ radius, stability }, vector) =>
        finite(vector, () => scale(vector, radius / Math.max(1e-300, norm2(vector)) + stability)),
    }),
});

export const xClip23 = defineMutant({
  id: 'clip/radius-set-half-diameter-wherever-lies',
  title: 'the radius of a set is half its diameter, for any position',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 50,
  plant: () => plantedOn(domainClip, offCentre, { radius: () => Math.hypot(1, 0.5) / 2 }),
});

export const xClip24 = defineMutant({
  id: 'clip/radius-set-diameter-set-need-not-contain',
  title: 'the radius of a set is its diameter, although the set need not contain the origin',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 50,
  plant: () => plantedOn(domainClip, offCentre, { radius: () => Math.hypot(1, 0.5) }),
});

export const xClip25 = defineMutant({
  id: 'clip/bias-set-bounded-largest-norm-instead-inner',
  title: 'the bias of a set is bounded at its largest norm instead of its inner radius',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bias-bound'],
  within: 5_000,
  plant: () =>
    plantedOn(
      domainClip,
      { domain: { name: 'l1-ball', params: { radius: 1 } }, dimension: 4 },
      { biasBound: (_params, moment) => l2Clip.biasBound({ radius: 1 }, moment) },
    ),
});

export const xClip26 = defineMutant({
  id: 'clip/cap-declared-not-applied',
  title: 'a cap is declared and not applied',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 400,
  plant: () =>
    plantedOn(
      gradientDifferenceClip,
      { ...difference, cap: 1.5 },
      {
        isProjection: false,
        factor: null,
        clipInPlace: ({ cap: _cap, ...params }, vector) => gradientDifferenceClip.clipInPlace(params, vector),
      },
    ),
});

export const xClip27 = defineMutant({
  id: 'clip/travel-points-left-out-declared-radius-g',
  title: 'the declared radius omits the travel of the points: G instead of G + M·travel',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 100,
  plant: () =>
    plantedOn(gradientDifferenceClip, difference, {
      isProjection: false,
      factor: null,
      radius: ({ lipschitz }) => defined(lipschitz),
    }),
});

export const xClip28 = defineMutant({
  id: 'clip/vectors-other-lengths-refused-middle-release-because',
  title: 'vectors of other lengths are refused during a release, because no length is declared',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 400,
  plant: () => plantedOn(blockClip, { radii: [1, 1], sizes: [2, 2] }, { vectorLength: undefined as never }),
});
