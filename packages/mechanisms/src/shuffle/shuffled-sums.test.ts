import { InvalidParameter, seededRandom, Unsupported, type ShuffleContext } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, positive, vectorOf } from '../../test/support/arbitraries.js';
import { norm } from '../../test/support/discrete-distribution.js';
import { shuffledMedianOfMeans } from './shuffled-median-of-means.js';
import { shuffledScalarSum } from './shuffled-scalar-sum.js';
import { shuffledVectorSum } from './shuffled-vector-sum.js';

const contextOf = (dimension: number, users: number, more: Partial<ShuffleContext> = {}): ShuffleContext => ({
  dimension,
  users,
  honestUsers: users,
  target: { epsilon: 2, delta: 1e-6 },
  ...more,
});
const all = [
  [shuffledScalarSum, { lower: 0, upper: 1 }, 1],
  [shuffledVectorSum, { radius: 1 }, 3],
  [shuffledMedianOfMeans, { bound: 1, groups: 3 }, 3],
] as const;

describe.each(all)('%o', (randomiser, params, dimension) => {
  const messages = (context: ShuffleContext): number => randomiser.messageCount(params as never, context);

  it('sends bits of every coordinate, and fair bits', () => {
    const context = contextOf(dimension, 64);
    const sent = randomiser.randomise(
      params as never,
      context,
      new Float64Array(dimension).fill(0.3),
      seededRandom('bits'),
    );
    expect(sent.length).toBe(messages(context));
    expect(new Set(sent)).toEqual(
      new Set(Array.from({ length: Math.max(...sent) + 1 }, (_, value) => value)),
    );
  });

  it('has honest users bring all fair bits: with half as many, each brings twice', () => {
    const allRecords = messages(contextOf(dimension, 1000));
    const half = messages(contextOf(dimension, 1000, { honestUsers: 500 }));
    const data = messages(contextOf(dimension, 1000, { target: { epsilon: 15, delta: 0.49 } }));
    expect(half).toBeGreaterThan(2 * allRecords - data);
    expect(half).toBeLessThanOrEqual(2 * allRecords);
  });

  it('claims the target among the honest, and refuses what is not proved', () => {
    expect(randomiser.event(params as never, contextOf(dimension, 100, { honestUsers: 70 }))).toEqual({
      kind: 'core/shuffled',
      v: 1,
      epsilon: 2,
      delta: 1e-6,
      honestUsers: 70,
    });
    const event = (more: Partial<ShuffleContext>) => () =>
      randomiser.event(params as never, contextOf(dimension, 100, more));
    expect(event({ target: { epsilon: 15.01, delta: 1e-6 } })).toThrow(Unsupported);
    for (const target of [{ rho: 1 }, { noiseMultiplier: 1 }, { unprotected: true as const }])
      expect(event({ target })).toThrow(Unsupported);
    for (const delta of [0, 0.5, 1, Number.NaN])
      expect(event({ target: { epsilon: 1, delta } })).toThrow(InvalidParameter);
    expect(event({ target: { epsilon: 1e-5, delta: 1e-6 }, honestUsers: 1 })).toThrow(Unsupported);
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(event({ honestUsers: bad })).toThrow(InvalidParameter);
        expect(event({ users: bad })).toThrow(InvalidParameter);
        expect(event({ target: { epsilon: bad, delta: 1e-6 } })).toThrow(/ε/u);
      }),
    );
  });

  it('does not read messages that nobody sends', () => {
    const context = contextOf(dimension, 2);
    const total = 2 * messages(context);
    expect(() => randomiser.analyse(params as never, context, new Uint32Array(total - 1))).toThrow(
      InvalidParameter,
    );
    expect(() => randomiser.analyse(params as never, context, new Uint32Array(total).fill(100))).toThrow(
      InvalidParameter,
    );
    expect(() =>
      randomiser.randomise(params as never, context, new Float64Array(dimension + 1), seededRandom('odd')),
    ).toThrow(InvalidParameter);
  });
});

describe('shuffledScalarSum', () => {
  it('takes single numbers, in an interval with 0 in it', () => {
    expect(() => shuffledScalarSum.event({ lower: 0, upper: 1 }, contextOf(2, 4))).toThrow(Unsupported);
    for (const interval of [
      { lower: 1, upper: 2 },
      { lower: 0, upper: 0 },
      { lower: 0, upper: Infinity },
      { lower: Number.NaN, upper: 1 },
    ])
      expect(() => shuffledScalarSum(interval)).toThrow(InvalidParameter);
    for (const levels of [1, 0, 2.5])
      expect(() => shuffledScalarSum({ lower: 0, upper: 1, levels })).toThrow(InvalidParameter);
  });

  it('varies no more than its closed form', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 5, max: 40 }),
        fc.integer({ min: 4, max: 100 }),
        (users, tenths, levels) => {
          const epsilon = tenths / 10;
          const closed =
            9 * ((45 * Math.log(2e6) * (1 + 2 / levels) ** 2) / epsilon ** 2 + users / (2 * levels ** 2));
          expect(
            defined(shuffledScalarSum.varianceBound)(
              { lower: -1, upper: 2, levels },
              contextOf(1, users, { target: { epsilon, delta: 1e-6 } }),
            ),
          ).toBeLessThanOrEqual(closed * (1 + 1e-9));
        },
      ),
    );
  });

  it('varies as it says where numbers are half-way between levels', () => {
    const context = contextOf(1, 4, { target: { epsilon: 15, delta: 0.25 } });
    const params = { lower: -1, upper: 3, levels: 8 };
    const records = Array.from({ length: 4 }, () => Float64Array.of(-1 + 0.25));
    const random = seededRandom('half-way');
    const draws = 8_000;
    const off = Float64Array.from(
      { length: draws },
      (_, i) => defined(shuffledScalarSum.simulateSum)(params, context, records, random.fork(i))[0] + 3,
    );
    // Seven standard errors of a variance.
    expect(
      Math.abs(
        off.reduce((sum, x) => sum + x * x, 0) /
          draws /
          defined(shuffledScalarSum.varianceBound)(params, context) -
          1,
      ),
    ).toBeLessThan(7 * Math.sqrt(2 / draws));
  });
});

