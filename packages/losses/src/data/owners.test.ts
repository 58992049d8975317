import { InvalidData } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { ownersIn } from './owners.js';
import { tableFrom } from './table.js';

const of = (ids: readonly string[] | Float64Array, seed = 7) =>
  ownersIn(tableFrom([['who', ids]]), { column: 'who', most: 3 }, seed);
const byId = (ids: readonly string[], seed?: number) => {
  const { of: slots } = of(ids, seed);
  return new Map(ids.map((id, row) => [id, slots[row]] as const));
};

describe('ownersIn', () => {
  const ids = ['b', 'a', 'b', 'c', 'a', 'd', 'e', 'f', 'b'];

  it('gives each owner a slot of its own, which is that of all its records', () => {
    const { of: slots, slots: count, most } = of(ids);
    expect([count, most]).toEqual([6, 3]);
    expect(new Set(slots)).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    const found = byId(ids);
    ids.forEach((id, row) => expect(slots[row]).toBe(found.get(id)));
  });

  it('places owners by identifier and seed, wherever and however often their records stand', () => {
    const found = byId(ids);
    expect(byId([...new Set(ids)].toReversed())).toEqual(
      new Map([...found].toReversed()) satisfies ReadonlyMap<string, number>,
    );
    expect(
      [1, 2, 3].some((seed) => JSON.stringify([...byId(ids, seed)]) !== JSON.stringify([...found])),
    ).toBe(true);
  });

  it.each([[['a', 'a ']], [['x', ' 1', '1']], [['1', 'x', '1.0']], [['12.', 'y', '12.00']]])(
    'refuses identifiers that are alike: %j',
    (alike) => {
      expect(() => of(alike)).toThrow(InvalidData);
      expect(() => of(alike)).toThrow(/as two owners/u);
    },
  );

  it('takes those that are not', () => {
    expect(of(['1', '10', '1.5', '01', 'a.0', 'a', 'A']).slots).toBe(7);
    expect(of(Float64Array.of(1, 1, 2)).slots).toBe(2);
  });

  it.each([0, 1, 2])('refuses a record without an owner, at %i', (row) => {
    expect(() => of(['a', 'b', 'c'].with(row, '  '))).toThrow(
      new RegExp(`record ${row + 1}.* nobody knows whose`, 'u'),
    );
  });

  it('names a column that is not there', () => {
    expect(() => ownersIn(tableFrom([['who', ['a']]]), { column: 'whom' }, 1)).toThrow(/whom/u);
  });
});
