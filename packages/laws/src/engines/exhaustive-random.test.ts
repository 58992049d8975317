import { defined, permutation, poissonSample, publicCoins, sampleWithoutReplacement } from '@lethe/numerics';
import { Unsupported } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { counts, enumerate, gapAtoms, probabilities, uniformCells } from './exhaustive-random.js';

const text = (values: ArrayLike<number>): string => Array.from(values).join(' ');
const even = (values: number): readonly number[] => Array.from({ length: values }, () => 1);

describe('integer draws of core', () => {
  it('a permutation: each of 4! once', () => {
    const all = defined(counts(defined(enumerate((random) => permutation(random, 4))), text));
    expect(all.of).toBe(24);
    expect([...all.counts.values()]).toEqual(even(24));
  });
  it.each([
    [5, 2, 20],
    [20, 2, 380],
  ])(
    '%i records, %i of them without replacement: %i ordered choices, whichever algorithm core picks',
    (n, k, choices) => {
      const all = defined(
        counts(defined(enumerate((random) => sampleWithoutReplacement(random, n, k))), text),
      );
      expect(all.counts.size).toBe(choices);
      expect([...all.counts.values()]).toEqual(even(choices));
    },
  );
  it('bytes', () =>
    expect(defined(counts(defined(enumerate((random) => random.bytes(1)[0] & 3)), String)).counts).toEqual(
      new Map([
        ['0', 64],
        ['1', 64],
        ['2', 64],
        ['3', 64],
      ]),
    ));
  it('a naive shuffle is not uniform', () => {
    const naive = defined(
      enumerate((random) => {
        const a = [0, 1, 2];
        for (let i = 0; i < 3; i++) {
          const j = random.integer(3);
          [a[i], a[j]] = [a[j], a[i]];
        }
        return a;
      }),
    );
    expect(new Set(defined(counts(naive, text)).counts.values())).toEqual(new Set([4, 5]));
  });
});

describe('probabilities', () => {
  it('of paths of different length are exact', () => {
    const outcomes = defined(
      enumerate((random) => (random.integer(3) === 0 ? 'a' : `b${random.integer(2)}`)),
    );
    expect(outcomes).toEqual([
      { value: 'a', probability: 1 / 3, outOf: 3 },
      ...['b0', 'b1', 'b0', 'b1'].map((value) => ({ value, probability: 1 / 6, outOf: 6 })),
    ]);
    expect(counts(outcomes, String)).toBeNull();
    expect(probabilities(outcomes, (value) => value[0]).get('b')).toBeCloseTo(2 / 3, 15);
  });
  it('one outcome without choices', () =>
    expect(enumerate((random) => random.integer(1))).toEqual([{ value: 0, probability: 1, outOf: 1 }]));
  it('of uniforms in cells', () => {
    const outcomes = defined(enumerate((random) => random.uniform() < 0.25, { uniform: uniformCells(4) }));
    expect(probabilities(outcomes, String)).toEqual(
      new Map([
        ['true', 0.25],
        ['false', 0.75],
      ]),
    );
    expect(outcomes[0].outOf).toBeNull();
  });
  it.each([
    [4, 0.3],
    [3, 0.5],
    [4, 0.01],
    [2, 1],
    [2, 0],
  ])('of a Poisson sample of %i rows at rate %d: rows are independent', (rows, rate) => {
    const outcomes = defined(
      enumerate((random) => poissonSample(random, rows, rate), { laplace: gapAtoms(rate, rows) }),
    );
    const sets = probabilities(outcomes, text);
    expect(sets.size).toBe(rate === 0 || rate === 1 ? 1 : 2 ** rows);
    for (const [set, probability] of sets) {
      const taken = set === '' ? 0 : set.split(' ').length;
      expect(Math.abs(probability - rate ** taken * (1 - rate) ** (rows - taken))).toBeLessThan(1e-14);
    }
  });
});

describe('forks', () => {
  it('with equal labels restart the same stream', () => {
    const outcomes = defined(
      enumerate((random) => [random.fork('a').integer(3), random.fork('a').integer(3)]),
    );
    expect(outcomes.map(({ value }) => value)).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ]);
  });
  it('with different labels (numbers differ from strings) are independent of each other and the parent', () => {
    const outcomes = defined(
      enumerate((random) => [
        random.integer(2),
        random.fork('1').integer(2),
        random.fork(1).integer(2),
        random.fork('1').fork('1').integer(2),
      ]),
    );
    expect(new Set(outcomes.map(({ value }) => text(value))).size).toBe(16);
  });
  it('do not depend on draws of the parent', () => {
    const outcomes = defined(
      enumerate((random) => {
        const a = random.fork('a').integer(2);
        random.integer(2);
        return [a, random.fork('a').integer(2)];
      }),
    );
    expect(outcomes).toHaveLength(4);
    for (const {
      value: [a, b],
    } of outcomes)
      expect(a).toBe(b);
  });
  it('with two different draws from one stream cannot be enumerated', () => {
    expect(enumerate((random) => random.fork('a').integer(2) + random.fork('a').integer(3))).toBeNull();
    expect(enumerate((random) => random.fork('a').integer(1) + random.fork('a').integer(3))).toBeNull();
  });
});

describe('code without enumeration', () => {
  it.each<[string, Parameters<typeof enumerate>[0]]>([
    ['a uniform', (random) => random.uniform()],
    ['bits', (random) => random.bits32()],
    ['many bits', (random) => random.bits53()],
    ['an exponential', (random) => random.exponential()],
    ['Gaussian noise', (random) => random.gaussianInto(new Float64Array(1))],
    ['Laplace noise', (random) => random.laplaceInto(new Float64Array(1))],
    ['a key', (random) => publicCoins(random).integer(2)],
    ['two bytes', (random) => random.bytes(2)],
    ['one of very many', (random) => random.integer(2 ** 50)],
    [
      'rejection',
      (random) => {
        while (random.integer(2) === 0);
      },
    ],
    [
      'a draw whose refusal is swallowed',
      (random) => {
        try {
          random.uniform();
        } catch {
          /* a plugin may do so */
        }
      },
    ],
  ])('%s', (_, run) => expect(enumerate(run)).toBeNull());
  it('more outcomes than the limit, to the one', () => {
    const run = (random: { integer(below: number): number }): number =>
      random.integer(2) === 0 ? random.integer(3) : random.integer(4);
    expect(enumerate(run, { limit: 7 })).toHaveLength(7);
    expect(enumerate(run, { limit: 6 })).toBeNull();
  });
});

describe('code that does not depend on its source alone', () => {
  it('is detected by a different draw', () => {
    let calls = 0;
    expect(() => enumerate((random) => random.integer(calls++ % 2 === 0 ? 2 : 3))).toThrow(Unsupported);
  });
  it('is detected by a missing draw', () => {
    let calls = 0;
    expect(() => enumerate((random) => (calls++ < 2 ? [random.integer(2), random.integer(2)] : 0))).toThrow(
      Unsupported,
    );
  });
  it('rethrows its own errors', () =>
    expect(() =>
      enumerate((random) => {
        if (random.integer(4) === 3) throw new RangeError('own');
      }),
    ).toThrow(RangeError));
});
