import { expect, test } from 'vitest';
import { shortLine, tableOf } from '../table.mjs';

const spread = (median: number) => ({ median, least: median, most: median });

test('comparisons and queries have tables of their own', () => {
  const results = [
    {
      name: 'a',
      what: 'adding up',
      unit: 'ms',
      ours: spread(2),
      reference: { form: 'plain', time: spread(4), forms: {} },
      ratio: spread(0.5),
      atBest: 0.5,
      goal: 0.7,
      met: true,
    },
    {
      name: 'q',
      what: 'asking',
      unit: 'ms',
      ours: spread(12.34),
      answer: { lower: 1, upper: 1.5 },
      known: 1.25,
      most: { time: 20, width: 0.1 },
      met: false,
    },
    { name: 'r', what: 'asking on', unit: 'ms', ours: spread(1), answer: { lower: 0, upper: 1 } },
  ];
  const text = tableOf(results);
  expect(text).toContain('| adding up | 2.00 ms | 4.00 ms (plain) | 0.50 (0.50–0.50) | 0.50 | ≤ 0.7 | met |');
  expect(text).toContain(
    '| asking | 12.3 ms | ≤ 20 | [1.0000000, 1.5000000] | 1.25 | 5.0e-1 | ≤ 0.1 | **not met** |',
  );
  expect(text).toContain('| asking on | 1.00 ms | – |');
  expect(tableOf([])).toBe('');
  expect(results.map(shortLine)).toEqual([
    '2.00 ms, ratio 0.50, goal met',
    '12.3 ms, [1.0000000, 1.5000000], goal not met',
    '1.00 ms, [0.0000000, 1.0000000]',
  ]);
  expect(shortLine({ name: 'f', what: 'failing', unit: 'ms', failed: 'no room' })).toBe('failed: no room');
});
