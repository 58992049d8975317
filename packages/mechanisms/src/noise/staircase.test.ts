import { assumptionsOf, resolveEvent } from '@lethe/accountants';
import { integrate } from '@lethe/numerics';
import { InvalidParameter, Unsupported, type EventKind } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { staircase, staircaseEvent } from './index.js';

const kinds: readonly EventKind[] = [staircaseEvent as unknown as EventKind];
const parameters = fc.record({
  epsilon: fc.integer({ min: -10, max: 5 }).map((k) => 1.3 * 2 ** k),
  gamma: fc.option(
    fc.integer({ min: 1, max: 16 }).map((k) => k / 16),
    { nil: undefined },
  ),
});
/** `E|X|^power`, by integrating what lies beyond, tread by tread. */
function moment(params: { epsilon: number; gamma?: number | undefined }, power: 1 | 2): number {
  let sum = 0;
  for (let tread = 0; tread < 60 / params.epsilon + 3; tread++) {
    const turn = tread + (params.gamma ?? 1 / (1 + Math.exp(params.epsilon / 2)));
    for (const [from, to] of [
      [tread, turn],
      [turn, tread + 1],
    ] as const)
      if (to > from)
        sum += integrate((x) => 2 * power * x ** (power - 1) * staircase.cdf(params, -x), from, to).value;
  }
  return sum;
}

describe('the law', () => {
  test('its mean absolute value is e^(ε/2)/(e^ε − 1), less than of Laplace noise', () => {
    for (const epsilon of [0.25, 1, 4, 8]) {
      expect(moment({ epsilon }, 1)).toBeCloseTo(Math.exp(epsilon / 2) / Math.expm1(epsilon), 9);
      expect(Math.exp(epsilon / 2) / Math.expm1(epsilon)).toBeLessThan(1 / epsilon);
      for (const gamma of [0.02, 0.2, 0.5, 0.8, 1])
        expect(moment({ epsilon, gamma }, 1)).toBeGreaterThan(moment({ epsilon }, 1) * (1 + 1e-9));
    }
  });

  test('its standard deviation', () => {
    for (const epsilon of [0.25, 1, 4])
      for (const gamma of [undefined, 0.1, 1])
        expect(staircase.standardDeviation({ epsilon, gamma })).toBeCloseTo(
          Math.sqrt(moment({ epsilon, gamma }, 2)),
          9,
        );
    expect(staircase.standardDeviation({ epsilon: 1e-9 }) / Math.SQRT2).toBeCloseTo(1e9, -1);
  });

  test('no interval is more than e^(ε ⌈shift⌉) times likelier after a shift, and some are that', () => {
    fc.assert(
      fc.property(
        parameters,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: -64, max: 64 }),
        (params, eighths, at) => {
          const shift = eighths / 8;
          const mass = (from: number): number =>
            staircase.cdf(params, from + 1 / 32) - staircase.cdf(params, from);
          const [still, moved] = [mass(at / 16), mass(at / 16 - shift)];
          expect(still).toBeLessThanOrEqual(Math.exp(params.epsilon * Math.ceil(shift)) * moved + 1e-14);
        },
      ),
    );
    const density = (x: number): number =>
      (staircase.cdf({ epsilon: 1, gamma: 0.5 }, x + 1e-6) - staircase.cdf({ epsilon: 1, gamma: 0.5 }, x)) /
      1e-6;
    for (const [shift, steps] of [
      [0.1, 1],
      [1, 1],
      [1.1, 2],
      [2, 2],
    ] as const)
      expect(Math.log(density(0.45) / density(0.45 + shift))).toBeCloseTo(steps, 6);
  });

  test('far out and at infinity', () => {
    expect([-Infinity, Infinity, 1e300, -1e300].map((x) => staircase.cdf({ epsilon: 1 }, x))).toEqual([
      0, 1, 1, 0,
    ]);
    expect(staircase.cdf({ epsilon: 100 }, 0)).toBe(0.5);
  });
});

describe('calibration', () => {
  const pure = (epsilon: number, multiplier: number): number =>
    resolveEvent(staircase.event({ epsilon }, multiplier, { 'replace-one': 1 }), 'pure', {
      adjacency: 'replace-one',
      kinds,
    });

  test('the multiplier is one over a whole number of steps, and its event is within the target', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4000 }), fc.integer({ min: 1, max: 4000 }), (own, wanted) => {
        const [epsilon, allowed] = [own / 256, wanted / 100];
        if (allowed < epsilon) {
          expect(() => staircase.multiplierFor({ epsilon }, { epsilon: allowed, delta: 0.1 })).toThrow(
            Unsupported,
          );
          return;
        }
        const multiplier = staircase.multiplierFor({ epsilon }, { epsilon: allowed, delta: 0 });
        expect(Math.abs(1 / multiplier - Math.round(1 / multiplier))).toBeLessThan(1e-9);
        expect(pure(epsilon, multiplier)).toBeLessThanOrEqual(allowed);
        expect(pure(epsilon, multiplier) + epsilon).toBeGreaterThan(allowed * (1 - 1e-12));
      }),
    );
    expect(staircase.multiplierFor({ epsilon: 1 }, { epsilon: 1, delta: 0 })).toBe(1);
    expect(staircase.multiplierFor({ epsilon: 1 }, { rho: 4.5 })).toBeCloseTo(1 / 3, 15);
    expect(staircase.multiplierFor({ epsilon: 1e-9 }, { epsilon: 1e300, delta: 0 })).toBeGreaterThan(0);
  });

  test('more noise than one step needs buys nothing, and other adjacencies count their own steps', () => {
    expect([pure(2, 1), pure(2, 5), pure(2, 0.75), pure(2, 0.5)]).toEqual([2, 2, 4, 4]);
    const event = staircase.event({ epsilon: 2 }, 0.5, { 'replace-one': 1, 'zero-out': 0.5 });
    expect(resolveEvent(event, 'pure', { adjacency: 'zero-out', kinds })).toBe(2);
    expect(() => resolveEvent(event, 'pure', { adjacency: 'add-remove', kinds })).toThrow(Unsupported);
    expect(assumptionsOf(event, kinds)).toEqual(['real-arithmetic']);
  });

  test.each([
    [{ epsilon: 0 }],
    [{ epsilon: -1 }],
    [{ epsilon: NaN }],
    [{ epsilon: Infinity }],
    [{ epsilon: 101 }],
    [{ epsilon: 1, gamma: 0 }],
    [{ epsilon: 1, gamma: 1.1 }],
    [{ epsilon: 1, gamma: NaN }],
    [{}],
  ])('parameters %j are refused', (params) => {
    expect(() => staircase(params as { epsilon: number })).toThrow(InvalidParameter);
  });
});
