import { adjacencies, LetheError, seededRandom, Unsupported, type Accountant, type Adjacency, type Mechanism, type PrivacyEvent, type Sampler } from '@lethe/core';
import { l2Clip } from '@lethe/mechanisms';
import { squared } from '@lethe/losses';
import { describe, expect, test } from 'vitest';
import { rowsOf } from './cells.ts';
import { asking, dimension, drawsUnder, namesOf, partsOf, tinyCurator } from './parts.ts';
import { printedTally } from './table.ts';

const accountants = partsOf<Accountant>('accountant');
const samplers = partsOf<Sampler>('sampler');
const mechanisms = partsOf<Mechanism>('mechanism');
const axes = { accountant: namesOf(accountants), sampler: namesOf(samplers), adjacency: adjacencies, mechanism: namesOf(mechanisms) };
const tally = printedTally('accountant, sampler, adjacency and mechanism', axes);
const noiseMultiplier = 1.5;
const epsilons = [0, 0.1, 1, 4];

/** What one release of a batch of this sampler is charged, by the curator's own word. In one coordinate every norm is the same. */
function charged(sampler: string, mechanism: string, adjacency: Adjacency): PrivacyEvent {
  const curator = tinyCurator(adjacency, squared({}), 'combinations');
  const say = asking(curator);
  const batch = say({ ask: 'draw', sampler: samplers.get(sampler)!.ref, from: curator.everyone });
  say({
    ask: 'mean', of: { terms: [{ weight: 1, at: new Float64Array(dimension) }], coordinates: Uint32Array.of(0) }, batch,
    release: { by: 'noise', bound: { by: 'clip', clip: l2Clip({ radius: 1 }) }, noise: { mechanism: mechanisms.get(mechanism)!.ref, target: { noiseMultiplier } } },
  });
  say({ ask: 'close', batch });
  return curator.spent();
}

/** What the same noise costs on everyone. */
const unsampled = (mechanism: string, adjacency: Adjacency): PrivacyEvent => {
  const { plugin, params } = mechanisms.get(mechanism)!;
  return plugin.event(params as never, noiseMultiplier, { [adjacency]: 1 });
};

const upperOrRefusal = (run: () => number): number | LetheError => {
  try {
    return run();
  } catch (error) {
    if (error instanceof LetheError) return error;
    throw error;
  }
};

/**
 * A record that is drawn twice may cost more than one that is there once. And what is inside a batch of fixed size is accounted under replace-one
 * even where records are nulled: the least of that and of everybody's cost is a curve, which no pair has.
 */
function mayCostMore(event: PrivacyEvent, { wants }: Accountant, adjacency: Adjacency): boolean {
  const text = JSON.stringify(event);
  return text.includes('"core/fixed-size"') && (text.includes('"replacement":true') || (adjacency === 'zero-out' && wants.includes('pair')));
}

describe.each(rowsOf(axes, { strength: 'cartesian' }))('$accountant × $sampler × $adjacency × $mechanism', ({ accountant, sampler, adjacency, mechanism }) => {
  const { plugin } = accountants.get(accountant)!;
  const isDeclared = drawsUnder(samplers.get(sampler)!, adjacency);
  const { norm, numerics } = mechanisms.get(mechanism)!.plugin;
  // Exact noise is whole, and a clipped mean is not.
  const fits = norm === 'l2' && numerics !== 'exact';

  test(`${isDeclared && fits ? 'costs what can be accounted, never more than without sampling' : 'is refused before anything is charged'}`, () => {
    for (const part of [accountant, sampler, mechanism]) tally.plugins.add(part);
    if (!isDeclared || !fits) {
      tally.refused++;
      expect(() => charged(sampler, mechanism, adjacency)).toThrow(LetheError);
      return;
    }
    tally.ran++;
    const event = charged(sampler, mechanism, adjacency);
    for (const epsilon of epsilons) {
      const sampled = upperOrRefusal(() => plugin.delta(event, { adjacency, epsilon }).upper);
      const whole = upperOrRefusal(() => plugin.delta(unsampled(mechanism, adjacency), { adjacency, epsilon }).upper);
      if (sampled instanceof LetheError) {
        expect(sampled).toBeInstanceOf(Unsupported);
        continue;
      }
      expect(sampled).toBeGreaterThanOrEqual(0);
      expect(sampled).toBeLessThanOrEqual(1);
      if (typeof whole === 'number' && !mayCostMore(event, plugin, adjacency)) expect(sampled).toBeLessThanOrEqual(whole * (1 + 1e-9) + 1e-300);
      for (const [name, other] of accountants) {
        const lower = upperOrRefusal(() => other.plugin.delta(event, { adjacency, epsilon }).lower);
        if (typeof lower === 'number') expect(lower, `${name} says more is lost than ${accountant} allows`).toBeLessThanOrEqual(sampled);
      }
    }
  });
});

test('the coins of the curator decide who is drawn, not what it costs', () => {
  const event = (seed: string): PrivacyEvent => {
    const curator = tinyCurator('zero-out', squared({}), seed);
    const say = asking(curator);
    say({ ask: 'close', batch: say({ ask: 'draw', sampler: [...samplers.values()][0]!.ref, from: curator.everyone }) });
    return curator.spent();
  };
  expect(event('a')).toEqual(event(String(seededRandom('b').bits32())));
});
