import {
  adjacencies,
  LetheError,
  meanShape,
  type Adjacency,
  type Clip,
  type Loss,
  type CentralMean,
  type MeanQuery,
  type Mechanism,
  type Sampler,
} from '@lethe/core';
import { expect } from 'vitest';
import { rowsOf, strengthOfRun } from './cells.js';
import { testGrid } from './grid.js';
import { clippedMean } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import {
  asking,
  drawsUnder,
  namesOf,
  partsOf,
  pointsOf,
  registry,
  slots,
  tinyCurator,
  type Part,
} from './parts.js';

const clips = partsOf<Clip>('clip');
const means = new Map(
  [...partsOf<CentralMean>('mean')].filter(
    ([name, { plugin }]) => plugin.trust === 'central' && name.split('#')[0] !== 'clipped',
  ),
);
const mechanisms = partsOf<Mechanism>('mechanism');
const samplers = partsOf<Sampler>('sampler');
const losses = partsOf<Loss>('loss');
/** Facts that certified means need; losses without them refuse the mean. */
const facts = { lipschitz: { value: 1, scope: 'every-record', provenance: 'declared' } } as const;
const bound = [
  ...namesOf(clips).map((name) => `clip ${name}`),
  ...namesOf(means).map((name) => `mean ${name}`),
];
const axes = {
  bound,
  mechanism: namesOf(mechanisms),
  sampler: namesOf(samplers),
  adjacency: adjacencies,
  loss: namesOf(losses),
};

/**
 * Expected reason for a refusal of a mean on a batch: it needs
 * an exact number of slots, unless a normaliser suffices.
 */
function meanRefuses(
  { plugin, params }: Part<CentralMean>,
  sampler: Part<Sampler>,
  dimension: number,
  adjacency: Adjacency,
): string | undefined {
  if (sampler.plugin.size !== 'exact' && plugin.hiddenSize !== true)
    return 'the mean needs a batch of known size';
  try {
    const covered = plugin.sensitivity(
      params as never,
      meanShape({
        dimension,
        slots: sampler.plugin.normaliser(sampler.params as never, slots),
        facts,
        registry,
      }),
    )[adjacency];
    return covered === undefined ? 'the mean has no sensitivity under the adjacency' : undefined;
  } catch (error) {
    if (error instanceof LetheError) return 'the mean declines this dimension, or so few slots';
    throw error;
  }
}

/** Expected reason for a refusal of noise on a clipped mean. */
function clipRefuses(
  { plugin, params }: Part<Clip>,
  { norm, numerics, scalar }: Mechanism,
  dimension: number,
): string | undefined {
  if (numerics === 'exact') return 'whole noise is added to what is not whole';
  if (scalar === true) return 'noise for one number is added to a vector';
  if (plugin.norm !== norm) return 'the noise is scaled to another norm than the clip';
  return (plugin.vectorLength?.(params as never) ?? dimension) === dimension
    ? undefined
    : 'the clip is for vectors of another length';
}

testGrid({
  axes,
  rows: rowsOf(axes, { strength: strengthOfRun }),
  by: 'bound',
  statement: 'answers with noise, and the ledger has one charge',
  cell(row) {
    const [by, name] = row.bound.split(' ') as ['clip' | 'mean', string];
    const mechanism = defined(mechanisms.get(row.mechanism));
    const sampler = defined(samplers.get(row.sampler));
    const target = { noiseMultiplier: 2 };
    const dimension = pointsOf(defined(losses.get(row.loss)));
    const asked: Pick<MeanQuery, 'mean' | 'target'> = {
      mean:
        by === 'clip'
          ? clippedMean({ clip: defined(clips.get(name)).ref, mechanism: mechanism.ref })
          : defined(means.get(name)).ref,
      target,
    };
    const uncovered = (): string | undefined =>
      by === 'mean'
        ? meanRefuses(defined(means.get(name)), sampler, dimension, row.adjacency)
        : clipRefuses(defined(clips.get(name)), mechanism.plugin, dimension);
    const refusal = drawsUnder(sampler, row.adjacency)
      ? uncovered()
      : 'the sampler has no amplification under the adjacency';
    return {
      refusal,
      check() {
        const curator = tinyCurator(row.adjacency, defined(losses.get(row.loss)).ref, JSON.stringify(row));
        const say = asking(curator);
        const run = (): Float64Array => {
          const batch = say({ ask: 'draw', sampler: sampler.ref, from: curator.allRecords });
          return say({
            ask: 'mean',
            of: { terms: [{ weight: 1, at: new Float64Array(dimension).fill(0.25) }] },
            batch,
            ...asked,
          });
        };
        if (refusal !== undefined) {
          const before = curator.spent();
          expect(run).toThrow(LetheError);
          expect(curator.spent()).toEqual(before);
          return;
        }
        const answer = run();
        expect(answer).toHaveLength(dimension);
        // A mean may project the noisy value, so that entries are zero.
        expect(answer.every((x) => Number.isFinite(x) && (by === 'mean' || x !== 0))).toBe(true);
        expect(curator.recorded()).toBe(2);
        expect(curator.spent().kind).not.toBe('core/free');
      },
    };
  },
});
