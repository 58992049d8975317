import ndarray from 'ndarray';
import { expect, it } from 'vitest';
import { marginLoss } from '../../test/margin-loss.js';
import { openLedger } from '../ledger/index.js';
import { attachData } from './data-set.js';
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

it('gradients as long as the radius are not beyond it', () => {
  const loss = marginLoss();
  const ledger = openLedger({ adjacency: 'zero-out' });
  // Of lengths 5, 3 and 0: each gradient is its record.
  const features = ndarray(Float64Array.of(3, 4, 0, 3, 0, 0), [3, 2]);
  const labels = new Float64Array(3).fill(1);
  const data = attachData({ features, labels, loss: loss({}), registry: [loss], ledger });
  const context = { facts: {}, dimension: 2 } as unknown as Parameters<typeof planStatistic>[0];
  const share = (radius: number) =>
    planStatistic(context, { of: 'gradient-norm-beyond', radius }, 3).valueAt(
      data,
      { from: 0, to: 3 },
      new Float64Array(2),
    );
  expect([0, 1, 3, 4, 5].map((radius) => Math.round(3 * share(radius)))).toEqual([2, 2, 1, 1, 0]);
});
