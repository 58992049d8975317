import { InvalidParameter, seededRandom } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { gaussians } from '../../test/evidence.js';
import {
  atomWitness,
  auditedPair,
  histogramWitness,
  knownEvent,
  knownRatio,
  learnedWitness,
  projections,
  usualWitnesses,
} from './index.js';

const taught = <W extends { learn(x: ArrayLike<number>, y: ArrayLike<number>): void }>(
  witness: W,
  pairs: readonly (readonly [ArrayLike<number>, ArrayLike<number>])[],
): W => {
  for (const [x, y] of pairs) witness.learn(x, y);
  return witness;
};

describe('histogram', () => {
  it('gives score 0 before its warm-up, then that of its counts', () => {
    const witness = histogramWitness({ bins: 2, warmUp: 3 });
    taught(witness, [
      [[0], [1]],
      [[0], [1]],
    ]);
    expect([witness.ready, witness.score([0])]).toEqual([false, 0]);
    taught(witness, [
      [[1], [1]],
      [[0], [0]],
    ]);
    expect(witness.ready).toBe(true);
    expect(witness.score([-7])).toBeCloseTo(Math.log(3.5 / 1.5), 14);
    expect(witness.score([0])).toBe(witness.score([-7]));
    expect(witness.score([1])).toBeCloseTo(Math.log(1.5 / 3.5), 14);
    expect(witness.score([7])).toBe(0);
  });

  it('gives a rare value its own bin, once it repeats', () => {
    const rare = Array.from({ length: 100 }, (_, i) => [[i < 2 ? 0 : 1], [1]] as const);
    const witness = taught(histogramWitness({ bins: 4, warmUp: 100 }), rare);
    expect(witness.score([0])).toBeCloseTo(Math.log(2.5 / 0.5), 14);
    expect(witness.score([0.9])).toBe(witness.score([1]));
  });

  it('treats NaN and infinities as ordinary values', () => {
    const witness = taught(histogramWitness({ bins: 4, warmUp: 1 }), [
      [[NaN], [0]],
      [[NaN], [1]],
      [[Infinity], [-Infinity]],
    ]);
    expect(witness.score([NaN])).toBeCloseTo(Math.log(2.5 / 0.5), 14);
    expect(witness.score([Infinity])).toBeGreaterThan(witness.score([-Infinity]));
  });
});

describe('atoms', () => {
  it('are values that repeat, bit by bit, in one coordinate', () => {
    const witness = atomWitness();
    taught(witness, [
      [
        [0.1, 7],
        [0.2, 8],
      ],
      [
        [0.3, 9],
        [0.4, 10],
      ],
    ]);
    expect(witness.ready).toBe(false);
    taught(witness, [
      [
        [0.5, 7],
        [0.6, 11],
      ],
    ]);
    expect(witness.ready).toBe(true);
    expect(witness.score([99, 7])).toBeCloseTo(Math.log(2.5 / 0.5), 14);
    expect(witness.score([0.1, 8])).toBe(0);
    expect(witness.score([7, 0.1])).toBe(0);
  });

  it('distinguish the zeros and NaN', () => {
    const witness = taught(atomWitness(), [
      [[-0], [0]],
      [[-0], [0]],
      [[NaN], [1]],
      [[NaN], [2]],
    ]);
    expect([-0, 0, NaN].map((y) => Math.sign(witness.score([y])))).toEqual([1, -1, 1]);
  });

  it('use another witness for the rest, and have limited memory', () => {
    const witness = taught(atomWitness({ memory: 2, otherwise: knownRatio(() => 0.25) }), [
      [[1], [2]],
      [[3], [3]],
      [[3], [3]],
    ]);
    expect([witness.ready, witness.score([3]), witness.score([4])]).toEqual([false, 0.25, 0.25]);
    taught(witness, [[[1], [2]]]);
    expect(witness.score([1])).toBeGreaterThan(0);
  });
});

