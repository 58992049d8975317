import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bet,
  boundedMean,
  fedBy,
  heavyMean,
  hockeyStick,
  likelihoodRatio,
  logThreshold,
  noiseDistribution,
  nonNegativeMean,
  vectorMean,
  wealth,
} from './index.js';

describe('reach', () => {
  it.each([
    ['bet', () => bet({ largestLoss: 2 }), 2],
    ['bet with a small gain', () => bet({ largestLoss: 2, largestGain: 0.5 }), 0.5],
    ['bounded mean', () => boundedMean({ atMost: 0.25, lowest: 0, highest: 1 }), 1],
    ['non-negative mean', () => nonNegativeMean({ atMost: 3 }), 6],
  ] as const)('%s: is the wealth after the best observations', (_, make, best) => {
    const process = make();
    for (let i = 0; i < 25; i++) process.push(best);
    expect(process.reach).toBeCloseTo(process.logE, 12);
  });
});

describe('bet', () => {
  it('bets the past mean over the past second moment, without the present payoff', () => {
    const process = bet({ largestLoss: 2 });
    process.push(1);
    expect(process.logE).toBe(0);
    process.push(0.5);
    const first = 1 + (1 / (1 + 1)) * 0.5 * 0.9; // wanted 1/(1 + 2²/4), capped at 0.9/2
    expect(process.logE).toBeCloseTo(Math.log(first), 14);
    process.push(-2);
    expect(process.logE).toBeCloseTo(Math.log(first) + Math.log1p(-0.9), 14);
    expect(process.peak).toBeCloseTo(Math.log(first), 14);
    expect(process.samples).toBe(3);
  });

  it('has non-negative wealth, and its peak is its largest wealth', () =>
    fc.assert(
      fc.property(
        fc.double({ min: 0.05, max: 0.99, noNaN: true }),
        fc.array(fc.integer({ min: -8, max: 64 }), { maxLength: 60 }),
        (cap, payoffs) => {
          const process = bet({ largestLoss: 8, cap });
          let most = 0;
          for (const payoff of payoffs) {
            const before = process.logE;
            process.push(payoff);
            expect(process.logE - before).toBeGreaterThanOrEqual(Math.log1p(-cap) - 1e-9);
            most = Math.max(most, process.logE);
          }
          expect(process.peak).toBe(most);
        },
      ),
    ));

  it('survives payoffs of any size', () => {
    const process = bet({ largestLoss: 1 });
    for (const payoff of [1e308, 1e308, 1e308, -1, 5e-324, 1]) process.push(payoff);
    expect(process.logE).not.toBeNaN();
  });

  it('is not changed by a refused payoff', () => {
    const process = bet({ largestLoss: 1 });
    process.push(0.5);
    for (const payoff of [NaN, Infinity, -Infinity, -1.0000001])
      expect(() => process.push(payoff)).toThrow(InvalidParameter);
    expect(process.samples).toBe(1);
    process.push(1);
    expect(process.logE).toBeCloseTo(Math.log1p(0.9), 14);
  });
});

describe('wealth', () => {
  it('stays 0 after ruin, and is never NaN', () => {
    const process = wealth((x: number) => x);
    for (const gain of [1, -Infinity, Infinity, 3]) process.push(gain);
    expect(process).toMatchObject({ logE: -Infinity, peak: 1 });
    expect(() => process.push(NaN)).toThrow(InvalidParameter);
  });

  it('rejects at its threshold and not below', () => {
    const process = wealth((x: number) => x);
    process.push(logThreshold(1e-10));
    expect([process.rejects(1e-10), process.rejects(0.99e-10)]).toEqual([true, false]);
    process.push(-5);
    expect(process.rejects(1e-10)).toBe(true);
    for (const alpha of [0, 1, NaN, -1]) expect(() => process.rejects(alpha)).toThrow(InvalidParameter);
  });

  it('is equal when fed through fedBy', () => {
    const process = bet({ largestLoss: 1 });
    const twice = fedBy(process, (x: number, y: number) => x * y);
    twice.push(2, 0.5);
    twice.push(2, 0.5);
    expect([twice.logE, twice.peak, twice.samples, twice.rejects(0.6)]).toEqual([
      process.logE,
      process.peak,
      2,
      process.rejects(0.6),
    ]);
  });
});

