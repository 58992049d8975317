import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale, vectorOf } from '../test/support/arbitraries.js';
import { absolute } from './absolute.js';
import { huber } from './huber.js';

const { value, slope } = defined(absolute.linear);
const number = multiScale(-3, 3);
const positive = number.map(Math.abs);

describe('absolute loss', () => {
  it('is the absolute residual, with its sign as the slope and 0 at the kink', () => {
    fc.assert(
      fc.property(number, number, (m, y) => {
        expect([value({}, m, y), slope({}, m, y)]).toEqual([Math.abs(m - y), Math.sign(m - y)]);
        expect([value({}, m, m), slope({}, m, m)]).toEqual([0, 0]);
      }),
    );
  });

  it('has subgradients at the kink too: no value lies below a tangent', () => {
    fc.assert(
      fc.property(number, number, fc.boolean(), number, (m, other, isAtKink, y) => {
        const label = isAtKink ? m : y;
        expect(value({}, other, label)).toBeGreaterThanOrEqual(
          value({}, m, label) +
            slope({}, m, label) * (other - m) -
            1e-12 * (Math.abs(m) + Math.abs(other) + Math.abs(label)),
        );
      }),
    );
  });

  it('is what Huber’s loss comes to when its width shrinks', () => {
    fc.assert(
      fc.property(number, number, fc.integer({ min: -9, max: 0 }), (m, y, power) => {
        const width = 10 ** power;
        const smooth = defined(huber.linear).value({ width }, m, y) / width;
        expect(smooth).toBeLessThanOrEqual(value({}, m, y) * (1 + 1e-12));
        expect(smooth).toBeGreaterThanOrEqual(value({}, m, y) - width / 2 - 1e-12 * value({}, m, y));
      }),
    );
  });

  it('is Lipschitz whatever labels and iterates are; records attain the facts', () => {
    expect(Object.keys(absolute.facts({}, { columns: 2, featureBounds: [3, 4] })).toSorted()).toEqual([
      'coordinateLipschitz',
      'lipschitz',
    ]);
    fc.assert(
      fc.property(vectorOf(3, number), positive, positive, (x, R, Y) => {
        const X = Math.hypot(...x);
        const facts = absolute.facts({}, { columns: 3, featureNorm: X, iterateNorm: R, labelBound: Y });
        const w = x.map((entry) => (entry * R) / X);
        const out = new Float64Array(3);
        absolute.gradientInto({}, out, w, { features: x, label: -Y });
        expect(facts['lipschitz'].value).toBeGreaterThanOrEqual(Math.hypot(...out));
        expect(facts['lipschitz'].value / Math.hypot(...out)).toBeCloseTo(1, 9);
        expect(facts['range'].value / absolute.value({}, w, { features: x, label: -Y })).toBeCloseTo(1, 9);
        expect(facts['smoothness']).toBeUndefined();
      }),
    );
    expect([1, -2e300, Infinity, Number.NaN].map((label) => absolute.labels.accepts(label, {}))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
