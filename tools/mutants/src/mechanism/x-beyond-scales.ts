import type { ZodSchema } from '@lethe/numerics';
import type { Mechanism } from '@lethe/core';
import type { Subject } from '@lethe/laws';
import { discreteGaussian, discreteLaplace, gaussian, skellam } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

/** The mechanism, with noise of another scale where `wrong` says so; declared scales stay. */
const scaledWhere = <Params extends ZodSchema>(
  base: Mechanism<Params>,
  scaleOf: (scale: number) => number,
): Subject<'mechanism'> =>
  planted(base, {
    addNoise: (params, value, scale, random) => base.addNoise(params, value, scaleOf(scale), random),
  });

/** The mechanism, with zeros drawn again with probability one half from a list of zeros, above a scale. */
const zerosTwice = <Params extends ZodSchema>(base: Mechanism<Params>, above: number): Subject<'mechanism'> =>
  planted(base, {
    addNoise(params, value, scale, random) {
      const noise = new Float64Array(value.length);
      base.addNoise(params, noise, scale, random);
      const again = new Float64Array(value.length);
      base.addNoise(params, again, scale, random);
      value.forEach((x, j) => {
        value[j] = x + (scale > above && again[j] === 0 ? 0 : noise[j]);
      });
    },
  });

const fifthAbove40 = (scale: number): number => (scale > 40 ? Math.max(1, scale / 5) : scale);

export const fifthOfGaussian = defineMutant({
  id: 'mechanism/fifth-of-discrete-gaussian-noise-above-scale-40',
  title: 'discrete Gaussian noise has a fifth of the scale at scales above 40',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/every-scale'],
  within: 1000,
  plant: () => scaledWhere(discreteGaussian, fifthAbove40),
});
export const fifthOfGaussianDivergence = defineMutant({
  id: 'mechanism/discrete-gaussian-noise-above-scale-40-by-outputs',
  title:
    'discrete Gaussian noise has 0.7 of the scale at scales above 40, seen in the outputs on two neighbours',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/whole-divergence'],
  within: 3000,
  plant: () => scaledWhere(discreteGaussian, (scale) => (scale > 40 ? 0.7 * scale : scale)),
});
export const fifthOfLaplace = defineMutant({
  id: 'mechanism/fifth-of-discrete-laplace-noise-above-scale-40',
  title: 'discrete Laplace noise has a fifth of the scale at scales above 40',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/every-scale'],
  within: 1000,
  plant: () => scaledWhere(discreteLaplace, fifthAbove40),
});
export const halfOfSkellam = defineMutant({
  id: 'mechanism/half-of-skellam-noise-above-scale-1000',
  title: 'Skellam noise has half of the scale at scales above 1000',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/every-scale'],
  within: 1000,
  plant: () => scaledWhere(skellam, (scale) => (scale > 1000 ? scale / 2 : scale)),
});
export const zeroTwiceAsLikely = defineMutant({
  id: 'mechanism/zero-twice-as-likely-above-scale-4',
  title: 'discrete Gaussian noise is 0 twice as often as declared, at scales above 4',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/every-scale'],
  within: 4096,
  plant: () => zerosTwice(discreteGaussian, 4),
});
export const lessAboveMillion = defineMutant({
  id: 'mechanism/gaussian-noise-0-8-of-scale-above-million',
  title: 'Gaussian noise has 0.8 of the scale at scales above 2²⁰',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/every-scale'],
  within: 4096,
  plant: () => scaledWhere(gaussian, (scale) => (scale > 2 ** 20 ? 0.8 * scale : scale)),
});
export const undeclaredElsewhere = defineMutant({
  id: 'mechanism/integer-noise-declared-at-scale-one-alone',
  title: 'integer noise declares its distribution at scale 1 alone, and its event does not name it',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/every-scale'],
  within: 1,
  plant: () => {
    const { cdfAt: _undeclared, ...rest } = skellam;
    return planted(rest as typeof skellam, {});
  },
});
export const eventOfAnotherScale = defineMutant({
  id: 'mechanism/distribution-of-scale-and-event-of-scale-differ',
  title: 'noise and its declared distribution have half of the scale above 10; the event has the whole scale',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/event-at-scales'],
  within: 100,
  plant: () =>
    planted(skellam, {
      addNoise: (params, value, scale, random) =>
        skellam.addNoise(params, value, scale > 10 ? scale / 2 : scale, random),
      cdfAt: (params, x, scale) => skellam.cdfAt?.(params, x, scale > 10 ? scale / 2 : scale) ?? NaN,
    }),
});