describe('shuffledVectorSum', () => {
  it('sends the same of a vector and of its projection onto the ball', () => {
    fc.assert(
      fc.property(vectorOf(3, -2, 2), positive(-1, 1), (record, radius) => {
        const context = contextOf(3, 1e6);
        const sent = (z: Float64Array): Uint32Array =>
          shuffledVectorSum.randomise({ radius, levels: 8 }, context, z, seededRandom('clip'));
        const ones = (messages: Uint32Array): number =>
          messages.filter((message) => message % 2 === 1).length;
        // Rounding may put an entry on the other side of a draw once in 2⁴⁰ times.
        expect(ones(sent(record.map((x) => x * Math.min(1, radius / norm(record) || 0))))).toBe(
          ones(sent(record)),
        );
      }),
    );
  });

  it('keeps within the bound of the specification', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1e5, max: 1e7 }),
        fc.integer({ min: 10, max: 150 }),
        (dimension, users, tenths) => {
          const epsilon = tenths / 10;
          const delta = 1e-6;
          const levels = Math.ceil(Math.max(2 * Math.sqrt(dimension), Math.sqrt(users), 4));
          const closed = Math.min(
            epsilon / (4 * Math.sqrt(2 * Math.log(2 / delta))),
            Math.sqrt(epsilon) / 4,
            0.5,
          );
          // Every user brings a whole number of fair bits.
          const whole = (users / 4) * dimension * (2 / levels) ** 2;
          const bound =
            4 *
              dimension *
              ((90 * Math.log((4 * dimension) / delta)) / closed ** 2 + users / (4 * levels ** 2)) +
            whole;
          expect(
            defined(shuffledVectorSum.varianceBound)(
              { radius: 1 },
              contextOf(dimension, users, { target: { epsilon, delta } }),
            ),
          ).toBeLessThanOrEqual(bound);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('estimates the sum of what is in the ball, whatever the unit', () => {
    const context = contextOf(2, 4000);
    const estimate = (unit: number): Float64Array =>
      defined(shuffledVectorSum.simulateSum)(
        { radius: unit },
        context,
        Array.from({ length: 4000 }, (_, i) => Float64Array.of(0.5 * unit, i % 2 === 0 ? 3 * unit : 0)),
        seededRandom('unit'),
      );
    const [small, large] = [estimate(1), estimate(2 ** 100)];
    const deviation = Math.sqrt(defined(shuffledVectorSum.varianceBound)({ radius: 1 }, context));
    expect(large).toEqual(small.map((x) => x * 2 ** 100));
    // (0.5, 3) becomes (1, 6)/√37.
    const expected = [2000 * (0.5 + 1 / Math.sqrt(37)), (2000 * 6) / Math.sqrt(37)];
    expected.forEach((sum, j) => expect(Math.abs(small[j] - sum)).toBeLessThan(7 * deviation));
    expect(7 * deviation).toBeLessThan(1000);
  });
});

describe('shuffledMedianOfMeans', () => {
  const estimate = (groups: number, records: readonly Float64Array[], seed: string): Float64Array =>
    defined(shuffledMedianOfMeans.simulateSum)(
      { bound: 1, groups },
      contextOf(2, records.length, { target: { epsilon: 8, delta: 1e-3 } }),
      records,
      seededRandom(seed),
    ).map((x) => x / records.length);

  it('is the mean, where all users say the same, for one group and several, even and odd', () => {
    const records = Array.from({ length: 20_000 }, () => Float64Array.of(0.7, -5));
    // One group of n users has noise of standard deviation below √(180
    // · ln(4d/δ))/(ε̂ n) with ε̂ > 1; groups see m times as much.
    for (const groups of [1, 2, 5, 8]) {
      const [first, second] = estimate(groups, records, `equal ${groups}`);
      expect(Math.abs(first - 0.7)).toBeLessThan(0.02 * groups);
      expect(Math.abs(second + 1)).toBeLessThan(0.02 * groups);
    }
  });

  it('does without empty groups', () => {
    const [first] = estimate(50, [Float64Array.of(0.5, 0.5), Float64Array.of(0.5, 0.5)], 'few');
    expect(Number.isFinite(first)).toBe(true);
  });
});
