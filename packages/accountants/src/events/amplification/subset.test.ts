import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gaussianEvent, sampledEvent, type PrivacyEvent, type PrivacyLossDistribution } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { drawnAtAll } from '../drawn-at-all.js';
import { atomicLossDistribution } from '../pairs/atomic.js';
import { characterisationsOf, resolveEvent } from '../resolve.js';
import { subsetRenyi } from './subset.js';
import { drawnLossDistribution, drawnPure } from './with-replacement.js';

const plain = <E extends PrivacyEvent>(event: E): PrivacyEvent => event;
const fixed = (n: number, size: number, event: PrivacyEvent, replacement = false): PrivacyEvent =>
  sampledEvent({ kind: 'core/fixed-size', n, size, replacement }, event);
const replaced = { adjacency: 'replace-one' } as const;

describe('a subset of the population', () => {
  it('costs log(1 + γ(e^ε − 1)) and γδ', () => {
    // A count whose records move it by 2, with Laplace noise of
    // scale 1, on 10 of 100: between 0.494 and 0.4941.
    const count = plain({ kind: 'core/laplace', v: 1, scale: 1, sensitivity: { 'replace-one': 2 } });
    const epsilon = resolveEvent(fixed(100, 10, count), 'pure', replaced);
    expect(epsilon).toBeGreaterThan(0.494);
    expect(epsilon).toBeLessThan(0.4941);
    expect(epsilon).toBeCloseTo(Math.log1p(0.1 * Math.expm1(2)), 14);
    expect(
      resolveEvent(
        fixed(4, 1, plain({ kind: 'core/approximate', v: 1, epsilon: 1, delta: 0.5 })),
        'approximate',
        replaced,
      ),
    ).toEqual({ epsilon: expect.closeTo(Math.log1p(0.25 * Math.expm1(1)), 14), delta: 0.125 });
  });

  it('has the published Rényi divergences', () => {
    const gaussian = subsetRenyi(0.01, (alpha) => alpha / 2, Infinity);
    expect(gaussian(2)).toBeCloseTo(0.0005435086381094331, 15);
    expect(gaussian(20)).toBeCloseTo(5.188934456131071, 12);
    expect(
      resolveEvent(fixed(100, 1, gaussianEvent(2, { 'replace-one': 2 })), 'rdp', replaced)(20),
    ).toBeCloseTo(5.188934456131071, 12);
  });

  it('has log-moments that are linear between whole orders', () => {
    const bound = subsetRenyi(0.01, (alpha) => alpha / 2, Infinity);
    const logMoment = (alpha: number): number => (alpha - 1) * bound(alpha);
    for (const [below, part] of [
      [2, 0.1],
      [2, 0.9],
      [7, 0.3],
      [7, 0.8],
    ])
      expect(
        logMoment(below + part) / ((1 - part) * logMoment(below) + part * logMoment(below + 1)),
      ).toBeCloseTo(1, 12);
  });

  it('has divergences that grow with the share, and never exceed those of everyone', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 999 }),
        fc.integer({ min: 11, max: 900 }),
        fc.integer({ min: -2, max: 2 }),
        (thousandths, tenths, decade) => {
          const inner = (alpha: number): number => alpha * 10 ** decade;
          const alpha = tenths / 10;
          const share = thousandths / 1000;
          const bound = subsetRenyi(share, inner, Infinity);
          expect(bound(alpha)).toBeLessThanOrEqual(inner(alpha));
          expect(subsetRenyi(Math.min(1, share * 1.5), inner, Infinity)(alpha)).toBeGreaterThanOrEqual(
            bound(alpha) * (1 - 1e-12),
          );
          // With a finite ε the terms of the bound may be smaller.
          expect(subsetRenyi(share, inner, 0.1)(alpha)).toBeLessThanOrEqual(bound(alpha) * (1 + 1e-12));
        },
      ),
    );
    expect(subsetRenyi(0.1, (alpha) => (alpha > 5 ? Infinity : 1), Infinity)(5.5)).toBe(Infinity);
    expect(subsetRenyi(0.1, (alpha) => alpha, Infinity)(1e9)).toBe(1e9);
  });

  it('has different distributions on both sides of 0: with the record above, without it below', () => {
    const [pair] = resolveEvent(fixed(100, 25, gaussianEvent(1, { 'replace-one': 1 })), 'pair', replaced);
    expect(pair).toMatchObject({ direction: 'remove', attained: false });
    const { distribution } = pair.factors[0];
    expect(distribution.support.most).toBe(Infinity);
    expect(distribution.support.least).toBe(-Infinity);
    const p = new Float64Array(2);
    const q = new Float64Array(2);
    defined(distribution.massesInto)(p, q, Float64Array.of(-Infinity, 0, Infinity));
    expect(p[0] + p[1]).toBeCloseTo(1, 12);
    expect(q[0] + q[1]).toBeCloseTo(1, 12);
    // Losses mirror each other.
    expect(distribution.hockeyStick(-0.5).upper).toBeCloseTo(
      1 - Math.exp(-0.5) + Math.exp(-0.5) * distribution.hockeyStick(0.5).upper,
      12,
    );
  });

  it('needs privacy against replacement under zero-out too, of null records as well', () => {
    expect(
      characterisationsOf(fixed(9, 3, gaussianEvent(1, { 'zero-out': 1 })), { adjacency: 'zero-out' }),
    ).not.toContain('pair');
    const pure = (sensitivity: object): number =>
      resolveEvent(fixed(9, 3, plain({ kind: 'core/laplace', v: 1, scale: 1, sensitivity })), 'pure', {
        adjacency: 'zero-out',
      });
    // Numbers from 4 to 5: one moves the sum by 1 when it is
    // replaced by another, and by 5 when it is left out.
    expect(pure({ 'replace-one': 1, 'zero-out': 5 })).toBe(pure({ 'replace-one': 5, 'zero-out': 5 }));
    // A record that is nulled moves it by 1 where it is drawn for sure,
    // which costs less than what a third of a replacement by 2 does.
    expect(pure({ 'replace-one': 2, 'zero-out': 2 })).toBeCloseTo(Math.log1p(Math.expm1(2) / 3), 14);
    expect(pure({ 'replace-one': 2, 'zero-out': 1 })).toBe(1);
  });

  it('takes releases from one batch together', () => {
    const laplace = plain({ kind: 'core/laplace', v: 1, scale: 1, sensitivity: { 'replace-one': 1 } });
    const both = fixed(10, 1, plain({ kind: 'core/compose', v: 1, parts: [{ event: laplace, count: 2 }] }));
    const twice = fixed(10, 1, plain({ kind: 'core/pure', v: 1, epsilon: 2 }));
    const law = (event: PrivacyEvent) => resolveEvent(event, 'pair', replaced)[0].factors[0].distribution;
    expect(law(both).hockeyStick(0.1)).toEqual(law(twice).hockeyStick(0.1));
    const gaussians = fixed(
      10,
      1,
      plain({
        kind: 'core/compose',
        v: 1,
        parts: [{ event: gaussianEvent(2, { 'replace-one': 1 }), count: 4 }],
      }),
    );
    expect(law(gaussians).hockeyStick(0.1)).toEqual(
      law(fixed(10, 1, gaussianEvent(1, { 'replace-one': 1 }))).hockeyStick(0.1),
    );
  });
});

