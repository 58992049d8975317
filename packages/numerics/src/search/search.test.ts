import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidParameter, Unsupported } from '../errors.js';
import { nextUp } from '../rounding/index.js';
import { bisectBracket, bisectDown, bisectUp, findRoot, integrate, minimizeUnimodal } from './index.js';

const ends = fc
  .tuple(fc.constantFrom(-1, 1), fc.integer({ min: -3000, max: 3000 }))
  .map(([sign, e]) => sign * 10 ** (e / 10));

describe('bisection', () => {
  it('ends with neighbours around the step, wherever it is, within 200 probes', () => {
    fc.assert(
      fc.property(ends, ends, ends, (a, b, c) => {
        const [lower, root, upper] = [a, b, c].toSorted((x, y) => x - y);
        if (lower === upper || lower === root) return;
        const bracket = bisectBracket((x) => (x < root ? -1 : 1), lower, upper);
        expect(bracket.upper).toBe(root);
        expect(nextUp(bracket.lower)).toBe(root);
        expect(bracket.probes).toBeLessThan(200);
      }),
    );
  });

  it('keeps each end on its side however early it stops', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 999 }).map((k) => k / 1000),
        fc.boolean(),
        (maximumProbes, root, falling) => {
          let probes = 0;
          const f = (x: number): number => {
            probes++;
            return falling ? root - x : x - root;
          };
          expect(bisectDown(f, 0, 1, { maximumProbes })).toBeLessThan(root);
          expect(probes).toBeLessThanOrEqual(maximumProbes + 2);
          expect(bisectUp(f, 0, 1, { maximumProbes })).toBeGreaterThanOrEqual(root);
        },
      ),
    );
  });

  it('stops at the tolerance', () => {
    const { lower, upper, probes } = bisectBracket((x) => x - 0.3, 0.25, 1, { tolerance: 0.01 });
    expect(upper - lower).toBeLessThanOrEqual(0.01);
    expect(probes).toBeLessThan(10);
  });

  it('refuses what is not a bracket', () => {
    for (const search of [bisectBracket, findRoot]) {
      for (const bad of [
        () => search((x) => x, 1, 2),
        () => search((x) => x, 0, 1),
        () => search((x) => x, 1, 1),
        () => search((x) => x, 2, 1),
        () => search((x) => x, -Infinity, 1),
        () => search(() => NaN, 0, 1),
        () => search((x) => (x < 0.9 && x > 0.1 ? NaN : x - 0.5), 0, 1),
        () => search((x) => x, -1, 1, { tolerance: -1 }),
        () => search((x) => x, -1, 1, { maximumProbes: 0 }),
      ])
        expect(bad).toThrow(InvalidParameter);
    }
  });
});

describe('findRoot', () => {
  it('encloses the root of smooth functions in a few probes', () => {
    for (const [f, root, lower, upper] of [
      [(x: number) => x * x - 2, Math.SQRT2, 0, 2],
      [(x: number) => Math.exp(x) - 10, Math.log(10), -5, 50],
      [(x: number) => Math.cos(x) - x, 0.7390851332151607, 0, 2],
      [(x: number) => (x - 1) ** 3, 1, -3, 8],
      [(x: number) => 1 / x - 1e-3, 1000, 1e-6, 1e9],
      [(x: number) => Math.atan(x - 3), 3, -1e6, 1e6],
    ] as const) {
      const found = findRoot(f, lower, upper);
      expect(found.lower <= found.root && found.root <= found.upper).toBe(true);
      expect(Math.abs(found.root - root)).toBeLessThanOrEqual(
        1e-5 * Math.abs(root) * (f(root + 1e-5) < 1e-14 ? 1 : 1e-9),
      );
      expect(found.probes).toBeLessThan(100);
    }
    expect(findRoot((x) => Math.exp(x) - 10, 0, 5).probes).toBeLessThanOrEqual(14);
  });

  it('keeps a bracket on monotone functions, smooth or not, infinite or not', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -900, max: 900 }).map((k) => k / 100),
        fc.constantFrom<(x: number) => number>(
          Math.sign,
          Math.cbrt,
          (x) => x ** 3,
          Math.sinh,
          (x) => (x > 1 ? Infinity : x),
          (x) => (x < 0 ? -1e-300 : 1e300),
        ),
        fc.integer({ min: 1, max: 200 }),
        (root, shape, maximumProbes) => {
          const f = (x: number): number => shape(x - root);
          const found = findRoot(f, -10, 10, { maximumProbes });
          expect(found.lower).toBeLessThan(root);
          expect(found.upper).toBeGreaterThanOrEqual(root - 1e-100);
          expect(found.probes).toBeLessThanOrEqual(maximumProbes);
          if (maximumProbes > 150 && f(found.upper) !== 0)
            expect(found.upper - found.lower).toBeLessThanOrEqual(1e-14);
        },
      ),
    );
  });
});

