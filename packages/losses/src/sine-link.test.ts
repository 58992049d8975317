import { coordinateFact, InvalidParameter } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale, vectorOf } from '../test/support/arbitraries.js';
import { largestOnInterval } from './largest-on-interval.js';
import { sineLink, sineLinkGrowth, sineLinkSmoothness } from './sine-link.js';
import { squared } from './squared.js';

const { value, slope } = defined(sineLink.linear);
const number = multiScale(-3, 1);
const positive = multiScale(-2, 2).map(Math.abs);
const amplitude = fc.integer({ min: 0, max: 99 }).map((a) => a / 100);

describe('sine link', () => {
  it('is half the squared residual behind its link, with its derivative as the slope', () => {
    expect(value({ amplitude: 0.5 }, Math.PI / 2, 1)).toBeCloseTo(0.5 * (Math.PI / 2 - 0.5) ** 2, 14);
    fc.assert(
      fc.property(amplitude, number, number, (a, m, y) => {
        const at = (h: number): number =>
          (value({ amplitude: a }, m + h, y) - value({ amplitude: a }, m - h, y)) / (2 * h);
        expect(Math.abs((4 * at(2 ** -8) - at(2 ** -7)) / 3 - slope({ amplitude: a }, m, y))).toBeLessThan(
          1e-7 * (1 + Math.abs(m) + Math.abs(y)) + 1e-11 * value({ amplitude: a }, m, y),
        );
        expect(value({ amplitude: 0 }, m, y)).toBeCloseTo(defined(squared.linear).value({}, m, y), 9);
      }),
    );
  });

  it('is not convex', () => {
    const at = (m: number): number => value({ amplitude: 0.9 }, m, 0);
    expect(at(2.5 * Math.PI)).toBeGreaterThan((at(2.5 * Math.PI - 0.5) + at(2.5 * Math.PI + 0.5)) / 2);
    expect(sineLink.capabilities.convex).toBe(false);
    for (const bad of [-0.1, 1, Number.NaN])
      expect(() => sineLink({ amplitude: bad })).toThrow(InvalidParameter);
  });

  it('states the least constants for bounded margins and labels: each is nearly attained', () => {
    fc.assert(
      fc.property(amplitude, positive, positive, fc.integer({ min: 0, max: 3999 }), (a, M, Y, place) => {
        const facts = sineLink.facts(
          { amplitude: a },
          { columns: 1, featureBounds: [1], iterateNorm: M, labelBound: Y },
        );
        const bend = (m: number, y: number): number =>
          Math.abs((1 + a * Math.cos(m)) ** 2 - (m + a * Math.sin(m) - y) * a * Math.sin(m));
        // Both ends and all periods, with more points where both cases of the bounds meet.
        const grid = Array.from({ length: 4000 }, (_, k) => (k / 3999) * M);
        let [steepest, most, largest] = [0, 0, 0];
        for (const m of grid)
          for (const y of [Y, -Y]) {
            steepest = Math.max(steepest, Math.abs(slope({ amplitude: a }, m, y)));
            most = Math.max(most, bend(m, y));
            largest = Math.max(largest, value({ amplitude: a }, m, y));
          }
        expect(facts['lipschitz'].value).toBeGreaterThanOrEqual(steepest);
        expect(facts['smoothness'].value).toBeGreaterThanOrEqual(most);
        expect(facts['range'].value).toBeGreaterThanOrEqual(largest);
        expect(facts['range'].value / largest).toBeCloseTo(1, 9);
        if (M <= 100) {
          expect(facts['lipschitz'].value / steepest).toBeLessThan(1.002);
          expect(facts['smoothness'].value / most).toBeLessThan(1.002);
        }
        const m = grid[place];
        const inside = (2 * (place % 7)) / 7 - 1;
        expect(bend(m, inside * Y)).toBeLessThanOrEqual(
          defined(coordinateFact(facts, 'coordinateSmoothness', 0)).value,
        );
        expect(Math.abs(slope({ amplitude: a }, m, inside * Y))).toBeLessThanOrEqual(
          defined(coordinateFact(facts, 'coordinateLipschitz', 0)).value,
        );
      }),
      { numRuns: 60 },
    );
  });

  it('states nothing without bounds on records, labels and iterates', () => {
    expect(sineLink.facts({ amplitude: 0.5 }, { columns: 1, featureNorm: 1, labelBound: 1 })).toEqual({});
    expect(sineLink.facts({ amplitude: 0.5 }, { columns: 1, featureNorm: 1, iterateNorm: 1 })).toEqual({});
    expect(
      sineLink.facts({ amplitude: 0.5 }, { columns: 1, featureNorm: 1e200, iterateNorm: 1, labelBound: 1 }),
    ).toEqual({});
  });
});

