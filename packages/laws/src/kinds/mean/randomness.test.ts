import { seededRandom } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { enumerate } from '../../engines/exhaustive-random.js';
import { randomnessByRecord } from './randomness-by-record.js';
import { spreadMean } from './spread-mean.js';

describe('randomnessByRecord', () => {
  const randomness = seededRandom('coins');

  it('gives a record the same randomness whatever those before it used', () => {
    const after = (draws: number): number => {
      const { random, turn } = randomnessByRecord(randomness);
      const stream = random.fork('rounding');
      turn(0);
      for (let i = 0; i < draws; i++) stream.uniform();
      turn(1);
      return stream.uniform();
    };
    expect(after(0)).toBe(after(7));
  });

  it('gives other records other randomness, and a fork made again the same ones', () => {
    const { random, turn, drew } = randomnessByRecord(randomness);
    const matrix = random.fork('matrix').bits32();
    const stream = random.fork('rounding');
    const seen = [0, 1, 2].map((slot) => {
      turn(slot);
      return stream.bits53();
    });
    expect(new Set(seen).size).toBe(3);
    expect(random.fork('matrix').bits32()).toBe(matrix);
    expect(drew()).toBe(5);
  });

  it('can be enumerated', () => {
    const outcomes = enumerate((random) => {
      const { random: ofRecord, turn } = randomnessByRecord(random);
      const sign = ofRecord.fork('sign').integer(2);
      turn(0);
      return 2 * sign + ofRecord.integer(2);
    });
    expect(outcomes?.map(({ value }) => value).toSorted()).toEqual([0, 1, 2, 3]);
  });
});

describe('spreadMean', () => {
  /**
   * Worst laws of the null: the mean at its bound, with spread
   * from rare and large values, or small and frequent ones.
   */
  const laws = [
    [0.5, 1],
    [0.02, 7],
    [0.98, 1 / 7],
  ] as const;

  it('raises false alarms no more often than it says', () => {
    const alpha = 0.01;
    const replicates = 1_000;
    for (const [k, [probability, up]] of laws.entries()) {
      // Mean 0 and variance 1: `up` with `probability`, else what balances it.
      const down = (-probability * up) / (1 - probability);
      const deviation = Math.sqrt(probability * up * up + (1 - probability) * down * down);
      let alarms = 0;
      for (let i = 0; i < replicates; i++) {
        const random = seededRandom(`null ${k} ${i}`);
        const process = spreadMean({ atMost: 0.3, variance: 1, horizon: 500, alpha });
        for (let t = 0; t < 500; t++)
          process.push(0.3 + (random.uniform() < probability ? up : down) / deviation);
        if (process.rejects(alpha)) alarms++;
      }
      // More than 40 of 1 000 have probability below 1e-11 at rate 0.01.
      expect(alarms).toBeLessThanOrEqual(40);
    }
  });

  it('finds a mean half a standard deviation too large', () => {
    const alpha = 1e-10;
    const random = seededRandom('power');
    const process = spreadMean({ atMost: 0.3, variance: 1, horizon: 1_500, alpha });
    const noise = random.gaussianInto(new Float64Array(1_500));
    const at = noise.findIndex((x) => {
      process.push(0.8 + x);
      return process.rejects(alpha);
    });
    expect(at).toBeGreaterThan(100);
    expect(at).toBeLessThan(600);
  });
});
