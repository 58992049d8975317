import { box, l2Ball, largestNorm, wholeSpace } from '@lethe/numerics';
import { expect, it } from 'vitest';
import { marginLoss } from '../../test/margin-loss.js';
import { boundsWithin } from './known-bounds.js';

const loss = marginLoss((_params, { iterateNorm }) =>
  iterateNorm === undefined
    ? {}
    : { lipschitz: { value: iterateNorm, scope: 'every-record', provenance: 'from-domain' } },
);
const within = (domain: Parameters<typeof boundsWithin>[1]) =>
  boundsWithin({ plugin: loss, params: {} }, domain, { columns: 2, featureNorm: 3 });

it('takes the largest norm of a point of the domain, not the norm of its centre and a diameter', () => {
  for (const [domain, norm, diameter] of [
    [l2Ball({ dimension: 2, radius: 1 }), 1, 2],
    [l2Ball({ dimension: 2, radius: 1, centre: Float64Array.of(3, 4) }), 6, 2],
    [box({ lower: Float64Array.of(-3, -4), upper: Float64Array.of(3, 4) }), 5, 10],
  ] as const) {
    const { record, facts } = within(domain);
    expect(record).toEqual({ columns: 2, featureNorm: 3, iterateNorm: largestNorm(domain) });
    expect(record.iterateNorm).toBeGreaterThanOrEqual(norm);
    expect(record.iterateNorm).toBeCloseTo(norm, 12);
    expect(Object.keys(facts)).toEqual(['lipschitz', 'diameter']);
    expect(facts['lipschitz'].value).toBe(record.iterateNorm);
    expect(facts['diameter'].value).toBeCloseTo(diameter, 12);
  }
});

it('says nothing of iterates in an unbounded domain', () => {
  expect(within(wholeSpace(2))).toEqual({ record: { columns: 2, featureNorm: 3 }, facts: {} });
});