describe('a learned direction', () => {
  it('is one that separates: location across coordinates, or size', () => {
    const next = gaussians(seededRandom('direction'));
    const pair = (): [number[], number[]] => [
      [next() + 2, next() - 2],
      [2 * next(), 2 * next()],
    ];
    const witness = taught(
      learnedWitness({ dimension: 2, train: 300, warmUp: 300 }),
      Array.from({ length: 1500 }, pair),
    );
    const right = Array.from({ length: 300 }, pair).filter(
      ([x, y]) => witness.score(x) > 0 && witness.score(y) < 0,
    ).length;
    expect(right).toBeGreaterThan(150);
  });

  it('handles outputs that are constant, infinite or NaN', () => {
    const witness = taught(
      learnedWitness({ dimension: 3, train: 3, warmUp: 2 }),
      Array.from(
        { length: 8 },
        (_, i) =>
          [
            [0, Infinity, NaN],
            [0, i, -Infinity],
          ] as const,
      ),
    );
    expect(witness.ready).toBe(true);
    expect(witness.score([0, Infinity, NaN])).not.toBeNaN();
  });
});

describe('an audited pair', () => {
  const pure = (epsilon: number): number => (epsilon >= 1 ? 0 : 0.1);
  it('names the witness and the direction of the difference', () => {
    const pair = auditedPair({
      profile: pure,
      epsilons: [0.5, 1],
      witnesses: [knownRatio(() => 0), knownRatio((y) => (y[0] === 1 ? -9 : 9))],
    });
    for (let i = 0; i < 200; i++) pair.push(0, 1);
    expect(pair.rejects(1e-10)).toBe(true);
    expect(pair.strongest).toMatchObject({ witness: 'known ratio', logE: expect.any(Number) });
    const oneWay = auditedPair({
      profile: pure,
      epsilons: [1],
      witnesses: [knownEvent('a one', (y) => y[0] === 1)],
    });
    for (let i = 0; i < 200; i++) oneWay.push(1, 0);
    expect(oneWay.strongest).toMatchObject({ witness: 'a one', epsilon: 1, direction: 'P over Q' });
    const other = auditedPair({
      profile: pure,
      epsilons: [1],
      witnesses: [knownRatio((y) => (y[0] === 1 ? -Infinity : 0))],
    });
    for (let i = 0; i < 200; i++) other.push(0, 1);
    expect(other.strongest.direction).toBe('Q over P');
    expect(other.rejects(1e-6)).toBe(true);
  });

  it('does not bet before a witness is ready', () => {
    const pair = auditedPair({ profile: () => 0, witnesses: [histogramWitness({ warmUp: 50, bins: 2 })] });
    for (let i = 0; i < 50; i++) pair.push(0, 1);
    expect(pair).toMatchObject({ logE: expect.closeTo(0, 14), peak: expect.closeTo(0, 14), samples: 50 });
    for (let i = 0; i < 2500; i++) pair.push(0, 1);
    expect(pair.rejects(1e-10)).toBe(true);
  });

  it('refuses empty tests, and profiles that are not probabilities', () => {
    for (const options of [
      { profile: pure, witnesses: [] },
      { profile: () => 1, witnesses: usualWitnesses(1) },
      { profile: () => NaN, witnesses: usualWitnesses(1) },
      { profile: () => -0.1, witnesses: usualWitnesses(1) },
      { profile: pure, epsilons: [-1], witnesses: usualWitnesses(1) },
    ]) {
      expect(() => auditedPair(options)).toThrow(InvalidParameter);
    }
  });
});

it('projections name their statistic', () => {
  expect(projections(1).map(({ name }) => name)).toEqual(['coordinate 0']);
  expect(projections(3).map(({ name }) => name)).toEqual([
    'coordinate 0',
    'coordinate 1',
    'coordinate 2',
    'sum',
    'largest',
    'smallest',
    'squared length',
  ]);
  expect(
    projections(9)
      .map(({ name }) => name)
      .slice(0, 2),
  ).toEqual(['coordinate 0', 'coordinate 8']);
  const [, , sum, largest, smallest, square] = projections(2, { bins: 2, warmUp: 2 }).map((witness) =>
    taught(
      witness,
      Array.from(
        { length: 20 },
        () =>
          [
            [5, -1],
            [0, 1],
          ] as const,
      ),
    ),
  );
  for (const witness of [sum, largest, square])
    expect(witness.score([5, -1])).toBeGreaterThan(witness.score([0, 1]));
  expect(smallest.score([5, -1])).toBeGreaterThan(smallest.score([0, 1]));
});
