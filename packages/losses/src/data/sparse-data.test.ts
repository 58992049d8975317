import { InvalidParameter, seededRandom } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { selectRows } from './select-rows.js';
import { sparseData } from './sparse-data.js';

const spec = { rows: 3000, columns: 40, entries: 12, exponent: 1, flipped: 0 };

describe('sparseData', () => {
  const { features, labels, weights } = sparseData(spec, seededRandom('sparse'));
  const entriesOf = (row: number): readonly (readonly [number, number])[] =>
    Array.from({ length: features.rowStarts[row + 1] - features.rowStarts[row] }, (_, k) => [
      features.columnIndices[features.rowStarts[row] + k],
      features.values[features.rowStarts[row] + k],
    ]);

  it('gives rows of norm 1 with ascending columns, of at most as many entries as draws', () => {
    for (let row = 0; row < features.rows; row++) {
      const entries = entriesOf(row);
      expect(entries.length).toBeLessThanOrEqual(spec.entries);
      expect(Math.hypot(...entries.map(([, value]) => value))).toBeCloseTo(1, 12);
      expect(entries.every(([column], k) => k === 0 || column > entries[k - 1][0])).toBe(true);
    }
  });

  it('labels by the sign of the margin', () => {
    for (let row = 0; row < features.rows; row++) {
      const margin = entriesOf(row).reduce((sum, [column, value]) => sum + weights[column] * value, 0);
      expect(labels[row]).toBe(margin < 0 ? -1 : 1);
    }
  });

  it('draws columns by the power law', () => {
    const rowsWith = (column: number): number =>
      features.columnIndices.reduce((count, at) => count + (at === column ? 1 : 0), 0);
    const total = Array.from({ length: 40 }, (_, j) => 1 / (j + 1)).reduce((a, b) => a + b);
    for (const column of [0, 3, 15]) {
      const chance = 1 - (1 - 1 / (column + 1) / total) ** spec.entries;
      // Six standard errors.
      expect(Math.abs(rowsWith(column) / spec.rows - chance)).toBeLessThan(
        6 * Math.sqrt((chance * (1 - chance)) / spec.rows),
      );
    }
  });

  it('is the same again, and refuses what it cannot make', () => {
    expect(sparseData(spec, seededRandom('sparse'))).toEqual({ features, labels, weights });
    for (const bad of [{ entries: 0 }, { columns: 0 }, { exponent: -1 }, { rows: 2 ** 27, entries: 100 }])
      expect(() => sparseData({ ...spec, ...bad }, seededRandom('sparse'))).toThrow(InvalidParameter);
  });

  it('keeps rows that are selected, in their order', () => {
    const chosen = selectRows(features, Uint32Array.of(7, 2));
    expect([...chosen.rowStarts]).toEqual([
      0,
      entriesOf(7).length,
      entriesOf(7).length + entriesOf(2).length,
    ]);
    expect([...chosen.values]).toEqual([...entriesOf(7), ...entriesOf(2)].map(([, value]) => value));
    expect([...chosen.columnIndices]).toEqual([...entriesOf(7), ...entriesOf(2)].map(([column]) => column));
  });
});
