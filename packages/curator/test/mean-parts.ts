import {
  boundedMean,
  clipBound,
  defineClip,
  defineLinearLoss,
  defineLocalRandomiser,
  defineLoss,
  defineMean,
  defineMechanism,
  definePrefixSum,
  defineShuffledMean,
  factBound,
  gaussianEvent,
  referenceTo,
  type Fact,
  type MeanRun,
  type MeanShape,
  type Ref,
  type Vector,
} from '@lethe/core';
import { norm2, squaredSum, type RandomSource } from '@lethe/numerics';
import * as z from 'zod';

const common = { summary: 'For tests.', source: { id: 'lethe', item: 'tests' }, claims: [] } as const;
const none = z.strictObject({});
const fact = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'from-domain' });

const radius = z.strictObject({ radius: z.number().positive() });
const shrink = (vector: Vector, most: number): void => {
  const length = norm2(vector);
  if (length > most) for (let j = 0; j < vector.length; j++) vector[j] *= most / length;
};
const ballOf = {
  ...common,
  params: radius,
  norm: 'l2',
  radius: (given: { radius: number }) => given.radius,
  biasBound: () => Infinity,
  varianceBound: () => Infinity,
} as const;
/** Scales into a ball, and says so. */
export const ball = defineClip({
  ...ballOf,
  name: 'ball',
  isProjection: true,
  factor: ({ radius: most }, norm) => (norm <= most ? 1 : most / norm),
  clipInPlace: ({ radius: most }, vector) => shrink(vector, most),
});
/** The same, without a factor. */
export const opaqueBall = defineClip({
  ...ballOf,
  name: 'opaque-ball',
  isProjection: false,
  factor: null,
  clipInPlace: ({ radius: most }, vector) => shrink(vector, most),
});

/** A running sum, each with noise of its own. */
export const freshSum = definePrefixSum({
  ...common,
  name: 'fresh-sum',
  params: none,
  columnNorm: () => 1,
  variance: (_params, _shape, step) => step + 1,
  encoder: (_params, _shape, row, column) => Number(row === column),
  bandwidth: () => 1,
  begin() {
    let step = 0;
    return { nextInto: (out, noise) => noise(step++, out) };
  },
});

/** Gaussian noise. */
export const gaussianNoise = defineMechanism({
  ...common,
  name: 'noise',
  params: none,
  norm: 'l2',
  numerics: 'idealised',
  event: (_params, noiseMultiplier, relative) => gaussianEvent(noiseMultiplier, relative),
  multiplierFor: () => 1,
  addNoise(_params, value, scale, random) {
    const noise = random.gaussianInto(new Float64Array(value.length));
    for (let j = 0; j < value.length; j++) value[j] += scale * noise[j];
  },
  standardDeviation: () => 1,
  cdf: () => Number.NaN,
});

function randomSigns(most: number, { dimension, slots }: MeanShape, random: RandomSource): MeanRun {
  const signs = Float64Array.from({ length: dimension }, () => (random.uniform() < 0.5 ? -1 : 1));
  const sum = new Float64Array(dimension);
  return {
    add(_slot, gradient) {
      const own = gradient.slice();
      shrink(own, most);
      for (let j = 0; j < dimension; j++) sum[j] += own[j] * signs[j];
    },
    value: () => sum.map((x) => x / slots),
    finish: (noised) => noised.map((x, j) => x * signs[j]),
  };
}

const noBounds = { biasBound: () => Infinity, varianceBound: () => Infinity } as const;
/** The mean of clipped records. */
export const clipped = defineMean({
  ...common,
  ...noBounds,
  name: 'clipped',
  params: z.strictObject({ clip: referenceTo('clip') }),
  ...boundedMean(({ clip }: { readonly clip: Ref<'clip'> }, shape) => clipBound(shape, clip)),
  privacyRestsOn: 'clip',
  mechanism: () => gaussianNoise({}),
});
/** The mean of records within the fact `lipschitz`. */
export const certified = defineMean({
  ...common,
  ...noBounds,
  name: 'certified',
  params: none,
  ...boundedMean((_params, shape) => factBound(shape, 'lipschitz')),
  privacyRestsOn: 'every-record constants',
  mechanism: () => gaussianNoise({}),
});
/** A mean behind random signs, which it draws itself. */
export const coined = defineMean({
  ...common,
  ...noBounds,
  name: 'coined',
  params: radius,
  trust: 'central',
  privacyRestsOn: 'clip',
  mechanism: () => gaussianNoise({}),
  norm: () => 'l2',
  sensitivity: ({ radius: most }, { slots }) => ({
    'replace-one': (2 * most) / slots,
    'zero-out': most / slots,
  }),
  begin: ({ radius: most }, shape, random) => randomSigns(most, shape, random),
  event: (_params, noise) => noise,
});
/** Tells the sign of the first entry, now and then. */
export const tell = defineLocalRandomiser({
  ...common,
  name: 'tell',
  params: none,
  messageCount: () => 1,
  randomise: (_params, _context, record, random) =>
    Uint32Array.of(random.uniform() < 0.5 ? random.integer(2) : Number(record[0] > 0)),
  analyse: (_params, { dimension }, messages) =>
    new Float64Array(dimension).fill(messages.reduce((sum, x) => sum + x, 0)),
  event: () => ({ kind: 'core/pure', v: 1, epsilon: 2 }) as never,
});

/** The mean of what users tell. */
export const told = defineShuffledMean({
  ...common,
  name: 'told',
  params: none,
  trust: 'shuffle',
  privacyRestsOn: 'clip',
  randomiser: () => tell({}),
  biasBound: () => null,
  varianceBound: () => null,
});

const anything = { rule: 'any number', accepts: () => true };
const facts = (): Readonly<Record<string, Fact>> => ({
  lipschitz: fact(0.75),
  'coordinateLipschitz.1': fact(0.25),
  'coordinateLipschitz.3': fact(0.5),
});
/** Losses of which sums are worked out in every way there is. */
export const losses = [
  defineLinearLoss({
    ...common,
    name: 'kernel',
    params: none,
    capabilities: { convex: true, nullRecord: true },
    labels: anything,
    facts,
    linear: {
      fused: () => squaredSum,
      value: (_params, margin, label) => (margin - label) ** 2 / 2,
      slope: (_params, margin, label) => margin - label,
    },
  }),
  defineLinearLoss({
    ...common,
    name: 'margins',
    params: none,
    capabilities: { convex: true, nullRecord: true },
    labels: anything,
    facts,
    linear: { value: (_params, margin) => margin ** 4 / 4, slope: (_params, margin) => margin ** 3 },
  }),
  defineLoss({
    ...common,
    name: 'records',
    params: none,
    capabilities: { convex: true, nullRecord: true },
    labels: anything,
    facts,
    linear: null,
    value: (_params, at, { features }) => features.reduce((sum, x, j) => sum + x * at[j], 0),
    gradientInto(_params, out, at, { features, label }) {
      for (let j = 0; j < out.length; j++) out[j] = features[j] * label + at[j] ** 2;
    },
  }),
] as const;
