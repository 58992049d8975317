import {
  defineShuffledMean,
  resolvePlugin,
  type CentralMean,
  type LocalRandomiser,
  type ShuffledMean,
} from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { certifiedMean, clippedMean, latticeMean, mechanisms, shuffledMean } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { ballMean } from '../reference/ball-mean.js';
import { planted, plantedRun } from './plant.js';

type Clipped = CentralMean<typeof clippedMean.params>;
type Shuffled = ShuffledMean<typeof shuffledMean.params>;

/** The mean of shuffled messages with some of its methods replaced. */
const plantedCrowd = (bug: Partial<Omit<Shuffled, 'kind'>>): Subject<'mean'> =>
  subjectsOf(defineShuffledMean({ ...shuffledMean, ...bug } as Shuffled), {
    registry: mechanisms,
  })[0] as Subject<'mean'>;

export const shortRecordsStretched = defineMutant({
  id: 'mean/linear-factor-stretches-short-records',
  title: 'the factor it is declared linear with also stretches records within the radius to it',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/fast-path'],
  within: 60,
  plant: () =>
    planted(clippedMean as Clipped, {
      linear(params, shape) {
        const size = clippedMean.largestEntry?.(params, shape) ?? 1;
        return { factor: (norm) => (norm > 0 ? size / norm : 1), radius: null };
      },
    }),
});

export const smoothSaidToBeProjection = defineMutant({
  id: 'mean/smooth-factor-declared-as-projection',
  title: 'records are scaled by radius/(radius + norm), and the curator is told of a projection',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/fast-path'],
  within: 60,
  plant() {
    const factor = (radius: number, norm: number): number => radius / (radius + norm);
    return plantedRun(
      ({ radius }, { dimension, slots }) => {
        const sum = new Float64Array(dimension);
        return {
          add(_slot, gradient) {
            const norm = Math.hypot(...gradient);
            if (norm === Infinity || Number.isNaN(norm)) return;
            for (let j = 0; j < dimension; j++) sum[j] += factor(radius, norm) * gradient[j];
          },
          value: () => sum.map((total) => total / slots),
          finish: (noised) => noised,
        };
      },
      { linear: ({ radius }) => ({ factor: (norm) => factor(radius, norm), radius }) },
    );
  },
});

export const clipKeepsItsUnit = defineMutant({
  id: 'mean/other-units-keep-radius',
  title: 'in other units it keeps the radius of its clip',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/scaled'],
  within: 20,
  plant: () => planted(clippedMean as Clipped, { scaled: (params) => params }),
});

export const gridKeepsItsSpacing = defineMutant({
  id: 'mean/other-units-keep-grid',
  title: 'in other units the radius grows and the grid does not',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/scaled'],
  within: 20,
  plant: () =>
    planted(latticeMean as CentralMean<typeof latticeMean.params>, {
      scaled: ({ radius, spacing }, factor) => ({ radius: radius * factor, spacing }),
    }),
});

export const gridInBinaryUnits = defineMutant({
  id: 'mean/other-units-round-grid-to-power-of-two',
  title: 'in other units the radius is exact, and the grid grows by the nearest power of two',
  kind: 'mean',
  source: 'laplace-lattice-mean at 2.5 times its unit',
  killedBy: ['mean/scaled'],
  within: 20,
  plant: () =>
    planted(latticeMean as CentralMean<typeof latticeMean.params>, {
      scaled: ({ radius, spacing }, factor) => ({
        radius: radius * factor,
        spacing: spacing * 2 ** Math.round(Math.log2(factor)),
      }),
    }),
});

export const unitsInPowersOfTwo = defineMutant({
  id: 'mean/other-units-are-powers-of-two-alone',
  title: 'it has other units that are powers of two times its own, and no others',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/scaled'],
  within: 20,
  plant: () =>
    planted(clippedMean as Clipped, {
      scaled: (params, factor, registry) =>
        Number.isInteger(Math.log2(factor)) ? (clippedMean.scaled?.(params, factor, registry) ?? null) : null,
    }),
});

export const biasKeepsItsUnit = defineMutant({
  id: 'mean/other-units-keep-part-of-bias',
  title: 'a thousandth of the bias bound stays in the unit it was first given in',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/scaled'],
  within: 20,
  plant: () =>
    planted(clippedMean as Clipped, {
      biasBound: (params, shape, moment) => clippedMean.biasBound(params, shape, moment) + 1e-3,
    }),
});

export const finishForgetsUnits = defineMutant({
  id: 'mean/other-units-truncate-answer-at-one',
  title: 'entries of answers are cut off at 1 in whatever units',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/scaled'],
  within: 100,
  plant: () =>
    planted(ballMean as CentralMean<typeof ballMean.params>, {
      scaled: ({ radius }, factor) => ({ radius: radius * factor }),
      begin(params, shape, random) {
        const run = ballMean.begin(params, shape, random);
        return { ...run, finish: (noised) => noised.map((x) => Math.max(-1, Math.min(1, x))) };
      },
    }),
});

export const crowdWithoutBias = defineMutant({
  id: 'mean/shuffled-bias-of-records-within',
  title: 'a mean of shuffled messages claims no bias, as if all records were in the domain',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/randomiser'],
  within: 40,
  plant: () => plantedCrowd({ biasBound: () => 0 }),
});

export const crowdWithoutRecords = defineMutant({
  id: 'mean/shuffled-variance-of-coins-alone',
  title: 'the variance of a mean of shuffled messages is that of the noise bits, and records are not sampled',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/randomiser'],
  within: 40,
  plant: () =>
    plantedCrowd({
      varianceBound({ randomiser }, { registry, dimension, slots: users, honestUsers, target }) {
        const { plugin, params } = resolvePlugin<LocalRandomiser>(registry, randomiser);
        const noise = plugin.varianceBound?.(params, { dimension, users, honestUsers, target });
        return noise === undefined ? null : noise / users ** 2;
      },
    }),
});

export const crowdKeepsItsUnit = defineMutant({
  id: 'mean/shuffled-units-keep-randomiser',
  title: 'a mean of shuffled messages in other units has the randomiser of the old ones',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/scale-equivariant'],
  within: 20,
  plant: () => plantedCrowd({ scaled: (params) => params }),
});

export const crowdSquaresItsUnit = defineMutant({
  id: 'mean/shuffled-units-applied-twice',
  title: 'a mean of shuffled messages applies the factor of its units twice',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/scale-equivariant'],
  within: 20,
  plant: () =>
    plantedCrowd({
      scaled: (params, factor, registry) => shuffledMean.scaled?.(params, factor ** 2, registry) ?? null,
    }),
});

export const certifiedHalved = defineMutant({
  id: 'mean/certified-halves-records',
  title: 'a mean of records within a certified bound halves them, and claims no bias',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/bias-bound'],
  within: 50,
  plant: () =>
    planted(certifiedMean as CentralMean<typeof certifiedMean.params>, {
      linear: () => null,
      begin(params, shape, random) {
        const run = certifiedMean.begin(params, shape, random);
        return { ...run, value: () => run.value().map((x) => x / 2) };
      },
    }),
});
