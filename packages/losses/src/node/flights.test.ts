import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { designMatrix } from '../data/design.js';
import { readTable } from './index.js';

const require = createRequire(import.meta.url);
const data = join(dirname(require.resolve('vega-datasets')), '../data');

/** Mean and kurtosis E(x − mean)⁴ / (E(x − mean)²)². */
function shapeOf(values: Float64Array): { mean: number; kurtosis: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const central = (power: number): number =>
    values.reduce((sum, value) => sum + (value - mean) ** power, 0) / values.length;
  return { mean, kurtosis: central(4) / central(2) ** 2 };
}

describe('real flight delays', () => {
  it('reads three million records from Parquet', async () => {
    const table = await readTable(join(data, 'flights-3m.parquet'), {
      columns: { date: 'time', delay: 'number', distance: 'number' },
    });
    expect(table.rows).toBe(3_000_000);
    const column = (name: string): Float64Array => table.columns.get(name) as Float64Array;
    const range = (name: string): number[] => [
      column(name).reduce((a, b) => Math.min(a, b)),
      column(name).reduce((a, b) => Math.max(a, b)),
    ];
    expect(range('delay')).toEqual([-1116, 1688]);
    expect(range('distance')).toEqual([21, 4962]);
    expect(range('date')).toEqual([Date.UTC(2001, 0, 1, 0, 1), Date.UTC(2001, 6, 1)]);
    const { mean, kurtosis } = shapeOf(column('delay'));
    expect(mean).toBeCloseTo(6.667867666666667, 9);
    expect(kurtosis).toBeCloseTo(115.1397, 3);

    const design = designMatrix(table, {
      features: [
        { column: 'distance', encoding: 'scale', lower: 0, upper: 3000 },
        { column: 'date', part: 'minute-of-day', encoding: 'cyclic' },
      ],
      label: { column: 'delay', threshold: 15 },
    });
    expect([design.rows, design.columns]).toEqual([3_000_000, 4]);
    expect(design.labels.reduce((late, label) => late + (label > 0 ? 1 : 0), 0)).toBe(599_055);
  });

  it('reads the Arrow and JSON selections', async () => {
    const arrow = await readTable(join(data, 'flights-200k.arrow'));
    const json = await readTable(join(data, 'flights-2k.json'), {
      columns: { delay: 'number', distance: 'number', date: 'time', origin: 'text' },
    });
    expect([arrow.rows, arrow.names]).toEqual([200_000, ['delay', 'distance', 'time']]);
    expect(shapeOf(arrow.columns.get('delay') as Float64Array).kurtosis).toBeCloseTo(102.87105597305064, 6);
    expect(json.rows).toBe(2000);
    expect(json.columns.get('date')?.[0]).toBe(Date.UTC(2001, 0, 1, 6, 55));
  });
});
