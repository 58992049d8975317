import {
  BudgetExceeded,
  InvalidParameter,
  seededRandom,
  Unsupported,
  type EventKind,
  type RandomSource,
} from '@lethe/core';
import { resolveEvent } from '@lethe/accountants';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aboveThreshold, aboveThresholdEvent, type AboveThresholdOptions } from './index.js';

const usual: AboveThresholdOptions = { epsilon: 1, cutOff: 2, sensitivity: 1 };
/** Draws nothing but zeros: comparisons are exact. */
const silent = { laplaceInto: (out: Float64Array) => out.fill(0) } as unknown as RandomSource;
const kinds: readonly EventKind[] = [aboveThresholdEvent as unknown as EventKind];

describe('a run of the sparse vector technique', () => {
  test('tells what is above, and stops after the cut-off', () => {
    const run = aboveThreshold(usual, silent);
    expect([3, 0, 5, 4.999].map((value) => run.ask(value, 4))).toEqual([false, false, true, true]);
    expect([run.positives, run.isExhausted]).toEqual([2, true]);
    expect(() => run.ask(0, 4)).toThrow(BudgetExceeded);
    expect(run.positives).toBe(2);
  });

  test('answers below are free: as many as one likes', () => {
    const run = aboveThreshold({ ...usual, cutOff: 1 }, seededRandom('below'));
    for (let i = 0; i < 5000; i++) expect(run.ask(-1e6, 0)).toBe(false);
    expect(run.ask(1e6, 0)).toBe(true);
  });

  test('each question has its own threshold, in the same noise', () => {
    const run = aboveThreshold({ ...usual, cutOff: 9 }, silent);
    expect(
      [
        [1, 0],
        [1, 2],
        [-5, -6],
        [0, 0],
      ].map(([value, threshold]) => run.ask(value, threshold)),
    ).toEqual([true, false, true, true]);
  });

  test('the threshold is noised once, before anything is asked, and each query afresh', () => {
    let drawn = 0;
    const counting = {
      laplaceInto(out: Float64Array) {
        drawn += out.length;
        return out.fill(0);
      },
    } as unknown as RandomSource;
    const run = aboveThreshold(usual, counting);
    expect(drawn).toBe(1);
    for (const value of [1, 0, -1]) run.ask(value, 0.5);
    expect(drawn).toBe(4);
    expect(() => run.ask(NaN, 0)).toThrow(InvalidParameter);
    expect(drawn).toBe(4);
  });

  test('what is far away overflows to the right answer', () => {
    const run = aboveThreshold({ ...usual, cutOff: 9 }, seededRandom('far'));
    expect([run.ask(1e308, -1e308), run.ask(-1e308, 1e308)]).toEqual([true, false]);
  });
});

describe('scales', () => {
  test('textbook values: half and half, twice the cut-off', () => {
    const { scales } = aboveThreshold({ epsilon: 2, cutOff: 3, sensitivity: 5, split: 1 }, silent);
    expect(scales.threshold).toBeCloseTo(5, 12);
    expect(scales.query).toBeCloseTo(2 * 3 * 5, 12);
    expect(
      aboveThreshold({ epsilon: 2, cutOff: 3, sensitivity: 5, split: 1, monotone: true }, silent).scales
        .query,
    ).toBeCloseTo(15, 12);
  });

  test('shares of ε add up to no more than it, whatever the split', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -40, max: 40 }),
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: -20, max: 20 }),
        fc.boolean(),
        fc.option(fc.integer({ min: -8, max: 8 })),
        (e, cutOff, s, monotone, split) => {
          const [epsilon, sensitivity] = [1.3 * 2 ** e, 1.7 * 2 ** s];
          const { scales } = aboveThreshold(
            { epsilon, cutOff, sensitivity, monotone, ...(split === null ? {} : { split: 2 ** split }) },
            silent,
          );
          const spent =
            sensitivity / scales.threshold + ((monotone ? 1 : 2) * cutOff * sensitivity) / scales.query;
          expect(spent).toBeLessThanOrEqual(epsilon * (1 + 1e-15));
          expect(spent).toBeGreaterThan(epsilon * (1 - 1e-12));
        },
      ),
    );
  });

  test('left to itself, the split makes comparisons most accurate', () => {
    const noise = (options: AboveThresholdOptions): number => {
      const { scales } = aboveThreshold(options, silent);
      return scales.query ** 2 + scales.threshold ** 2;
    };
    for (const cutOff of [1, 4, 100])
      for (const monotone of [false, true]) {
        const best = noise({ ...usual, cutOff, monotone });
        const ratio = Math.cbrt((monotone ? cutOff : 2 * cutOff) ** 2);
        for (const factor of [0.5, 0.95, 1.05, 2])
          expect(noise({ ...usual, cutOff, monotone, split: ratio * factor })).toBeGreaterThan(best);
        expect(noise({ ...usual, cutOff, monotone, split: ratio })).toBeCloseTo(best, 6);
      }
  });
});

describe('refusals and the event', () => {
  test.each([
    [{ epsilon: 0 }],
    [{ epsilon: -1 }],
    [{ epsilon: NaN }],
    [{ epsilon: Infinity }],
    [{ cutOff: 0 }],
    [{ cutOff: 1.5 }],
    [{ cutOff: -3 }],
    [{ sensitivity: 0 }],
    [{ sensitivity: NaN }],
    [{ split: 0 }],
    [{ split: Infinity }],
    [{ monotone: 'yes' as unknown as boolean }],
    [{ other: 1 } as object],
  ])('options %j are refused', (bad) => {
    expect(() => aboveThreshold({ ...usual, ...bad }, silent)).toThrow(InvalidParameter);
  });

  test('noise beyond the doubles is refused', () => {
    for (const bad of [
      { epsilon: 5e-324 },
      { epsilon: 1e-300, sensitivity: 1e300 },
      { split: 1e-300 },
      { epsilon: 1e-300, split: 1e300 },
      { sensitivity: 5e-324 },
      { sensitivity: 1e-300 },
      { sensitivity: 1e300 },
      { epsilon: 1e300 },
    ])
      expect(() => aboveThreshold({ ...usual, ...bad }, silent)).toThrow(Unsupported);
  });

  test('questions that are none are refused', () => {
    const run = aboveThreshold(usual, silent);
    for (const bad of [NaN, Infinity, -Infinity]) {
      expect(() => run.ask(bad, 0)).toThrow(InvalidParameter);
      expect(() => run.ask(0, bad)).toThrow(InvalidParameter);
    }
    expect(run.positives).toBe(0);
  });

  test('its event is pure, and scales with the sensitivity', () => {
    const event = aboveThreshold({ ...usual, epsilon: 0.75 }, silent).event({
      'replace-one': 1,
      'add-remove': 0.5,
      'zero-out': undefined,
    });
    expect(resolveEvent(event, 'pure', { adjacency: 'add-remove', kinds })).toBe(0.375);
    expect(() => resolveEvent(event, 'pure', { adjacency: 'zero-out', kinds })).toThrow(Unsupported);
  });
});
