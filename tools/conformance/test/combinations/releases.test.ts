import { adjacencies, LetheError, type Adjacency, type Clip, type Loss, type MeanOracle, type MeanQuery, type Mechanism, type Sampler } from '@lethe/core';
import { expect } from 'vitest';
import { rowsOf, strengthOfRun } from './cells.js';
import { testGrid } from './grid.js';
import { asking, drawsUnder, namesOf, partsOf, pointsOf, slots, tinyCurator, type Part } from './parts.js';

const clips = partsOf<Clip>('clip');
const oracles = partsOf<MeanOracle>('meanOracle');
const mechanisms = partsOf<Mechanism>('mechanism');
const samplers = partsOf<Sampler>('sampler');
const losses = partsOf<Loss>('loss');
const bound = [...namesOf(clips).map((name) => `clip ${name}`), ...namesOf(oracles).map((name) => `oracle ${name}`)];
const axes = { bound, mechanism: namesOf(mechanisms), sampler: namesOf(samplers), adjacency: adjacencies, loss: namesOf(losses) };

/** Expected reason for a refusal of an oracle on a batch: it needs an exact number of slots, unless a normaliser suffices. */
function oracleRefuses({ plugin, params }: Part<MeanOracle>, sampler: Part<Sampler>, dimension: number, adjacency: Adjacency): string | undefined {
  if (sampler.plugin.size !== 'exact' && plugin.hiddenSize !== true) return 'the oracle needs a batch of known size';
  try {
    const covered = plugin.sensitivity(params as never, { dimension, slots: sampler.plugin.normaliser(sampler.params as never, slots) })[adjacency];
    return covered === undefined ? 'the oracle has no sensitivity under the adjacency' : undefined;
  } catch (error) {
    if (error instanceof LetheError) return 'the oracle declines this dimension, or so few slots';
    throw error;
  }
}

/** Expected reason for a refusal of noise on a clipped mean. */
function clipRefuses({ plugin, params }: Part<Clip>, { norm, numerics, scalar }: Mechanism, dimension: number): string | undefined {
  if (numerics === 'exact') return 'whole noise is added to what is not whole';
  if (scalar === true) return 'noise for one number is added to a vector';
  if (plugin.norm !== norm) return 'the noise is scaled to another norm than the clip';
  return (plugin.vectorLength?.(params as never) ?? dimension) === dimension ? undefined : 'the clip is for vectors of another length';
}

testGrid({
  axes, rows: rowsOf(axes, { strength: strengthOfRun }), by: 'bound', statement: 'answers with noise, and the ledger has one charge',
  cell(row) {
    const [by, name] = row.bound.split(' ') as ['clip' | 'oracle', string];
    const mechanism = mechanisms.get(row.mechanism)!;
    const sampler = samplers.get(row.sampler)!;
    const target = { noiseMultiplier: 2 }, dimension = pointsOf(losses.get(row.loss)!);
    const release: MeanQuery['release'] = by === 'clip'
      ? { by: 'noise', bound: { by: 'clip', clip: clips.get(name)!.ref }, noise: { mechanism: mechanism.ref, target } }
      : { by: 'oracle', oracle: oracles.get(name)!.ref, target };
    const uncovered = (): string | undefined =>
      (by === 'oracle' ? oracleRefuses(oracles.get(name)!, sampler, dimension, row.adjacency) : clipRefuses(clips.get(name)!, mechanism.plugin, dimension));
    const refusal = drawsUnder(sampler, row.adjacency) ? uncovered() : 'the sampler has no amplification under the adjacency';
    return {
      refusal,
      check() {
        const curator = tinyCurator(row.adjacency, losses.get(row.loss)!.ref, JSON.stringify(row));
        const say = asking(curator);
        const run = (): Float64Array => {
          const batch = say({ ask: 'draw', sampler: sampler.ref, from: curator.allRecords });
          return say({ ask: 'mean', of: { terms: [{ weight: 1, at: new Float64Array(dimension).fill(0.25) }] }, batch, release });
        };
        if (refusal !== undefined) {
          const before = curator.spent();
          expect(run).toThrow(LetheError);
          expect(curator.spent()).toEqual(before);
          return;
        }
        const answer = run();
        expect(answer).toHaveLength(dimension);
        // An oracle may project the noisy value, so that entries are zero.
        expect(answer.every((x) => Number.isFinite(x) && (by === 'oracle' || x !== 0))).toBe(true);
        expect(curator.recorded()).toBe(2);
        expect(curator.spent().kind).not.toBe('core/free');
      },
    };
  },
});
