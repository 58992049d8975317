import {
  adjacencies,
  LetheError,
  seededRandom,
  Unsupported,
  type Accountant,
  type Adjacency,
  type Mechanism,
  type PrivacyEvent,
  type Sampler,
} from '@lethe/core';
import { clippedMean, l2Clip } from '@lethe/mechanisms';
import { squared } from '@lethe/losses';
import { defined } from '@lethe/numerics';
import { expect, test } from 'vitest';
import { rowsOf } from './cells.js';
import { testGrid } from './grid.js';
import { asking, dimension, drawsUnder, namesOf, partsOf, tinyCurator } from './parts.js';

const accountants = partsOf<Accountant>('accountant');
const samplers = partsOf<Sampler>('sampler');
const mechanisms = partsOf<Mechanism>('mechanism');
const axes = {
  accountant: namesOf(accountants),
  sampler: namesOf(samplers),
  adjacency: adjacencies,
  mechanism: namesOf(mechanisms),
};
const noiseMultiplier = 1.5;
const epsilons = [0, 0.1, 1, 4];

/** The curator's charge for one release on a batch of this sampler. In one coordinate all norms are equal. */
function charged(sampler: string, mechanism: string, adjacency: Adjacency): PrivacyEvent {
  const curator = tinyCurator(adjacency, squared({}), 'combinations');
  const say = asking(curator);
  const batch = say({ ask: 'draw', sampler: defined(samplers.get(sampler)).ref, from: curator.allRecords });
  say({
    ask: 'mean',
    of: { terms: [{ weight: 1, at: new Float64Array(dimension) }], coordinates: Uint32Array.of(0) },
    batch,
    mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: defined(mechanisms.get(mechanism)).ref }),
    target: { noiseMultiplier },
  });
  say({ ask: 'close', batch });
  return curator.spent();
}

/** The charge of the same noise on all records. */
const unsampled = (mechanism: string, adjacency: Adjacency): PrivacyEvent => {
  const { plugin, params } = defined(mechanisms.get(mechanism));
  return plugin.event(params as never, noiseMultiplier, { [adjacency]: 1 });
};

const orRefusal = <T>(run: () => T): T | LetheError => {
  try {
    return run();
  } catch (error) {
    if (error instanceof LetheError) return error;
    throw error;
  }
};

/**
 * Earlier results, by arguments: charges do not depend on the accountant, answers are compared with each
 * other, and many samplers and mechanisms have one event.
 */
function once<Args extends readonly unknown[], T>(find: (...args: Args) => T): (...args: Args) => T {
  const known = new Map<string, T>();
  return (...args) => {
    const key = JSON.stringify(args);
    if (!known.has(key)) known.set(key, find(...args));
    return defined(known.get(key));
  };
}

const chargedOnce = once((sampler: string, mechanism: string, adjacency: Adjacency) =>
  orRefusal(() => charged(sampler, mechanism, adjacency)),
);
const answerOnce = once((accountant: string, event: PrivacyEvent, adjacency: Adjacency, epsilon: number) =>
  orRefusal(() => defined(accountants.get(accountant)).plugin.delta(event, { adjacency, epsilon })),
);

/**
 * A record that is drawn twice may cost more than one that is there once. And what is inside a batch of fixed
 * size is accounted under replace-one even where records are nulled: the least of that and of everybody's
 * cost is a curve, which no pair has.
 */
function mayCostMore(event: PrivacyEvent, { wants }: Accountant, adjacency: Adjacency): boolean {
  const text = JSON.stringify(event);
  return (
    text.includes('"core/fixed-size"') &&
    (text.includes('"replacement":true') || (adjacency === 'zero-out' && wants.includes('pair')))
  );
}

/** Why a curator lets nothing be drawn and released so. Exact noise is whole, and a clipped mean is not. */
function refusalOf(sampler: string, mechanism: string, adjacency: Adjacency): string | undefined {
  const { norm, numerics } = defined(mechanisms.get(mechanism)).plugin;
  if (!drawsUnder(defined(samplers.get(sampler)), adjacency))
    return 'the sampler has no amplification under the adjacency';
  if (numerics === 'exact') return 'whole noise is added to what is not whole';
  return norm === 'l2' ? undefined : 'the noise is scaled to another norm than the clip';
}

/** The cost is at most that without sampling, and no accountant's lower end exceeds another's upper end. */
function expectAccounted(name: string, sampler: string, adjacency: Adjacency, mechanism: string): void {
  const { plugin } = defined(accountants.get(name));
  const event = chargedOnce(sampler, mechanism, adjacency);
  if (event instanceof LetheError) throw event;
  for (const epsilon of epsilons) {
    const answer = answerOnce(name, event, adjacency, epsilon);
    const whole = answerOnce(name, unsampled(mechanism, adjacency), adjacency, epsilon);
    if (answer instanceof LetheError) {
      expect(answer).toBeInstanceOf(Unsupported);
      continue;
    }
    const sampled = answer.upper;
    expect(sampled).toBeGreaterThanOrEqual(0);
    expect(sampled).toBeLessThanOrEqual(1);
    if (!(whole instanceof LetheError) && !mayCostMore(event, plugin, adjacency))
      expect(sampled).toBeLessThanOrEqual(whole.upper * (1 + 1e-9) + 1e-300);
    for (const other of accountants.keys()) {
      const others = answerOnce(other, event, adjacency, epsilon);
      if (!(others instanceof LetheError))
        expect(others.lower, `${other} says more is lost than ${name} allows`).toBeLessThanOrEqual(sampled);
    }
  }
}

testGrid({
  axes,
  rows: rowsOf(axes, { strength: 'cartesian' }),
  by: 'accountant',
  statement: 'accounts for no more than without sampling',
  cell({ accountant, sampler, adjacency, mechanism }) {
    const refusal = refusalOf(sampler, mechanism, adjacency);
    return {
      refusal,
      check() {
        if (refusal === undefined) expectAccounted(accountant, sampler, adjacency, mechanism);
        else expect(chargedOnce(sampler, mechanism, adjacency)).toBeInstanceOf(LetheError);
      },
    };
  },
});

test("the curator's randomness determines the members of a draw, not its cost", () => {
  const event = (seed: string): PrivacyEvent => {
    const curator = tinyCurator('zero-out', squared({}), seed);
    const say = asking(curator);
    say({
      ask: 'close',
      batch: say({ ask: 'draw', sampler: [...samplers.values()][0].ref, from: curator.allRecords }),
    });
    return curator.spent();
  };
  expect(event('a')).toEqual(event(String(seededRandom('b').bits32())));
});