describe('draws with replacement', () => {
  it('contain a record with probability 1 − (1 − 1/n)^size', () => {
    expect(drawnAtAll(1, 3)).toBe(1);
    expect(drawnAtAll(2, 3)).toBeCloseTo(7 / 8, 14);
    expect(drawnAtAll(2, 3)).toBeGreaterThanOrEqual(7 / 8);
    expect(drawnAtAll(10 ** 15, 1)).toBeCloseTo(1e-15, 28);
  });

  it('cost no less where numbers of occurrences are taken together', () => {
    // A bit that each occurrence makes likelier by the same factor, and about a thousand of them.
    const bit = (k: number): PrivacyLossDistribution => {
      const [p, q] = [1, -1].map((sign) => 1 / (1 + Math.exp((-sign * k) / 100)));
      return atomicLossDistribution([
        { p, q },
        { p: q, q: p },
      ]);
    };
    const [n, size] = [2, 2000];
    const drawn = drawnLossDistribution(n, size, bit);
    for (const epsilon of [8, 9.5, 10]) {
      let [delta, log] = [0, -size * Math.LN2];
      for (let k = 0; k <= size; k++) {
        delta += Math.exp(log) * Math.max(0, -Math.expm1(epsilon - k / 100) / (1 + Math.exp(-k / 100)));
        log += Math.log((size - k) / (k + 1));
      }
      const { upper } = drawn.hockeyStick(epsilon);
      expect(upper).toBeGreaterThanOrEqual(delta * (1 - 1e-9));
      expect(upper).toBeLessThan(delta * 1.5);
    }
  });

  it('cost at most ε times the size, and little at small rates', () => {
    expect(drawnPure(1, 3, 0.5)).toBe(1.5);
    expect(drawnPure(5, 1, 0.5)).toBeCloseTo(Math.log1p(Math.expm1(0.5) / 5), 13);
    expect(drawnPure(100, 10, 1)).toBeCloseTo(10 * Math.log1p(Math.expm1(1) / 100), 13);
    expect(drawnPure(100, 10, 0)).toBe(0);
    expect(drawnPure(3, 7, 800)).toBeLessThanOrEqual(5600);
    expect(drawnPure(3, 2 ** 24, Infinity)).toBe(Infinity);
  });

  it('cost what some numbers of occurrences tell that few of them do not', () => {
    // A record that occurs `from` times or more is told from others; of fewer, its replacement is.
    const told = (n: number, size: number, epsilon: number, from: number): number => {
      let [p, q, mass] = [0, 0, (1 - 1 / n) ** size];
      for (let k = 0; k <= size; k++) {
        p += mass * (k < from ? 1 : Math.exp(k * epsilon));
        q += mass * (k < from ? Math.exp(-k * epsilon) : 1);
        mass *= (size - k) / ((k + 1) * (n - 1));
      }
      return Math.log(p / q);
    };
    for (const [n, size, epsilon] of [
      [2, 4, 0.5],
      [2, 20, 0.1],
      [3, 12, 0.3],
      [10, 12, 1],
      [7, 3, 2],
    ] as const) {
      const most = Array.from({ length: size + 1 }, (_, from) => told(n, size, epsilon, from + 1));
      expect(drawnPure(n, size, epsilon)).toBeGreaterThanOrEqual(Math.max(...most) - 1e-12);
      expect(Math.max(...most)).toBeGreaterThan(0.5 * drawnPure(n, size, epsilon));
    }
  });

  it('have a distribution for Gaussian and private releases, for any number of draws', () => {
    for (const [n, size] of [
      [1, 3],
      [2, 2],
      [1000, 10],
      [100, 100],
      [10, 5000],
      [10 ** 6, 1],
    ] as const) {
      for (const event of [
        gaussianEvent(5, { 'replace-one': 1 }),
        plain({ kind: 'core/pure', v: 1, epsilon: 0.1 }),
      ]) {
        const { distribution } = resolveEvent(fixed(n, size, event, true), 'pair', replaced)[0].factors[0];
        const p = new Float64Array(1);
        const q = new Float64Array(1);
        defined(distribution.massesInto)(p, q, Float64Array.of(-Infinity, Infinity));
        expect(Math.abs(p[0] + distribution.infinite - 1)).toBeLessThan(1e-9);
        expect(Math.abs(q[0] - 1)).toBeLessThan(1e-9);
        expect(distribution.infinite).toBeLessThan(1e-38);
        // More occurrences than are told apart count as telling all.
        if (size > 1000) expect(distribution.infinite).toBeGreaterThan(0);
        expect(distribution.hockeyStick(0).upper).toBeGreaterThan(0);
      }
    }
  });
});
