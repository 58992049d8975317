import { InvalidParameter, seededRandom, type Ref } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { outcomeTree } from '../../test/support/outcome-tree.js';
import { gapMargin } from '../../test/support/distribution.js';
import { l2Clip } from '../clips/l2-clip.js';
import { runShuffle, shuffleMessages } from './run-shuffle.js';
import { shuffledMedianOfMeans } from './shuffled-median-of-means.js';
import { shuffledVectorSum } from './shuffled-vector-sum.js';

const records = Array.from({ length: 12 }, (_, i) =>
  Float64Array.of(0.1 * i - 0.5, i % 3 === 0 ? 0.9 : -0.2),
);
const context = { dimension: 2, users: 12, honestUsers: 12, target: { epsilon: 15, delta: 0.25 } };

describe('shuffleMessages', () => {
  it('gives every order with the same probability, exactly', () => {
    const { probabilities } = outcomeTree(
      (random) => shuffleMessages([Uint32Array.of(7, 8), Uint32Array.of(9)], random).join(' '),
      2 ** -60,
    );
    expect([...probabilities.keys()].toSorted()).toEqual([
      '7 8 9',
      '7 9 8',
      '8 7 9',
      '8 9 7',
      '9 7 8',
      '9 8 7',
    ]);
    for (const probability of probabilities.values()) expect(probability).toBeCloseTo(1 / 6, 15);
  });
});

describe('runShuffle', () => {
  it('says what it cost, and gives the same again from the same source', () => {
    const once = runShuffle({
      randomiser: shuffledVectorSum({ radius: 1 }),
      records,
      context,
      random: seededRandom('run'),
    });
    expect(once.event).toMatchObject({ kind: 'core/shuffled', honestUsers: 12 });
    expect(
      runShuffle({
        randomiser: shuffledVectorSum({ radius: 1 }),
        records,
        context,
        random: seededRandom('run'),
      }),
    ).toEqual(once);
    expect(
      runShuffle({
        randomiser: shuffledVectorSum({ radius: 1 }),
        records,
        context,
        random: seededRandom('other'),
      }).sum,
    ).not.toEqual(once.sum);
  });

  it('refuses records that do not fit, and what is no randomiser', () => {
    const randomiser = shuffledVectorSum({ radius: 1 });
    const random = seededRandom('refused');
    const run = runShuffle;
    expect(() => run({ randomiser, records: records.slice(1), context, random })).toThrow(InvalidParameter);
    expect(() => run({ randomiser, records: records.with(3, new Float64Array(3)), context, random })).toThrow(
      InvalidParameter,
    );
    expect(() =>
      run({
        randomiser: l2Clip({ radius: 1 }) as unknown as Ref<'localRandomiser'>,
        records,
        context,
        random,
      }),
    ).toThrow(InvalidParameter);
    expect(() => run({ randomiser: { ...randomiser }, records, context, random })).toThrow(InvalidParameter);
  });
});

describe('simulateSum', () => {
  it('has the law of the whole protocol', () => {
    const draws = 1000;
    for (const [plugin, params, randomiser] of [
      [shuffledVectorSum, { radius: 1 }, shuffledVectorSum({ radius: 1 })],
      [shuffledMedianOfMeans, { bound: 1, groups: 2 }, shuffledMedianOfMeans({ bound: 1, groups: 2 })],
    ] as const) {
      const random = seededRandom('law');
      const whole = Array.from(
        { length: draws },
        (_, i) => runShuffle({ randomiser, records, context, random: random.fork(2 * i) }).sum,
      );
      const fast = Array.from({ length: draws }, (_, i) =>
        defined(plugin.simulateSum)(params as never, context, records, random.fork(2 * i + 1)),
      );
      for (const j of [0, 1]) {
        const [a, b] = [whole, fast].map((sums) => Float64Array.from(sums, (sum) => sum[j]).toSorted());
        const below = (sorted: Float64Array, x: number): number =>
          sorted.filter((y) => y <= x).length / draws;
        const gap = a
          .filter((_, i) => i % 10 === 0)
          .reduce((most, x) => Math.max(most, Math.abs(below(a, x) - below(b, x))), 0);
        expect(gap).toBeLessThan(2 * gapMargin(draws));
      }
    }
  });

  it('takes one record of each user', () => {
    for (const given of [records.slice(1), [...records, records[0]], records.with(3, new Float64Array(3))]) {
      expect(() =>
        defined(shuffledVectorSum.simulateSum)({ radius: 1 }, context, given, seededRandom('odd')),
      ).toThrow(InvalidParameter);
    }
  });
});
