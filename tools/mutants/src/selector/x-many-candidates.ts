import { type RandomSource, type Selector } from '@lethe/core';
import type { Subject } from '@lethe/laws';
import { reportNoisyMax } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { argMax, planted } from './plant.js';

/**
 * Report noisy max with Laplace noise, without declared probabilities; `size` is that of each position’s
 * noise.
 */
const noisyMax = (size: (position: number, count: number) => number): Subject<'selector'> =>
  planted(
    reportNoisyMax as unknown as Selector,
    {
      probabilities: () => null,
      choose(_params: unknown, utilities: Float64Array, epsilon: number, random: RandomSource) {
        const noise = random.laplaceInto(new Float64Array(utilities.length));
        return argMax(utilities.map((u, i) => u + (noise[i] * 2 * size(i, utilities.length)) / epsilon));
      },
    },
    { noise: 'laplace' },
  );

const killedBy = ['selector/many'] as const;

export const nothingBeyondEighth = defineMutant({
  id: 'selector/no-noise-beyond-eighth-candidate',
  title: 'adds noise to the first eight candidates alone, and declares no probabilities',
  kind: 'selector',
  source: 'generic',
  killedBy,
  within: 4000,
  plant: () => noisyMax((position) => (position < 8 ? 1 : 0)),
});
export const nothingBeyond64th = defineMutant({
  id: 'selector/no-noise-beyond-64th-candidate',
  title: 'adds noise to the first 64 candidates alone, and declares no probabilities',
  kind: 'selector',
  source: 'generic',
  killedBy,
  within: 4000,
  plant: () => noisyMax((position) => (position < 64 ? 1 : 0)),
});
export const halfFromSeven = defineMutant({
  id: 'selector/half-noise-from-seven-candidates-on',
  title: 'has half of the noise from seven candidates on, and declares no probabilities',
  kind: 'selector',
  source: 'generic',
  killedBy,
  within: 4000,
  plant: () => noisyMax((_position, count) => (count >= 7 ? 0.5 : 1)),
});