describe('minimizeUnimodal', () => {
  it('finds minima inside and at the ends', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -200, max: 1200 }).map((k) => k / 100),
        fc.constantFrom<(x: number) => number>(
          (x) => x * x,
          Math.abs,
          (x) => Math.cosh(x) - 1,
          (x) => (Math.abs(x) > 3 ? Infinity : x ** 4),
        ),
        (centre, shape) => {
          const clamped = Math.min(10, Math.max(0, centre));
          if (!Number.isFinite(shape(clamped - centre))) return;
          const found = minimizeUnimodal((x) => shape(x - centre), 0, 10);
          expect(found.value).toBe(shape(found.argument - centre));
          expect(found.value - shape(clamped - centre)).toBeLessThanOrEqual(1e-7);
          expect(found.lower).toBeLessThanOrEqual(found.argument);
          expect(found.upper).toBeGreaterThanOrEqual(found.argument);
          expect(found.probes).toBeLessThanOrEqual(200);
        },
      ),
    );
  });

  it('is quick on a smooth function and obeys its limit', () => {
    const f = (x: number): number => x - Math.log(x);
    const found = minimizeUnimodal(f, 1e-3, 100);
    expect(found.argument).toBeCloseTo(1, 6);
    expect(found.probes).toBeLessThan(60);
    let probes = 0;
    expect(minimizeUnimodal((x) => (probes++, f(x)), 1e-3, 100, { maximumProbes: 8 }).probes).toBe(probes);
    expect(probes).toBeLessThanOrEqual(8);
  });

  it('refuses bad input', () => {
    for (const bad of [
      () => minimizeUnimodal(() => NaN, 0, 1),
      () => minimizeUnimodal((x) => x, 1, 0),
      () => minimizeUnimodal((x) => x, 0, 1, { tolerance: NaN }),
      () => minimizeUnimodal((x) => x, 0, Infinity),
    ])
      expect(bad).toThrow(InvalidParameter);
  });
});

describe('integrate', () => {
  const normal = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);

  it('agrees with closed forms, within its own error estimate', () => {
    for (const [f, lower, upper, expected] of [
      [(x: number) => x ** 7 - x, 0, 2, 30],
      [Math.sin, 0, Math.PI, 2],
      [Math.exp, -700, 0, 1],
      [Math.sqrt, 0, 1, 2 / 3],
      [(x: number) => -Math.log(x), 0, 1, 1],
      [(x: number) => 1 / Math.sqrt(x), 0, 1, 2],
      [(x: number) => Math.abs(x - 1 / 3), 0, 1, 5 / 18],
      [normal, -Infinity, Infinity, 1],
      [normal, 0, Infinity, 0.5],
      [normal, -Infinity, 1, 0.8413447460685429],
      [(x: number) => 1 / (1 + x * x), -Infinity, Infinity, Math.PI],
      [(x: number) => Math.exp(-x) * Math.sin(x), 0, Infinity, 0.5],
      [(x: number) => 1 / (1e-8 + x * x), -1, 1, 2e4 * Math.atan(1e4)],
      [Math.sin, -1, 1, 0],
      [(x: number) => normal(x - 5) * Math.exp(-(x * 3)), -20, 30, Math.exp(-15 + 4.5)],
    ] as const) {
      const { value, error, probes } = integrate(f, lower, upper);
      expect(Math.abs(value - expected)).toBeLessThanOrEqual(error + 1e-15 * Math.abs(expected));
      expect(error).toBeLessThanOrEqual(1e-10 * Math.max(Math.abs(expected), 1));
      expect(probes % 15).toBe(0);
    }
  });

  it('is exact to rounding for polynomials of degree 22', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 23 }),
        (coefficients) => {
          const f = (x: number): number => coefficients.reduceRight((value, c) => value * x + c, 0);
          const exact = coefficients.reduce(
            (total, c, k) => total + (c * (1 - (-1) ** (k + 1))) / (k + 1),
            0,
          );
          expect(Math.abs(integrate(f, -1, 1, { absoluteTolerance: 1e3 }).value - exact)).toBeLessThanOrEqual(
            1e-12,
          );
        },
      ),
    );
  });

  it('reports failure to converge, and refuses bad input', () => {
    expect(() => integrate((x) => 1 / x, 0, 1)).toThrow(Unsupported);
    expect(() => integrate((x) => Math.sin(1e6 * x), 0, 1, { maximumPanels: 3, tolerance: 1e-12 })).toThrow(
      /did not converge/,
    );
    for (const bad of [
      () => integrate(() => NaN, 0, 1),
      () => integrate(Math.sin, 1, 0),
      () => integrate(Math.sin, NaN, 0),
      () => integrate(Math.sin, Infinity, Infinity),
      () => integrate(Math.sin, 0, 1, { tolerance: -1 }),
      () => integrate(Math.sin, 0, 1, { maximumPanels: 0.5 }),
    ])
      expect(bad).toThrow(InvalidParameter);
    expect(integrate(Math.sin, 1, 1)).toEqual({ value: 0, error: 0, probes: 0 });
  });
});