describe('observations that a hypothesis excludes', () => {
  it.each<[string, () => { push(x: never): void }, readonly unknown[]]>([
    ['bounded mean', () => boundedMean({ atMost: 1, lowest: 0 }), [NaN, -1e-9, Infinity]],
    ['non-negative mean', () => nonNegativeMean({ atMost: 1 }), [NaN, -5e-324, Infinity]],
    ['non-negative mean of 0', () => nonNegativeMean({ atMost: 0 }), [NaN, -1]],
    [
      'heavy mean',
      () => heavyMean({ equals: 0, order: 2, moment: 1, horizon: 10, alpha: 0.1 }),
      [NaN, Infinity],
    ],
    ['likelihood ratio', () => likelihoodRatio((x) => x), [NaN]],
    ['noise law', () => noiseDistribution({ cdf: (x) => Math.min(1, Math.max(0, x)) }), [NaN]],
    [
      'vector mean',
      () => vectorMean({ mean: [0, 0], radius: 1 }),
      [[NaN, 0], [1, 1], [0], [0, 0, 0], [Infinity, 0]],
    ],
  ])('%s', (_, make, excluded) => {
    for (const x of excluded) expect(() => make().push(x as never)).toThrow(InvalidParameter);
  });

  it('hockey stick', () => {
    for (const [x, y] of [
      [NaN, 0],
      [0, NaN],
      [1.01, 0],
      [0, -0.01],
    ])
      expect(() => hockeyStick({ epsilon: 1, delta: 0 }).push(x, y)).toThrow(InvalidParameter);
  });

  it('a positive value rejects a mean of 0', () => {
    const process = nonNegativeMean({ atMost: 0 });
    process.push(0);
    expect(process.rejects(0.5)).toBe(false);
    process.push(5e-324);
    expect(process.rejects(1e-300)).toBe(true);
  });
});

it.each<[string, () => unknown]>([
  ['largestLoss', () => bet({ largestLoss: 0 })],
  ['largestLoss', () => bet({ largestLoss: -1 })],
  ['cap', () => bet({ largestLoss: 1, cap: 1 })],
  ['cap', () => bet({ largestLoss: 1, cap: NaN })],
  ['floor', () => boundedMean({ atMost: 1, lowest: 1 })],
  ['lowest', () => boundedMean({ atMost: 1, lowest: -Infinity })],
  ['atMost', () => nonNegativeMean({ atMost: -1 })],
  ['atMost', () => nonNegativeMean({ atMost: NaN })],
  ['order', () => heavyMean({ equals: 0, order: 1, moment: 1, horizon: 1, alpha: 0.1 })],
  ['moment', () => heavyMean({ equals: 0, order: 2, moment: 0, horizon: 1, alpha: 0.1 })],
  ['level', () => heavyMean({ equals: 0, order: 2, moment: 1, horizon: 1, alpha: 1 })],
  ['delta', () => hockeyStick({ epsilon: 1, delta: 1 })],
  ['epsilon', () => hockeyStick({ epsilon: -1, delta: 0 })],
  ['epsilon', () => hockeyStick({ epsilon: NaN, delta: 0 })],
  ['epsilon', () => hockeyStick({ epsilon: 710, delta: 0 })],
  ['dimension', () => vectorMean({ mean: [], radius: 1 })],
  ['radius', () => vectorMean({ mean: [0], radius: NaN })],
  ['bias', () => vectorMean({ mean: [0], radius: 1, bias: -1 })],
  ['distribution function', () => noiseDistribution({ cdf: () => NaN })],
  ['distribution function', () => noiseDistribution({ cdf: () => 0.5 })],
  [
    'distribution function',
    () =>
      noiseDistribution({
        cdf: (x) => {
          if (x > 3) return 1;
          if (x > 0.3) return 0.4;
          return x > 0 ? 0.5 : 0;
        },
      }),
  ],
])('refuses a bad %s', (what, make) => {
  expect(make).toThrow(InvalidParameter);
  expect(make).toThrow(what);
});
