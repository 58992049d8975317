import { box, l2Ball, largestNorm, wholeSpace } from '@lethe/numerics';
import { expect, it } from 'vitest';
import { boundsWithin } from './bounds-within.js';
import { squared } from './squared.js';

const records = { columns: 2, featureNorm: 1, labelBound: 1 };
const within = (domain: Parameters<typeof boundsWithin>[1]) =>
  boundsWithin({ plugin: squared, params: {} }, domain, records);

it('takes the largest norm of a point of the domain, not the norm of its centre and a diameter', () => {
  for (const [domain, norm, diameter] of [
    [l2Ball({ dimension: 2, radius: 1 }), 1, 2],
    [l2Ball({ dimension: 2, radius: 1, centre: Float64Array.of(3, 4) }), 6, 2],
    [box({ lower: Float64Array.of(-3, -4), upper: Float64Array.of(3, 4) }), 5, 10],
  ] as const) {
    const { record, facts } = within(domain);
    expect(record).toEqual({ ...records, iterateNorm: largestNorm(domain) });
    expect(record.iterateNorm).toBeGreaterThanOrEqual(norm);
    expect(record.iterateNorm).toBeCloseTo(norm, 12);
    // |⟨w, x⟩ − y| ≤ ‖w‖ + 1.
    expect(facts['lipschitz'].value).toBeCloseTo(norm + 1, 9);
    expect(facts['diameter'].value).toBeCloseTo(diameter, 12);
  }
});

it('says nothing of iterates in an unbounded domain', () => {
  const { record, facts } = within(wholeSpace(2));
  expect(record).toEqual(records);
  expect(Object.keys(facts)).toEqual(['smoothness']);
});
