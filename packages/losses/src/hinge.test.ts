import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale, vectorOf } from '../test/support/arbitraries.js';
import { hinge } from './hinge.js';

const { value, slope } = defined(hinge.linear);
const number = multiScale(-3, 3);
const label = fc.constantFrom(-1, 1);

describe('hinge loss', () => {
  it('is what is missing to a margin of 1, and flat from there on', () => {
    fc.assert(
      fc.property(number, label, (m, y) => {
        const short = 1 - y * m;
        expect([value({}, m, y), slope({}, m, y)]).toEqual(short > 0 ? [short, -y] : [0, 0]);
      }),
    );
    expect([slope({}, 1, 1), slope({}, -1, -1)]).toEqual([0, 0]);
  });

  it('has subgradients, at the kink too: no value lies below a tangent', () => {
    fc.assert(
      fc.property(fc.oneof(number, label), number, label, (m, other, y) => {
        expect(value({}, other, y)).toBeGreaterThanOrEqual(
          value({}, m, y) + slope({}, m, y) * (other - m) - 1e-12 * (1 + Math.abs(m) + Math.abs(other)),
        );
        const [low, high] = m < other ? [m, other] : [other, m];
        expect(slope({}, low, y)).toBeLessThanOrEqual(slope({}, high, y));
      }),
    );
  });

  it('states facts that records attain', () => {
    fc.assert(
      fc.property(vectorOf(3, number), number.map(Math.abs), label, (x, R, y) => {
        const X = Math.hypot(...x);
        const facts = hinge.facts({}, { columns: 3, featureNorm: X, iterateNorm: R });
        const w = x.map((entry) => (-y * entry * R) / X);
        const out = new Float64Array(3);
        hinge.gradientInto({}, out, w, { features: x, label: y });
        expect(facts['lipschitz'].value).toBeGreaterThanOrEqual(Math.hypot(...out));
        expect(facts['lipschitz'].value / Math.hypot(...out)).toBeCloseTo(1, 9);
        expect(facts['range'].value / hinge.value({}, w, { features: x, label: y })).toBeCloseTo(1, 9);
      }),
    );
    expect(
      Object.keys(hinge.facts({}, { columns: 1, featureBounds: [2], labelBound: 1 })).toSorted(),
    ).toEqual(['coordinateLipschitz', 'lipschitz']);
    expect([1, -1, 0, 0.5, Number.NaN].map((given) => hinge.labels.accepts(given, {}))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
