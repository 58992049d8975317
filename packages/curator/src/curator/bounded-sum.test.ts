import { expect, it } from 'vitest';
import { coefficientsOf } from './bounded-sum.js';

it('a record whose gradient is not finite has no part in a sum, in one norm and in two', () => {
  const slopes = [0.5, Infinity, -Infinity, Number.NaN, 3];
  const data = {
    labels: Float64Array.from(slopes, (_, i) => i),
    nulls: null,
    loss: {
      plugin: { linear: { slope: (_params: unknown, _margin: number, label: number) => slopes[label] } },
    },
    normsIn: () => Float64Array.of(1, 1, 1, 1, 2),
  } as unknown as Parameters<typeof coefficientsOf>[0];
  const at = new Float64Array(1);
  for (const norms of [['l2'], ['l2', 'l1']]) {
    const mean = {
      norm: norms[0],
      norms,
      factor: (length: number) => Math.min(1, 1 / length),
    } as unknown as Parameters<typeof coefficientsOf>[3];
    const found = coefficientsOf(
      data,
      { from: 0, to: 5 },
      { terms: [{ weight: 1, at }] },
      mean,
      (_at, out) => out,
    );
    // Of length 6, and clipped to 1.
    expect([...found]).toEqual([0.5, 0, 0, 0, 0.5]);
  }
});
