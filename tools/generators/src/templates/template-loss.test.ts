import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { templateLoss } from './template-loss.js';

const params = {};
const entry = fc.integer({ min: -1000, max: 1000 }).map((k) => k / 100);
const vector = fc.array(entry, { minLength: 3, maxLength: 3 }).map((entries) => Float64Array.from(entries));
const record = fc.record({ features: vector, label: entry });
const norm = (z: Float64Array): number => Math.hypot(...z);

describe('templateLoss', () => {
  it('lies above its tangents', () => {
    fc.assert(fc.property(vector, vector, record, (at, to, one) => {
      const gradient = new Float64Array(3);
      templateLoss.gradientInto(params, gradient, at, one);
      const rise = gradient.reduce((sum, g, j) => sum + g * (to[j]! - at[j]!), 0);
      expect(templateLoss.value(params, to, one)).toBeGreaterThanOrEqual(templateLoss.value(params, at, one) + rise - 1e-9);
    }));
  });

  it('has gradients within its Lipschitz constants', () => {
    fc.assert(fc.property(vector, record, (at, one) => {
      const gradient = new Float64Array(3);
      templateLoss.gradientInto(params, gradient, at, one);
      const facts = templateLoss.facts(params, { dimension: 3, featureNorm: norm(one.features), featureBounds: Array.from(one.features, Math.abs) });
      expect(norm(gradient)).toBeLessThanOrEqual(facts['lipschitz']!.value * (1 + 1e-12));
      for (const [j, g] of gradient.entries()) expect(Math.abs(g)).toBeLessThanOrEqual(facts[`coordinateLipschitz.${j}`]!.value);
    }));
  });

  it('states no fact that does not follow', () => {
    expect(templateLoss.facts(params, { dimension: 3 })).toEqual({});
  });

  it('accepts finite labels only', () => {
    expect([1, -2.5, Number.NaN, Infinity].map((label) => templateLoss.labels.accepts(label))).toEqual([true, true, false, false]);
  });
});
