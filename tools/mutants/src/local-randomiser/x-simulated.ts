import type { RandomSource, ShuffleContext, Vector } from '@lethe/core';
import type { Subject } from '@lethe/laws';
import { shuffledMedianOfMeans, shuffledVectorSum } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

type Params = { readonly radius: number; readonly levels?: number | undefined };
type Simulate = (
  params: Params,
  context: ShuffleContext,
  records: Iterable<Vector>,
  random: RandomSource,
) => Vector;
const levels = 4;
const radius = 1;
const half = levels / 2;
const planted = (simulateSum: Simulate): Subject<'localRandomiser'> =>
  plantedPlugin(shuffledVectorSum, { simulateSum }, { radius, levels });
const simulate: Simulate = (params, context, records, random) =>
  defined(shuffledVectorSum.simulateSum)(params, context, records, random);
const killedBy = ['localRandomiser/simulation'] as const;

export const xSimulated1 = defineMutant({
  id: 'local-randomiser/simulation-half-variance-coins',
  title: 'a simulation has half the variance of the random bits',
  kind: 'localRandomiser',
  source: 'generic',
  killedBy,
  within: 1_500,
  plant: () =>
    planted((params, context, records, random) => {
      const all = Array.from(records, (record) => record.slice());
      const [sum, zeros] = [all, all.map(() => new Float64Array(context.dimension))].map((rows) =>
        simulate(params, context, rows, random.fork('once')),
      ) as [Vector, Vector];
      return sum.map((x, j) => x - zeros[j] * (1 - Math.sqrt(0.5)));
    }),
});
export const xSimulated2 = defineMutant({
  id: 'local-randomiser/simulation-rounds-entries-down',
  title: 'a simulation rounds entries down',
  kind: 'localRandomiser',
  source: 'lowy-razaviyayn: C11',
  killedBy,
  within: 1_500,
  plant: () =>
    planted((params, context, records, random) =>
      simulate(
        params,
        context,
        Array.from(records, (record) => record.map((x) => (Math.floor(x * (half / radius)) * radius) / half)),
        random,
      ),
    ),
});
export const xSimulated3 = defineMutant({
  id: 'local-randomiser/simulation-keeps-array-lent-all-users-last',
  title: 'a simulation stores references to the reused array, so that all records equal the last',
  kind: 'localRandomiser',
  source: 'generic',
  killedBy,
  within: 1_500,
  plant: () => planted((params, context, records, random) => simulate(params, context, [...records], random)),
});
export const xSimulated4 = defineMutant({
  id: 'local-randomiser/simulation-leaves-noise-out',
  title: 'a simulation omits the noise',
  kind: 'localRandomiser',
  source: 'generic',
  killedBy,
  within: 500,
  plant: () =>
    planted((_params, { dimension }, records) => {
      const sum = new Float64Array(dimension);
      for (const record of records)
        record.forEach((x, j) => {
          sum[j] += x;
        });
      return sum;
    }),
});
export const xSimulated5 = defineMutant({
  id: 'local-randomiser/simulation-deals-users-groups-turn-not-coins',
  title: 'a simulation assigns users to groups in turn, not at random',
  kind: 'localRandomiser',
  source: 'generic',
  killedBy,
  within: 1_500,
  plant: () =>
    plantedPlugin(
      shuffledMedianOfMeans,
      {
        simulateSum(params, context, records, random) {
          const again = random.fork('same');
          return defined(shuffledMedianOfMeans.simulateSum)(params, context, records, {
            ...again,
            fork: () => again,
          } as RandomSource).map((x) => x * 0.8);
        },
      },
      { bound: 1, groups: 3, levels: 4 },
    ),
});
