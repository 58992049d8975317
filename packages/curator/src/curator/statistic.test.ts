import { expect, it } from 'vitest';
import { planStatistic } from './statistic.js';

it('a replaced record moves a risk by the range of its loss, and a difference of risks by both ends', () => {
  const facts = { range: { value: 3, scope: 'every-record', provenance: 'declared' } };
  const context = { facts, dimension: 2 } as unknown as Parameters<typeof planStatistic>[0];
  const reference = new Float64Array(2);
  const moved = (statistic: Parameters<typeof planStatistic>[1]) =>
    planStatistic(context, statistic, 6).sensitivity;
  // A loss is from 0 to 3, and 0 where there is no record; a difference of two is from −3 to 3.
  expect(moved({ of: 'risk' })).toEqual({ 'replace-one': 0.5, 'add-remove': 0.5, 'zero-out': 0.5 });
  expect(moved({ of: 'risk-difference', reference })).toEqual({
    'replace-one': 1,
    'add-remove': 0.5,
    'zero-out': 0.5,
  });
});
