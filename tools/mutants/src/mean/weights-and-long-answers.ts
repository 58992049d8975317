import type { CentralMean } from '@lethe/core';
import { certifiedMean, clippedMean } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

type Clipped = CentralMean<typeof clippedMean.params>;
const clipped = clippedMean as Clipped;
const certified = certifiedMean as CentralMean<typeof certifiedMean.params>;

export const xMean80 = defineMutant({
  id: 'mean/record-after-hundred-not-clipped',
  title: 'the 101st record that is added is not clipped',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/sensitivity'],
  within: 100_000,
  plant: () =>
    planted(clipped, {
      linear: () => null,
      begin(params, shape, random) {
        const run = clipped.begin(params, shape, random);
        const raw = new Float64Array(shape.dimension);
        let seen = 0;
        return {
          add(slot, gradient) {
            seen++;
            if (seen !== 101) return run.add(slot, gradient);
            gradient.forEach((x, j) => {
              raw[j] = Number.isFinite(x) ? x / shape.slots : 0;
            });
          },
          value: () => run.value().map((x, j) => x + raw[j]),
          finish: (noised) => run.finish(noised),
        };
      },
    }),
});

export const xMean81 = defineMutant({
  id: 'mean/sensitivity-counts-weights-up-to-eight',
  title: 'the sensitivity counts weights of at most 8',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/weight'],
  within: 200,
  plant: () =>
    planted(certified, {
      sensitivity: (params, shape) =>
        certified.sensitivity(params, { ...shape, weight: Math.min(8, shape.weight) }),
    }),
});

export const xMean82 = defineMutant({
  id: 'mean/largest-entry-half-of-it',
  title: 'an entry of the value reaches twice what is said',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/largest-entry'],
  within: 60,
  plant: () =>
    planted(clipped, {
      largestEntry: (params, shape) => (clipped.largestEntry?.(params, shape) ?? shape.slots) / 2,
    }),
});

export const xMean83 = defineMutant({
  id: 'mean/sensitivity-for-lipschitz-constant-of-one',
  title: 'the sensitivity is for a Lipschitz constant of at most 1',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/weight'],
  within: 200,
  plant: () =>
    planted(certified, {
      sensitivity(params, shape) {
        const { lipschitz } = shape.facts;
        return certified.sensitivity(params, {
          ...shape,
          facts: { ...shape.facts, lipschitz: { ...lipschitz, value: Math.min(1, lipschitz.value) } },
        });
      },
    }),
});

export const xMean84 = defineMutant({
  id: 'mean/answers-of-many-records-hundredth-too-long',
  title: 'answers of more than 50 records are a hundredth too long',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/crowd-bias'],
  within: 60,
  plant: () =>
    planted(clipped, {
      begin(params, shape, random) {
        const run = clipped.begin(params, shape, random);
        const by = shape.slots > 50 ? 1.01 : 1;
        return { ...run, finish: (noised) => run.finish(noised).map((x) => x * by) };
      },
    }),
});
