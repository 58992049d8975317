import { adjacencies, LetheError, type Accountant, type Adjacency, type Sampler } from '@lethe/core';
import { squared } from '@lethe/losses';
import { gaussian, l2Clip } from '@lethe/mechanisms';
import { describe, expect, test } from 'vitest';
import { rowsOf } from './cells.ts';
import { asking, dimension, namesOf, partsOf, slots, tinyCurator } from './parts.ts';
import { printedTally } from './table.ts';

const noiseMultiplier = 1.5;
// Those that compose stated guarantees know nothing of noise.
const once = (adjacency: Adjacency) => gaussian.event({}, noiseMultiplier, { [adjacency]: 1 });
const accountants = new Map([...partsOf<Accountant>('accountant')].filter(([, { plugin }]) => {
  try { return plugin.delta(once('replace-one'), { adjacency: 'replace-one', epsilon: 1 }) !== undefined; } catch (error) { if (error instanceof LetheError) return false; throw error; }
}));
const samplers = new Map([...partsOf<Sampler>('sampler')].filter(([, { plugin }]) => plugin.deal !== undefined));
const axes = { accountant: namesOf(accountants), sampler: namesOf(samplers), adjacency: adjacencies };
const tally = printedTally('accountant, dealing sampler and adjacency', axes);

describe.each(rowsOf(axes, { strength: 'cartesian' }))('$accountant × deal of $sampler × $adjacency', (row) => {
  const { adjacency } = row, { plugin, params, ref } = samplers.get(row.sampler)!, { plugin: accountant } = accountants.get(row.accountant)!;
  const dealt = plugin.deal!.amplification(params as never, slots)[adjacency] !== undefined && (plugin.size === 'hidden' || adjacency !== 'add-remove');

  test(`${dealt ? 'answers for every batch, and costs no more than one release to everyone' : 'is refused, and nothing is charged for it'}`, () => {
    for (const part of [row.accountant, row.sampler]) tally.plugins.add(part);
    const curator = tinyCurator(adjacency, squared({}), JSON.stringify(row)), say = asking(curator);
    const deal = () => say({ ask: 'split', of: curator.everyone, order: 'stored', parts: { by: 'sampler', sampler: ref } });
    if (!dealt) {
      tally.refused++;
      expect(deal).toThrow(LetheError);
      expect(curator.spent().kind).toBe('core/free');
      return;
    }
    tally.ran++;
    const batches = deal();
    expect(batches.map(({ normaliser }) => normaliser)).toEqual(plugin.deal!.normalisers(params as never, slots));
    for (const batch of batches) {
      say({
        ask: 'mean', of: { terms: [{ weight: 1, at: new Float64Array(dimension) }] }, batch,
        release: { by: 'noise', bound: { by: 'clip', clip: l2Clip({ radius: 1 }) }, noise: { mechanism: gaussian({}), target: { noiseMultiplier } } },
      });
    }
    for (const epsilon of [0, 0.1, 1, 4]) {
      const [cost, whole] = [curator.spent(), once(adjacency)].map((event) => accountant.delta(event, { adjacency, epsilon }).upper);
      expect(cost).toBeGreaterThanOrEqual(0);
      expect(cost).toBeLessThanOrEqual(whole! * (1 + 1e-9) + 1e-300);
    }
  });
});
