import {
  defineMechanism,
  gaussianEvent,
  type Mechanism,
  type RandomSource,
  type Ref,
  type Target,
  type Vector,
} from '@lethe/core';
import { defined, normalCdf } from '@lethe/numerics';
import { none, plain, type Observer } from './common.js';

/** Names of the fake mechanisms that replace Gaussian noise. */
export type MechanismName = 'silent' | 'ruler' | 'flood' | 'gaussian';

/**
 * Factor on exact values and scales in answers: rounding to a
 * grid far below the noise then preserves every bit.
 */
const magnified = 2 ** 64;
/** The exact value behind an answer of a silent mechanism or a ruler. */
export function exactly(answer: number): number;
export function exactly(answer: Vector): Vector;
export function exactly(answer: number | Vector): number | Vector {
  return typeof answer === 'number' ? answer / magnified : answer.map((x) => x / magnified);
}

/** Far above the effect of a bounded record: rounding removes every trace of the record. */
const flood = 2 ** 500;

const adds: Readonly<Record<MechanismName, (value: Vector, scale: number, random: RandomSource) => void>> = {
  silent: (value) => {
    for (let j = 0; j < value.length; j++) value[j] *= magnified;
  },
  ruler: (value, scale) => {
    for (let j = 0; j < value.length; j++) value[j] += magnified * scale;
  },
  flood: (value) => {
    for (let j = 0; j < value.length; j++) value[j] += flood;
  },
  gaussian: (value, scale, random) => {
    const noise = random.gaussianInto(new Float64Array(value.length));
    for (let j = 0; j < value.length; j++) value[j] += scale * noise[j];
  },
};

/**
 * The noise multiplier of Gaussian noise that meets a target,
 * by zero-concentrated privacy; slightly rounded up.
 */
export function multiplierFor(
  target: Exclude<Target, { unprotected: true } | { noiseMultiplier: number }>,
): number {
  const rho =
    'rho' in target
      ? target.rho
      : (Math.sqrt(Math.log(1 / target.delta) + target.epsilon) - Math.sqrt(Math.log(1 / target.delta))) ** 2;
  return (1 + 1e-12) / Math.sqrt(2 * rho);
}

/**
 * Mechanisms that all declare Gaussian noise: a correct one; one without noise (the answer is the value,
 * {@link exactly}); one that adds its scale (the answer to zeros is the scale, {@link exactly}); and one with
 * so much noise that nothing of the value remains.
 */
export const gaussianMechanisms = (observe: Observer): readonly Mechanism[] =>
  (Object.keys(adds) as MechanismName[]).map((mechanismNamed) =>
    defineMechanism({
      ...plain,
      name: `laws/${mechanismNamed}`,
      params: none,
      norm: 'l2',
      numerics: 'idealised',
      event: (_params, noiseMultiplier, relative) => gaussianEvent(noiseMultiplier, relative),
      multiplierFor: (_params, target) => multiplierFor(target),
      addNoise(_params, value, scale, random) {
        const before = value.slice();
        observe({ did: 'noise', scale, entries: value.length });
        adds[mechanismNamed](value, scale, random);
        observe({ did: 'noised', before, after: value.slice() });
      },
      standardDeviation: () => 1,
      cdf: (_params, x) => normalCdf(x),
    }),
  );

/** How large the noise of `laws/faint` is for its scale. */
export const faintness = 2 ** -6;

/** Gaussian noise whose deviation is a small part of its scale, as its event says. */
export const faint = (observe: Observer): Mechanism =>
  defineMechanism({
    ...defined(gaussianMechanisms(observe).find((mechanism) => mechanism.name === 'laws/gaussian')),
    name: 'laws/faint',
    event: (_params, noiseMultiplier, relative) => gaussianEvent(noiseMultiplier * faintness, relative),
    multiplierFor: (_params, target) => multiplierFor(target) / faintness,
    addNoise: (_params, value, scale, random) => adds.gaussian(value, scale * faintness, random),
    standardDeviation: () => faintness,
    cdf: (_params, x) => normalCdf(x / faintness),
  });

/** Gaussian noise declared as proved for integers only, or for one entry only. */
export const choosy = (observe: Observer): readonly Mechanism[] =>
  (['whole', 'single'] as const).map((name) =>
    defineMechanism({
      ...defined(gaussianMechanisms(observe).find((mechanism) => mechanism.name === 'laws/gaussian')),
      name: `laws/${name}`,
      ...(name === 'whole' ? { numerics: 'exact' } : { scalar: true }),
    }),
  );

/** Whole noise that is its scale, rounded up. */
export const wholeRuler = (observe: Observer): Mechanism =>
  defineMechanism({
    ...defined(gaussianMechanisms(observe).find((mechanism) => mechanism.name === 'laws/gaussian')),
    name: 'laws/whole-ruler',
    numerics: 'exact',
    divisible: true,
    addNoise(_params, value, scale) {
      observe({ did: 'noise', scale, entries: value.length });
      for (let j = 0; j < value.length; j++) value[j] += Math.ceil(scale);
    },
  });

/** Laplace noise, which needs an ℓ1 sensitivity. */
export const laplace = (observe: Observer): Mechanism =>
  defineMechanism({
    ...plain,
    name: 'laws/laplace',
    params: none,
    norm: 'l1',
    numerics: 'idealised',
    event: (_params, noiseMultiplier, relative) =>
      ({ kind: 'core/laplace', v: 1, scale: noiseMultiplier, sensitivity: relative }) as ReturnType<
        Mechanism['event']
      >,
    multiplierFor: (_params, target) =>
      'epsilon' in target ? 1 / target.epsilon : 1 / Math.sqrt(2 * target.rho),
    addNoise(_params, value, scale, random) {
      observe({ did: 'noise', scale, entries: value.length });
      const noise = random.laplaceInto(new Float64Array(value.length));
      for (let j = 0; j < value.length; j++) value[j] += scale * noise[j];
    },
    standardDeviation: () => Math.SQRT2,
    cdf: (_params, x) => (x < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2),
  });

/** A plain reference, as received from another process. */
export const mechanismNamed = (
  name: MechanismName | 'faint' | 'laplace' | 'whole' | 'whole-ruler' | 'single',
): Ref<'mechanism'> => ({
  kind: 'mechanism',
  name: `laws/${name}`,
  params: {},
});
