import { adjacencies, LetheError, type Accountant, type Adjacency, type Sampler } from '@lethe/core';
import { squared } from '@lethe/losses';
import { clippedMean, gaussian, l2Clip } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { expect } from 'vitest';
import { rowsOf } from './cells.js';
import { testGrid } from './grid.js';
import { asking, dimension, namesOf, partsOf, slots, tinyCurator, type Part } from './parts.js';

const noiseMultiplier = 1.5;
// Accountants of stated guarantees have no characterisation of noise.
const once = (adjacency: Adjacency) => gaussian.event({}, noiseMultiplier, { [adjacency]: 1 });
const accountants = new Map(
  [...partsOf<Accountant>('accountant')].filter(([, { plugin }]) => {
    try {
      return plugin.delta(once('replace-one'), { adjacency: 'replace-one', epsilon: 1 }) !== undefined;
    } catch (error) {
      if (error instanceof LetheError) return false;
      throw error;
    }
  }),
);
const samplers = new Map(
  [...partsOf<Sampler>('sampler')].filter(([, { plugin }]) => plugin.partition !== undefined),
);
const axes = { accountant: namesOf(accountants), sampler: namesOf(samplers), adjacency: adjacencies };

/** Expected reason for a refusal of partitions under an adjacency. */
function refusalOf({ plugin, params }: Part<Sampler>, adjacency: Adjacency): string | undefined {
  if (defined(plugin.partition).amplification(params as never, slots)[adjacency] === undefined)
    return 'the deal has no amplification under the adjacency';
  return plugin.size === 'hidden' || adjacency !== 'add-remove'
    ? undefined
    : 'sizes of batches would tell the number of records';
}

testGrid({
  axes,
  rows: rowsOf(axes, { strength: 'cartesian' }),
  by: 'accountant',
  statement: 'answers for every batch of a deal, which costs no more than one release to everyone',
  cell(row) {
    const { adjacency } = row;
    const sampler = defined(samplers.get(row.sampler));
    const refusal = refusalOf(sampler, adjacency);
    return {
      refusal,
      check() {
        const curator = tinyCurator(adjacency, squared({}), JSON.stringify(row));
        const say = asking(curator);
        const partition = () =>
          say({
            ask: 'split',
            of: curator.allRecords,
            order: 'stored',
            parts: { by: 'sampler', sampler: sampler.ref },
          });
        if (refusal !== undefined) {
          expect(partition).toThrow(LetheError);
          expect(curator.spent().kind).toBe('core/free');
          return;
        }
        const batches = partition();
        expect(batches.map(({ normaliser }) => normaliser)).toEqual(
          defined(sampler.plugin.partition).normalisers(sampler.params as never, slots),
        );
        for (const batch of batches) {
          say({
            ask: 'mean',
            of: { terms: [{ weight: 1, at: new Float64Array(dimension) }] },
            batch,
            mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
            target: { noiseMultiplier },
          });
        }
        const { plugin: accountant } = defined(accountants.get(row.accountant));
        for (const epsilon of [0, 0.1, 1, 4]) {
          const [cost, whole] = [curator.spent(), once(adjacency)].map(
            (event) => accountant.delta(event, { adjacency, epsilon }).upper,
          );
          expect(cost).toBeGreaterThanOrEqual(0);
          expect(cost).toBeLessThanOrEqual(whole * (1 + 1e-9) + 1e-300);
        }
      },
    };
  },
});
