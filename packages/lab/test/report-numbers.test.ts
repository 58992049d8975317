import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { choiceAxis, floorOf, valueAxis } from '../src/report/axis.js';
import {
  formatBound,
  formatCount,
  formatNumber,
  formatPair,
  formatShare,
  formatTick,
  roundOutward,
} from '../src/report/format.js';
import { boxOf, placeWord } from '../src/report/labels.js';
import { seriesOf } from '../src/report/series.js';
import { fakeEvaluation } from './fixtures.js';

const scaled = (least: number): fc.Arbitrary<number> =>
  fc
    .tuple(fc.integer({ min: least, max: 999_999 }), fc.integer({ min: -290, max: 290 }))
    .map(([digits, exponent]) => digits * 10 ** exponent);

describe('numbers in words', () => {
  test.each([
    [[0.0118, 0.0017], '0.0118 ± 0.0017'],
    [[2.5e-5, 1.2e-6], '(2.50 ± 0.12)\u00a0×\u00a010⁻⁵'],
    [[3.58e-4, 9.8e-5], '(3.58 ± 0.98)\u00a0×\u00a010⁻⁴'],
    [[0.5, 1e-6], '0.500 ± 10⁻⁶'],
    [[-2e-5, 1e-5], '(−2.00 ± 1.0)\u00a0×\u00a010⁻⁵'],
    [[0, 0], '0 ± 0'],
    [[Infinity, Number.NaN], '∞ ± not a number'],
  ] as const)('%j is one pair of numbers', (pair, text) => {
    expect(formatPair(pair, '±', [3, 2])).toBe(text);
  });
  test.each([
    [0, '0'],
    [0.5, '0.500'],
    [0.00123456, '0.00123'],
    [1.2e-7, '1.2\u00a0×\u00a010⁻⁷'],
    [1e-7, '10⁻⁷'],
    [-0.25, '−0.250'],
    [12_345, '12,300'],
    [1e9, '10⁹'],
    [Infinity, '∞'],
    [-Infinity, '−∞'],
    [Number.NaN, 'not a number'],
    [1234.5, '1230'],
  ])('%d is written %j', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });
  test.each([
    [0.12, '12\u00a0%'],
    [0.0345, '3.5\u00a0%'],
    [1.3, '130\u00a0%'],
    [34, '34\u00a0times'],
    [-0.1, '−10\u00a0%'],
    [Infinity, '–'],
  ])('a share of %d is %j', (value, text) => {
    expect(formatShare(value)).toBe(text);
  });
  test.each([
    [0, '0'],
    [1e4, '10k'],
    [1e6, '1M'],
    [2_999_999, '3M'],
    [0.5, '0.5'],
    [1e-5, '10⁻⁵'],
    [2e-6, '2\u00a0×\u00a010⁻⁶'],
    [1e13, '10¹³'],
  ])('a tick at %d is %j', (value, text) => {
    expect(formatTick(value)).toBe(text);
  });
  test('counts have separators', () => {
    expect(formatCount(1_000_000)).toBe('1,000,000');
  });
  test.each([
    [0.99999, 'upper', '1.000'],
    [0.99999, 'lower', '0.9999'],
    [1.00001, 'upper', '1.001'],
    [1.00001, 'lower', '1.000'],
    [9.99951, 'upper', '10.00'],
    [0, 'upper', '0'],
    [Infinity, 'upper', '∞'],
    [1, 'upper', '1.000'],
  ] as const)('%d as a bound on the %s side is %j', (value, side, text) => {
    expect(formatBound(value, side)).toBe(text);
  });
  test('a bound is never printed on the wrong side, nor far away', () => {
    fc.assert(
      fc.property(scaled(-999_999), (value) => {
        const [lower, upper] = [Number(roundOutward(value, 'lower')), Number(roundOutward(value, 'upper'))];
        expect(lower).toBeLessThanOrEqual(value);
        expect(upper).toBeGreaterThanOrEqual(value);
        expect(upper - lower).toBeLessThanOrEqual(1.001e-3 * Math.abs(value));
      }),
    );
  });
});