describe('growth of the sine link', () => {
  /** Records with labels `g(⟨w*, x⟩)` ± the same noise: of mean zero given the record, exactly. */
  const population = (a: number, features: readonly Float64Array[], best: Float64Array, noise: number) =>
    features.flatMap((x) => {
      const m = x.reduce((sum, entry, j) => sum + entry * best[j], 0);
      return [noise, -noise].map((by) => ({ features: x, label: m + a * Math.sin(m) + by }));
    });
  const mean = (of: readonly number[]): number => of.reduce((sum, entry) => sum + entry / of.length, 0);

  it('satisfies the Polyak–Łojasiewicz inequality everywhere, in two dimensions', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9 }).map((a) => a / 10),
        fc.array(vectorOf(2, multiScale(-1, 0)), { minLength: 2, maxLength: 6 }),
        vectorOf(2, multiScale(-2, 1)),
        vectorOf(2, multiScale(-2, 1)),
        multiScale(-2, 1),
        (a, features, best, w, noise) => {
          const records = population(a, features, best, noise);
          const [xx, xy, yy] = [
            mean(features.map(([x]) => x * x)),
            mean(features.map(([x, y]) => x * y)),
            mean(features.map(([, y]) => y * y)),
          ];
          const least = (xx + yy) / 2 - Math.hypot((xx - yy) / 2, xy);
          fc.pre(least > 1e-6 * (xx + yy));
          const risk = (point: Float64Array): number =>
            mean(records.map((record) => sineLink.value({ amplitude: a }, point, record)));
          const gradients = records.map((record) => {
            const out = new Float64Array(2);
            sineLink.gradientInto({ amplitude: a }, out, w, record);
            return out;
          });
          const square = mean(gradients.map(([g]) => g)) ** 2 + mean(gradients.map(([, g]) => g)) ** 2;
          const excess = risk(w) - risk(best);
          const rounding = 1e-12 * (risk(w) + risk(best)) * (1 + xx + yy);
          expect(excess).toBeGreaterThanOrEqual(-rounding);
          expect(sineLinkGrowth({ amplitude: a, leastEigenvalue: least }) * excess).toBeLessThanOrEqual(
            square / 2 + rounding,
          );
        },
      ),
    );
  });

  it('comes with a smoothness constant of the risk near the true weights', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9 }).map((a) => a / 10),
        fc.array(multiScale(-1, 1), { minLength: 1, maxLength: 6 }),
        multiScale(-1, 1),
        multiScale(-1, 1),
        fc.integer({ min: -9, max: 9 }),
        (a, features, best, noise, place) => {
          const records = population(
            a,
            features.map((x) => Float64Array.of(x)),
            Float64Array.of(best),
            noise,
          );
          const distance = 2;
          const bound = sineLinkSmoothness({
            amplitude: a,
            largestEigenvalue: mean(features.map((x) => x * x)),
            thirdMoment: mean(features.map((x) => Math.abs(x) ** 3)),
            distance,
          });
          const slopeAt = (w: number): number =>
            mean(
              records.map((record) => {
                const out = new Float64Array(1);
                sineLink.gradientInto({ amplitude: a }, out, Float64Array.of(w), record);
                return out[0];
              }),
            );
          const w = best + (distance * place) / 10;
          const step = 1e-4;
          expect(Math.abs(slopeAt(w + step) - slopeAt(w - step)) / (2 * step)).toBeLessThanOrEqual(
            bound * (1 + 1e-6) + 1e-8 * (1 + Math.abs(noise)) * mean(features.map((x) => 1 + x * x)),
          );
        },
      ),
    );
    for (const bad of [
      { amplitude: 1 },
      { distance: -1 },
      { thirdMoment: Number.NaN },
      { largestEigenvalue: Infinity },
    ])
      expect(() =>
        sineLinkSmoothness({ amplitude: 0, distance: 1, thirdMoment: 1, largestEigenvalue: 1, ...bad }),
      ).toThrow(InvalidParameter);
  });

  it('is exact for least squares, and refuses what is no constant', () => {
    expect(sineLinkGrowth({ amplitude: 0, leastEigenvalue: 0.3 })).toBe(0.3);
    expect(sineLinkGrowth({ amplitude: 0.5, leastEigenvalue: 1 })).toBeCloseTo(0.5 ** 4 / 1.5 ** 2, 15);
    for (const bad of [
      { amplitude: 1, leastEigenvalue: 1 },
      { amplitude: -1, leastEigenvalue: 1 },
      { amplitude: 0, leastEigenvalue: 0 },
      { amplitude: 0, leastEigenvalue: Infinity },
    ])
      expect(() => sineLinkGrowth(bad)).toThrow(InvalidParameter);
  });
});

describe('largestOnInterval', () => {
  it('bounds a function from above, closely, also between its grid', () => {
    fc.assert(
      fc.property(multiScale(-1, 1), multiScale(-2, 2), positive, (frequency, phase, length) => {
        const f = (x: number): number => Math.sin(frequency * x + phase);
        const bound = largestOnInterval(f, { low: 0, high: length, bend: frequency ** 2 });
        for (let k = 0; k <= 100; k++) expect(bound).toBeGreaterThanOrEqual(f((k / 100) * length));
        const crest = Math.ceil((phase - Math.PI / 2) / (2 * Math.PI));
        const inside = (Math.PI / 2 - phase) / frequency;
        if (crest === 0 && inside > 0 && inside < length) expect(bound).toBeGreaterThanOrEqual(1);
        expect(bound).toBeLessThanOrEqual(1 + ((frequency * length) / 1024) ** 2);
      }),
    );
  });
});
