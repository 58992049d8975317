import { adjacencies, LetheError, type Clip, type Mechanism, type PrefixSum } from '@lethe/core';
import { squared } from '@lethe/losses';
import { describe, expect, test } from 'vitest';
import { rowsOf } from './cells.ts';
import { asking, dimension, namesOf, partsOf, slots, tinyCurator, type Part } from './parts.ts';
import { printedTally } from './table.ts';

const prefixSums = partsOf<PrefixSum>('prefixSum');
const mechanisms = partsOf<Mechanism>('mechanism');
const clips = partsOf<Clip>('clip');
const axes = { prefixSum: namesOf(prefixSums), mechanism: namesOf(mechanisms), clip: namesOf(clips), adjacency: adjacencies, participation: ['once', 'every other step'] };
const tally = printedTally('prefix sum, mechanism, clip, adjacency and participation', axes);
const steps = 4;

/** Gaussian noise in floating point, on vectors bounded in its norm, of the length there is. */
function fits(mechanism: Part<Mechanism>, clip: Part<Clip>): boolean {
  const { norm, numerics, scalar } = mechanism.plugin;
  const isGaussian = mechanism.plugin.event(mechanism.params as never, 1, { 'replace-one': 1 }).kind === 'core/gaussian';
  return isGaussian && numerics === 'idealised' && scalar !== true && clip.plugin.norm === norm && (clip.plugin.vectorLength?.(clip.params as never) ?? dimension) === dimension;
}

describe.each(rowsOf(axes))('$prefixSum × $mechanism × $clip × $adjacency × $participation', (row) => {
  const isFit = fits(mechanisms.get(row.mechanism)!, clips.get(row.clip)!) && row.adjacency !== 'add-remove';
  const participation = row.participation === 'once' ? { times: 1, gap: steps } : { times: 2, gap: 2 };

  test(`${isFit ? 'is paid for when it is opened, and refuses a record that takes part too often' : 'is refused, and nothing is charged for it'}`, () => {
    for (const part of [row.prefixSum, row.mechanism, row.clip]) tally.plugins.add(part);
    const curator = tinyCurator(row.adjacency, squared({}), JSON.stringify(row));
    const say = asking(curator);
    const run = (): void => {
      const parts = say({ ask: 'split', of: curator.everyone, order: 'shuffled', parts: { by: 'size', sizes: Array.from({ length: steps }, () => slots / steps) } });
      const stream = say({
        ask: 'open', prefixSum: prefixSums.get(row.prefixSum)!.ref, steps, dimension, bound: { by: 'clip', clip: clips.get(row.clip)!.ref },
        noise: { mechanism: mechanisms.get(row.mechanism)!.ref, target: { noiseMultiplier: 1 } }, participation, normaliser: slots / steps,
      });
      const paid = curator.spent();
      const push = (k: number): Float64Array => say({ ask: 'push', stream, of: { terms: [{ weight: 1, at: new Float64Array(dimension) }] }, batch: parts[k]! });
      expect(push(0)).toHaveLength(dimension);
      expect(() => push(0), 'the same records at the next step').toThrow(LetheError);
      expect(curator.spent()).toEqual(paid);
    };
    if (isFit) {
      tally.ran++;
      run();
      return;
    }
    tally.refused++;
    expect(run).toThrow(LetheError);
    expect(curator.spent()).toEqual({ kind: 'core/free', v: 1 });
  });
});