describe('logarithmic axes', () => {
  test('hold all values, and have two ticks or more, inside', () => {
    fc.assert(
      fc.property(fc.array(scaled(1), { minLength: 1, maxLength: 5 }), (values) => {
        const {
          domain: [low, high],
          ticks,
        } = valueAxis(values);
        expect(low).toBeLessThanOrEqual(Math.min(...values));
        expect(high).toBeGreaterThanOrEqual(Math.max(...values));
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(7);
        for (const tick of ticks) expect(tick >= low && tick <= high).toBe(true);
      }),
    );
  });
  test('are sane without a value they can show', () => {
    expect(valueAxis([0, -1, Number.NaN, Infinity])).toEqual({ domain: [0.1, 1], ticks: [0.1, 0.2, 0.5, 1] });
  });
  test('mark choices that have room, the largest always', () => {
    expect(choiceAxis([4, 0.5, 1], 6).ticks).toEqual([0.5, 1, 4]);
    expect(choiceAxis([1, 1.01, 100], 6).ticks).toEqual([1, 100]);
    expect(choiceAxis([7], 6)).toMatchObject({ ticks: [7] });
  });
  test('have a floor below what is positive, but not endlessly deep', () => {
    expect(floorOf([0.02, 0.5, -1, 0], 1)).toBe(0.01);
    expect(floorOf([1e-30, 0.5], 1)).toBe(1e-6);
    expect(floorOf([0, -1], 0)).toBe(1e-12);
    fc.assert(
      fc.property(fc.array(scaled(1), { minLength: 1 }), (values) => {
        expect(floorOf(values, Math.max(...values))).toBeGreaterThan(0);
      }),
    );
  });
});

describe('series', () => {
  test('each is told apart by colour, by symbol and by dash', () => {
    const series = seriesOf({
      cells: fakeEvaluation({ optimizers: ['a', 'b', 'c', 'd', 'e', 'f'] }).problems[0].cells,
    });
    for (const key of ['colour', 'symbol', 'dash'] as const)
      expect(new Set(series.map(({ style }) => style[key])).size).toBe(6);
  });
  test('up to 36 differ', () => {
    const series = seriesOf({
      cells: fakeEvaluation({
        optimizers: Array.from({ length: 36 }, (_, i) => `o${i}`),
        sizes: [10],
        seeds: 1,
      }).problems[0].cells,
    });
    expect(new Set(series.map(({ style }) => JSON.stringify(style))).size).toBe(36);
  });
  test('budgets of several δ are not joined', () => {
    const series = seriesOf({
      cells: fakeEvaluation({
        optimizers: ['a'],
        budgets: [
          { epsilon: 1, delta: 1e-6 },
          { epsilon: 1, delta: 1e-7 },
        ],
      }).problems[0].cells,
    });
    expect(series.map(({ name }) => name)).toEqual(['a, δ = 1e-6', 'a, δ = 1e-7']);
  });
});

describe('words in a panel', () => {
  const frame = { left: 0, right: 300, top: 0, bottom: 200 };
  const places = [
    { x: 100, y: 50, anchor: 'start' },
    { x: 100, y: 100, anchor: 'start' },
  ] as const;
  test('stand at the first place with room', () => {
    expect(placeWord('word', places, [], frame)).toEqual(places[0]);
    expect(placeWord('word', places, [{ x: 110, y: 51 }], frame)).toEqual(places[1]);
  });
  test('are left out where they would hide something or leave the panel', () => {
    expect(placeWord('word', places, [{ x: 110, y: 51 }, ...boxOf('other', places[1])], frame)).toBeNull();
    expect(placeWord('word', [{ x: 290, y: 50, anchor: 'start' }], [], frame)).toBeNull();
    expect(placeWord('word', [{ x: 290, y: 50, anchor: 'end' }], [], frame)).not.toBeNull();
  });
});
