import type { RandomSource } from '@lethe/core';
import type { Subject } from '@lethe/laws';
import { exponential, permuteAndFlip } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { argMax, planted } from './plant.js';

const none = {} as never;
const source = 'generic';
const kind = 'selector';
/** Refuses the same arguments as the exponential mechanism. */
const check = (utilities: Float64Array, epsilon: number): void => {
  exponential.probabilities(none, utilities, epsilon);
};
const gumbel = (random: RandomSource): number => -Math.log(random.exponential());
const best = (utilities: Float64Array): number => utilities.reduce((most, u) => Math.max(most, u), -Infinity);
function behind(utilities: Float64Array, epsilon: number): Float64Array {
  const most = best(utilities);
  return utilities.map((u) => epsilon * (most / 2 - u / 2));
}
const single = (utilities: Float64Array): Float64Array =>
  utilities.map((u) => (Math.abs(u) < 1e30 ? Math.fround(u) : u));

function softmin(distances: Float64Array): Float64Array {
  const weights = distances.map((x) => Math.exp(-x));
  const total = weights.reduce((sum, x) => sum + x, 0);
  return weights.map((x) => x / total);
}

/** The exponential mechanism on changed distances, in its declarations and its choices. */
const onDistances = (
  distances: (utilities: Float64Array, epsilon: number) => Float64Array,
): Subject<'selector'> =>
  planted(exponential, {
    probabilities(_params, utilities, epsilon) {
      check(utilities, epsilon);
      return softmin(distances(utilities, epsilon));
    },
    choose(_params, utilities, epsilon, random) {
      check(utilities, epsilon);
      return argMax(distances(utilities, epsilon).map((x) => gumbel(random) - x));
    },
  });
/** The exponential mechanism at another ε. */
const at = (other: (epsilon: number) => number): Subject<'selector'> =>
  onDistances((utilities, epsilon) => behind(utilities, other(epsilon)));

