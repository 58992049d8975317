import { domainClip, l2Clip } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { norm2, planted, plantedOn } from './plant.js';

const tolerance = 1 + 1e-6;

export const xClip40 = defineMutant({
  id: 'clip/vector-millionth-too-long-counts-inside',
  title: 'a vector too long by 10⁻⁶ counts as inside',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 700,
  plant: () =>
    planted({
      clipInPlace(params, vector) {
        if (!(norm2(vector) <= params.radius * tolerance)) l2Clip.clipInPlace(params, vector);
      },
    }),
});

export const xClip41 = defineMutant({
  id: 'clip/norm-millionth-above-radius-factor-1',
  title: 'a norm above the radius by 10⁻⁶ has factor 1',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/factor', 'clip/projection'],
  within: 600,
  plant: () =>
    planted({
      factor: (params, norm) =>
        norm <= params.radius * tolerance ? 1 : defined(l2Clip.factor)(params, norm),
    }),
});

export const xClip42 = defineMutant({
  id: 'clip/squares-short-vectors-vanish-pass-shorter-radius',
  title: 'squares of short vectors underflow, so that they pass a shorter radius',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 700,
  plant: () =>
    planted({
      clipInPlace(params, vector) {
        if (!(norm2(vector) <= params.radius)) l2Clip.clipInPlace(params, vector);
      },
    }),
});

export const xClip43 = defineMutant({
  id: 'clip/radius-held-millionth-least-clip-alone',
  title: 'the clip uses a radius of at least 10⁻⁶',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 700,
  plant: () =>
    planted({
      clipInPlace({ radius }, vector) {
        l2Clip.clipInPlace({ radius: Math.max(radius, 1e-6) }, vector);
      },
    }),
});

export const xClip44 = defineMutant({
  id: 'clip/vector-taken-finite-sum-entries-overflows',
  title: 'the test for finite entries uses their sum, which overflows',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/factor'],
  within: 600,
  plant: () =>
    planted({
      clipInPlace(params, vector) {
        if (Number.isFinite(vector.reduce((sum, x) => sum + x, 0))) l2Clip.clipInPlace(params, vector);
        else vector.fill(0);
      },
    }),
});

export const xClip45 = defineMutant({
  id: 'clip/bias-high-orders-0-0-powers-vanish',
  title: 'the bias of high orders is 0/0 where powers underflow',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/moments-checked'],
  within: 400,
  plant: () =>
    plantedOn(
      l2Clip,
      { radius: 0.003 },
      {
        biasBound(params, moment) {
          const { order, value } = moment;
          const rest = order - 1;
          return !(order > 100 && order < Infinity)
            ? l2Clip.biasBound(params, moment)
            : (((rest / order) ** rest / order) * value) / params.radius ** rest;
        },
      },
    ),
});

export const xClip46 = defineMutant({
  id: 'clip/projection-begins-one-before-ended-stays-vectors',
  title: 'a projection starts at the previous result, and stays there for similar vectors',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/memoryless'],
  within: 30,
  plant() {
    let before: readonly number[] = [];
    let after: readonly number[] = [];
    return plantedOn(
      domainClip,
      { domain: { name: 'box', params: { lower: -1, upper: 2 } }, dimension: 3 },
      {
        clipInPlace(params, vector) {
          const given = [...vector];
          domainClip.clipInPlace(params, vector);
          if (
            before.length === given.length &&
            given.every((x, j) => Math.abs(x - before[j]) <= Math.abs(x) / 20)
          )
            vector.set(after);
          [before, after] = [given, [...vector]];
        },
      },
    );
  },
});

export const xClip47 = defineMutant({
  id: 'clip/bias-orders-above-8-half-moment',
  title: 'the bias of orders above 8 is that of half the moment',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bias-bound'],
  within: 60_000,
  plant: () =>
    planted({
      biasBound: (params, { order, value }) =>
        l2Clip.biasBound(params, { order, value: order > 8 ? value / 2 : value }),
    }),
});

export const xClip48 = defineMutant({
  id: 'clip/variance-orders-above-8-halved',
  title: 'the variance of orders above 8 is halved',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/variance-bound'],
  within: 60_000,
  plant: () =>
    planted({
      varianceBound: (params, moment) => l2Clip.varianceBound(params, moment) / (moment.order > 8 ? 2 : 1),
    }),
});

export const xClip49 = defineMutant({
  id: 'clip/more-512-entries-every-other-one-stands',
  title: 'for more than 512 entries the norm uses every other entry twice',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 700,
  plant: () =>
    planted({
      clipInPlace(params, vector) {
        if (vector.length <= 512 || !vector.every(Number.isFinite)) {
          l2Clip.clipInPlace(params, vector);
          return;
        }
        const norm = Math.SQRT2 * norm2(vector.filter((_, j) => j % 2 === 0));
        if (norm > params.radius)
          for (let j = 0; j < vector.length; j++) vector[j] *= (params.radius / norm) * (1 - 2 ** -40);
      },
    }),
});

export const xClip50 = defineMutant({
  id: 'clip/long-vectors-small-entries-alone-not-looked',
  title: 'long vectors with only small entries are not clipped',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 700,
  plant: () =>
    planted({
      clipInPlace(params, vector) {
        if (vector.length <= 1000 || !vector.every((x) => Math.abs(x) <= params.radius / 8))
          l2Clip.clipInPlace(params, vector);
      },
    }),
});
