import {
  adjacencies,
  LetheError,
  type Adjacency,
  type Clip,
  type Mechanism,
  type PrefixSum,
} from '@lethe/core';
import { squared } from '@lethe/losses';
import { defined } from '@lethe/numerics';
import { expect } from 'vitest';
import { rowsOf, strengthOfRun } from './cells.js';
import { testGrid } from './grid.js';
import { asking, dimension, namesOf, partsOf, slots, tinyCurator, type Part } from './parts.js';

const prefixSums = partsOf<PrefixSum>('prefixSum');
const mechanisms = partsOf<Mechanism>('mechanism');
const clips = partsOf<Clip>('clip');
const axes = {
  prefixSum: namesOf(prefixSums),
  mechanism: namesOf(mechanisms),
  clip: namesOf(clips),
  adjacency: adjacencies,
  participation: ['once', 'every other step'],
};
const steps = 4;

/**
 * Expected reason for a refusal of a stream: it needs floating-point
 * Gaussian noise, on vectors of the right norm and length.
 */
function refusalOf(mechanism: Part<Mechanism>, clip: Part<Clip>, adjacency: Adjacency): string | undefined {
  const { norm, numerics, scalar } = mechanism.plugin;
  const isGaussian =
    mechanism.plugin.event(mechanism.params as never, 1, { 'replace-one': 1 }).kind === 'core/gaussian';
  if (!isGaussian || numerics !== 'idealised' || scalar === true)
    return 'the noise is not Gaussian on vectors of numbers';
  if (clip.plugin.norm !== norm) return 'the noise is scaled to another norm than the clip';
  if ((clip.plugin.vectorLength?.(clip.params as never) ?? dimension) !== dimension)
    return 'the clip is for vectors of another length';
  return adjacency === 'add-remove' ? 'sizes of batches would tell the number of records' : undefined;
}

testGrid({
  axes,
  rows: rowsOf(axes, { strength: strengthOfRun }),
  by: 'prefixSum',
  statement: 'is paid for when it is opened, and refuses a record that takes part too often',
  cell(row) {
    const mechanism = defined(mechanisms.get(row.mechanism));
    const clip = defined(clips.get(row.clip));
    const refusal = refusalOf(mechanism, clip, row.adjacency);
    const participation = row.participation === 'once' ? { times: 1, gap: steps } : { times: 2, gap: 2 };
    return {
      refusal,
      check() {
        const curator = tinyCurator(row.adjacency, squared({}), JSON.stringify(row));
        const say = asking(curator);
        const run = (): void => {
          const parts = say({
            ask: 'split',
            of: curator.allRecords,
            order: 'shuffled',
            parts: { by: 'size', sizes: Array.from({ length: steps }, () => slots / steps) },
          });
          const stream = say({
            ask: 'open',
            prefixSum: defined(prefixSums.get(row.prefixSum)).ref,
            steps,
            dimension,
            bound: { by: 'clip', clip: clip.ref },
            noise: { mechanism: mechanism.ref, target: { noiseMultiplier: 1 } },
            participation,
            normaliser: slots / steps,
          });
          const paid = curator.spent();
          const push = (k: number): Float64Array =>
            say({
              ask: 'push',
              stream,
              of: { terms: [{ weight: 1, at: new Float64Array(dimension) }] },
              batch: parts[k],
            });
          expect(push(0)).toHaveLength(dimension);
          expect(() => push(0), 'the same records at the next step').toThrow(LetheError);
          expect(curator.spent()).toEqual(paid);
        };
        if (refusal === undefined) {
          run();
          return;
        }
        expect(run).toThrow(LetheError);
        expect(curator.spent()).toEqual({ kind: 'core/free', v: 1 });
      },
    };
  },
});