export const xSelector60 = defineMutant({
  id: 'selector/utilities-kept-single-precision',
  title: 'utilities are rounded to single precision',
  kind,
  source,
  killedBy: ['selector/invariance'],
  within: 20,
  plant: () => onDistances((utilities, epsilon) => behind(single(utilities), epsilon)),
});
export const xSelector61 = defineMutant({
  id: 'selector/differences-utilities-overflow',
  title: 'differences of utilities overflow',
  kind,
  source,
  killedBy: ['selector/probabilities'],
  within: 300,
  plant: () =>
    onDistances((utilities, epsilon) => {
      const most = best(utilities);
      return utilities.map((u) => ((most - u) * epsilon) / 2);
    }),
});
export const xSelector62 = defineMutant({
  id: 'selector/scale-noise-2-epsilon-overflows',
  title: 'the scale of the noise, 2/ε, overflows',
  kind,
  source,
  killedBy: ['selector/choice'],
  within: 1000,
  plant: () =>
    planted(exponential, {
      choose(_params, utilities, epsilon, random) {
        check(utilities, epsilon);
        const most = best(utilities);
        return argMax(utilities.map((u) => u / 2 - most / 2 + (1 / epsilon) * gumbel(random)));
      },
    }),
});
export const xSelector63 = defineMutant({
  id: 'selector/noise-drawn-64-time-used-again-more',
  title: '64 draws of noise are reused for more candidates',
  kind,
  source,
  killedBy: ['selector/among-many'],
  within: 150,
  plant: () =>
    planted(exponential, {
      choose(_params, utilities, epsilon, random) {
        const distances = behind(utilities, epsilon);
        const noise = Array.from({ length: Math.min(64, distances.length) }, () => gumbel(random));
        check(utilities, epsilon);
        return argMax(distances.map((x, i) => noise[i % 64] - x));
      },
    }),
});
export const xSelector64 = defineMutant({
  id: 'selector/candidates-looked-eight-time-without-rest-more',
  title: 'candidates beyond the last full block of eight are ignored',
  kind,
  source,
  killedBy: ['selector/choice'],
  within: 200,
  plant: () =>
    planted(exponential, {
      choose(_params, utilities, epsilon, random) {
        check(utilities, epsilon);
        return exponential.choose(
          none,
          utilities.length < 8 ? utilities : utilities.subarray(0, utilities.length - (utilities.length % 8)),
          epsilon,
          random,
        );
      },
    }),
});
export const xSelector65 = defineMutant({
  id: 'selector/utilities-remembered-list-came',
  title: 'utilities are cached by the identity of their array',
  kind,
  source,
  killedBy: ['selector/coins'],
  within: 60,
  plant() {
    const seen = new WeakMap<Float64Array, Float64Array>();
    return planted(exponential, {
      choose(_params, utilities, epsilon, random) {
        check(utilities, epsilon);
        const kept = seen.get(utilities) ?? utilities.slice();
        seen.set(utilities, kept);
        return exponential.choose(none, kept, epsilon, random);
      },
    });
  },
});
export const xSelector66 = defineMutant({
  id: 'selector/above-thousand-candidates-regret-one-fewer',
  title: 'for more than 1000 candidates, the regret bound is that of one fewer',
  kind,
  source,
  killedBy: ['selector/regret'],
  within: 600,
  plant: () =>
    planted(exponential, {
      regretBound: (_params, candidates, epsilon) =>
        exponential.regretBound(none, candidates > 1000 ? candidates - 1 : candidates, epsilon),
    }),
});
export const xSelector67 = defineMutant({
  id: 'selector/candidates-chosen-once-three-thousand-times-never',
  title: 'candidates of probability below 1/3000 are never chosen',
  kind,
  source,
  killedBy: ['selector/among-many'],
  within: 150,
  plant: () =>
    planted(permuteAndFlip, {
      choose(_params, utilities, epsilon, random) {
        check(utilities, epsilon);
        const distances = behind(utilities, epsilon);
        const near = Array.from(utilities.keys()).filter((i) => distances[i] <= 8);
        return near[
          permuteAndFlip.choose(
            none,
            Float64Array.from(near, (i) => utilities[i]),
            epsilon,
            random,
          )
        ];
      },
    }),
});
export const xSelector68 = defineMutant({
  id: 'selector/far-ahead-second-taken-without-draw',
  title: 'a candidate far ahead of the second is chosen without a draw',
  kind,
  source,
  killedBy: ['selector/among-many'],
  within: 150,
  plant: () =>
    planted(exponential, {
      choose(_params, utilities, epsilon, random) {
        const [first = 0, second = Infinity] = behind(utilities, epsilon).toSorted();
        check(utilities, epsilon);
        return second - first > 6
          ? utilities.indexOf(best(utilities))
          : exponential.choose(none, utilities, epsilon, random);
      },
    }),
});
export const xSelector69 = defineMutant({
  id: 'selector/no-epsilon-below-thousandth',
  title: 'ε is at least 0.001',
  kind,
  source,
  killedBy: ['selector/event', 'selector/probabilities'],
  within: 300,
  plant: () => at((epsilon) => Math.max(1e-3, epsilon)),
});
export const xSelector70 = defineMutant({
  id: 'selector/no-epsilon-above-fifty',
  title: 'ε is at most 50',
  kind,
  source,
  killedBy: ['selector/regret'],
  within: 400,
  plant: () => at((epsilon) => Math.min(50, epsilon)),
});
export const xSelector71 = defineMutant({
  id: 'selector/distances-rounded-steps-1-256-more-utility',
  title: 'distances are rounded to steps of 1/256, more than a utility moves',
  kind,
  source,
  killedBy: ['selector/event'],
  within: 60,
  plant: () =>
    onDistances((utilities, epsilon) =>
      behind(utilities, epsilon).map((x) => (x > 1e9 ? x : Math.round(256 * x) / 256)),
    ),
});
export const xSelector72 = defineMutant({
  id: 'selector/positions-kept-fifteen-bits',
  title: 'positions are stored in fifteen bits',
  kind,
  source,
  killedBy: ['selector/among-many'],
  within: 100,
  plant: () =>
    planted(exponential, {
      choose: (_params, utilities, epsilon, random) =>
        (exponential.choose(none, utilities, epsilon, random) << 17) >> 17,
    }),
});
