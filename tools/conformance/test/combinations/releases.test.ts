import { adjacencies, LetheError, type Adjacency, type Clip, type Loss, type MeanOracle, type MeanQuery, type Mechanism, type Sampler } from '@lethe/core';
import { describe, expect, test } from 'vitest';
import { rowsOf } from './cells.ts';
import { asking, dimension, drawsUnder, namesOf, partsOf, slots, tinyCurator, type Part } from './parts.ts';
import { printedTally } from './table.ts';

const clips = partsOf<Clip>('clip');
const oracles = partsOf<MeanOracle>('meanOracle');
const mechanisms = partsOf<Mechanism>('mechanism');
const samplers = partsOf<Sampler>('sampler');
const losses = partsOf<Loss>('loss');
const bound = [...namesOf(clips).map((name) => `clip ${name}`), ...namesOf(oracles).map((name) => `oracle ${name}`)];
const axes = { bound, mechanism: namesOf(mechanisms), sampler: namesOf(samplers), adjacency: adjacencies, loss: namesOf(losses) };
const tally = printedTally('bound, mechanism, sampler, adjacency and loss', axes);

/** An oracle knows its slots, so the size of its batch is exact unless it needs a normaliser only; it may decline this dimension, or so few slots. */
function oracleCovers({ plugin, params }: Part<MeanOracle>, sampler: Part<Sampler>, adjacency: Adjacency): boolean {
  if (sampler.plugin.size !== 'exact' && plugin.hiddenSize !== true) return false;
  try {
    return plugin.sensitivity(params as never, { dimension, slots: sampler.plugin.normaliser(sampler.params as never, slots) })[adjacency] !== undefined;
  } catch (error) {
    if (error instanceof LetheError) return false;
    throw error;
  }
}

/** A clip bounds in its norm, and vectors of its length where it has one; exact noise is whole, and a clipped mean is not. */
function clipCovers({ plugin, params }: Part<Clip>, { norm, numerics, scalar }: Mechanism): boolean {
  return plugin.norm === norm && numerics !== 'exact' && scalar !== true && (plugin.vectorLength?.(params as never) ?? dimension) === dimension;
}

describe.each(rowsOf(axes))('$bound × $mechanism × $sampler × $adjacency × $loss', (row) => {
  const [by, name] = row.bound.split(' ') as ['clip' | 'oracle', string];
  const { plugin: mechanism } = mechanisms.get(row.mechanism)!;
  const sampler = samplers.get(row.sampler)!;
  const target = { noiseMultiplier: 2 };
  const release: MeanQuery['release'] = by === 'clip'
    ? { by: 'noise', bound: { by: 'clip', clip: clips.get(name)!.ref }, noise: { mechanism: mechanisms.get(row.mechanism)!.ref, target } }
    : { by: 'oracle', oracle: oracles.get(name)!.ref, target };
  const sampled = drawsUnder(sampler, row.adjacency);
  const covered = by === 'oracle' ? oracleCovers(oracles.get(name)!, sampler, row.adjacency)
    : clipCovers(clips.get(name)!, mechanism);

  test(`${sampled && covered ? 'answers with noise, and the ledger has one charge' : 'is refused, and nothing is charged for it'}`, () => {
    for (const part of [row.bound, row.mechanism, row.sampler, row.loss]) tally.plugins.add(part);
    const curator = tinyCurator(row.adjacency, losses.get(row.loss)!.ref, JSON.stringify(row));
    const say = asking(curator);
    const run = (): Float64Array => {
      const batch = say({ ask: 'draw', sampler: sampler.ref, from: curator.everyone });
      return say({ ask: 'mean', of: { terms: [{ weight: 1, at: new Float64Array(dimension).fill(0.25) }] }, batch, release });
    };
    if (!sampled || !covered) {
      tally.refused++;
      const before = curator.spent();
      expect(run).toThrow(LetheError);
      expect(curator.spent()).toEqual(before);
      return;
    }
    tally.ran++;
    const answer = run();
    expect(answer).toHaveLength(dimension);
    // An oracle may project what is noisy, so that entries are zero again.
    expect(answer.every((x) => Number.isFinite(x) && (by === 'oracle' || x !== 0))).toBe(true);
    expect(curator.recorded()).toBe(2);
    expect(curator.spent().kind).not.toBe('core/free');
  });
});
