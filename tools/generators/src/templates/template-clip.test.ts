import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { templateClip } from './template-clip.js';

const radius = fc.integer({ min: 1, max: 1000 }).map((k) => k / 100);
const vector = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 8 }).map((entries) => Float64Array.from(entries, (k) => k / 100));
const norm = (z: Float64Array): number => Math.hypot(...z);
const clipped = (z: Float64Array, r: number): Float64Array => {
  const out = z.slice();
  templateClip.clipInPlace({ radius: r }, out);
  return out;
};

describe('templateClip', () => {
  it('keeps every record within the radius', () => {
    fc.assert(fc.property(vector, radius, (z, r) => {
      expect(norm(clipped(z, r))).toBeLessThanOrEqual(r * (1 + 1e-14));
    }));
  });

  it('leaves records inside the ball alone', () => {
    fc.assert(fc.property(vector, (z) => {
      expect(clipped(z, norm(z) * 1.01 + 1)).toEqual(z);
    }));
  });

  it('makes a record with an entry that is not finite zero', () => {
    for (const bad of [Number.NaN, Infinity, -Infinity]) expect(clipped(Float64Array.of(1, bad), 9)).toEqual(new Float64Array(2));
  });

  it('scales by its factor', () => {
    fc.assert(fc.property(vector, radius, (z, r) => {
      const factor = templateClip.factor!({ radius: r }, norm(z));
      expect(clipped(z, r).map(Math.abs)).toEqual(z.map((x) => Math.abs(x * factor)));
    }));
  });

  it('has a bias within its bound, on every law of two equally likely records', () => {
    fc.assert(fc.property(vector, radius, fc.constantFrom(2, 3, 4), fc.nat(9), (z, r, order, shrink) => {
      const other = z.map((x) => x / (shrink + 1));
      const bias = norm(z.map((x, j) => (clipped(z, r)[j]! + clipped(other, r)[j]! - x - other[j]!) / 2));
      const value = (norm(z) ** order + norm(other) ** order) / 2;
      expect(bias).toBeLessThanOrEqual(templateClip.biasBound({ radius: r }, { order, value }) * (1 + 1e-12));
    }));
  });

  it('refuses a moment that is none', () => {
    for (const moment of [{ order: 1, value: 1 }, { order: 2, value: -1 }, { order: 2, value: Number.NaN }]) {
      expect(() => templateClip.biasBound({ radius: 1 }, moment)).toThrow(InvalidParameter);
      expect(() => templateClip.varianceBound({ radius: 1 }, moment)).toThrow(InvalidParameter);
    }
  });

  it('refuses parameters outside their domain', () => {
    for (const bad of [0, -1, Number.NaN, Infinity]) expect(() => templateClip({ radius: bad })).toThrow(InvalidParameter);
  });
});
