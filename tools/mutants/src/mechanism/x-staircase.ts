import type { RandomSource, Vector } from '@lethe/core';
import { mechanisms, staircase } from '@lethe/mechanisms';
import { subjectsOf, type Subject } from '@lethe/laws';
import { defineMutant } from '../mutant.js';

const epsilon = 3;
const planted = (bug: Partial<typeof staircase>): Subject<'mechanism'> =>
  subjectsOf(Object.freeze({ ...staircase, ...bug }) as unknown as typeof staircase, {
    params: { epsilon },
    registry: mechanisms,
  })[0] as Subject<'mechanism'>;

/**
 * Staircase noise by its definition: optimal γ, `upper` the probability
 * of the upper part of a step, steps by a geometric distribution.
 */
function byHand(
  value: Vector,
  scale: number,
  random: RandomSource,
  upper: (gamma: number) => number,
  first: number,
): void {
  const gamma = 1 / (1 + Math.exp(epsilon / 2));
  for (let j = 0; j < value.length; j++) {
    const tread = first + Math.floor(random.exponential() / epsilon);
    const within =
      random.uniform() < upper(gamma) ? gamma * random.uniform() : gamma + (1 - gamma) * random.uniform();
    value[j] += (random.integer(2) === 0 ? scale : -scale) * (tread + within);
  }
}

export const xStaircase1 = defineMutant({
  id: 'mechanism/staircase-noise-offered-vectors-every-entry-may',
  title: 'staircase noise is declared for vectors, where every entry may cross a step',
  kind: 'mechanism',
  source: 'Geng and Viswanath 2014, for single numbers',
  killedBy: ['mechanism/event'],
  within: 2000,
  // The field is meant to be absent: false is not among its values.
  plant: () => planted({ scalar: false } as unknown as Partial<typeof staircase>),
});

export const xStaircase2 = defineMutant({
  id: 'mechanism/half-sensitivity-charged-half-step',
  title: 'half the sensitivity is charged as half a step',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/event'],
  within: 2000,
  plant: () =>
    planted({
      event: (_params, noiseMultiplier, relative) =>
        ({
          kind: 'core/laplace',
          v: 1,
          scale: noiseMultiplier / epsilon,
          sensitivity: relative,
        }) as ReturnType<typeof staircase.event>,
    }),
});

export const xStaircase3 = defineMutant({
  id: 'mechanism/multiplier-epsilon-over-target-laplace-noise',
  title: 'the multiplier is the ratio of ε to the target, as for Laplace noise',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/calibration'],
  within: 200,
  plant: () =>
    planted({
      multiplierFor: (params, target) =>
        'rho' in target || target.epsilon <= epsilon
          ? staircase.multiplierFor(params, target)
          : epsilon / target.epsilon,
    }),
});

export const xStaircase4 = defineMutant({
  id: 'mechanism/upper-part-tread-chosen-probability',
  title: 'the upper part of a step is chosen with probability γ',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/noise-law'],
  within: 5000,
  plant: () =>
    planted({
      addNoise: (_params, value, scale, random) => {
        byHand(value, scale, random, (gamma) => gamma, 0);
      },
    }),
});

export const xStaircase5 = defineMutant({
  id: 'mechanism/geometric-law-treads-begins-1',
  title: 'the geometric distribution of steps begins at 1',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/noise-law'],
  within: 1000,
  plant: () =>
    planted({
      addNoise: (_params, value, scale, random) => {
        byHand(value, scale, random, (gamma) => gamma / (gamma + (1 - gamma) * Math.exp(-epsilon)), 1);
      },
    }),
});

export const xStaircase6 = defineMutant({
  id: 'mechanism/targets-more-private-epsilon-met-more-noise',
  title: 'targets below ε are met by a larger scale',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/calibration'],
  within: 200,
  plant: () =>
    planted({
      multiplierFor: (params, target) =>
        'rho' in target || target.epsilon >= epsilon
          ? staircase.multiplierFor(params, target)
          : epsilon / target.epsilon,
    }),
});
