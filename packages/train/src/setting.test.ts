import { attachData, openLedger, type DataSet } from '@lethe/curator';
import { logistic, losses, parseCsv } from '@lethe/losses';
import { expect, test } from 'vitest';
import { readingOf } from './reading.js';
import { parseSchema } from './schema.js';
import { heldOutSlots, slotsOf } from './setting.js';

const schema = parseSchema({
  label: { type: 'above', column: 'y', threshold: 0 },
  columns: { x: { type: 'number', lower: 0, upper: 100 } },
  owner: { column: 'who', most: 3 },
});

/** Records of these owners, turn by turn. */
function attached(
  owned: Readonly<Record<string, readonly number[]>>,
): DataSet & { readonly held: Uint8Array } {
  const lines: string[] = ['who,x,y'];
  for (let turn = 0; turn < 6; turn++)
    for (const [who, xs] of Object.entries(owned))
      if (turn < xs.length) lines.push(`${who},${xs[turn]},${(xs[turn] % 2) - 0.5}`);
  const { records, slots, owners } = slotsOf(parseCsv(lines.join('\n'), readingOf(schema, true)), schema);
  const data = attachData({
    features: records.features,
    labels: records.labels,
    loss: logistic({}),
    registry: losses,
    ledger: openLedger({ adjacency: 'replace-one' }),
    ...(owners === null ? {} : { owners }),
  });
  return Object.assign(Object.create(data), {
    held: heldOutSlots({ heldOut: 0.5, key: 'test' }, { slots, owners }),
  }) as DataSet & { readonly held: Uint8Array };
}

test('what one owner has changes one slot, however many records come or go', () => {
  const others = { ann: [1, 2, 3, 4, 5], cid: [10], dan: [20, 21, 22, 23], eve: [30, 31] };
  const rowOf = ({ stored, labels, labelWidth }: DataSet, slot: number): string => {
    if ('rowStarts' in stored) throw new Error('owners are dense');
    const { data, offset, rowStride, columnStride, columns } = stored;
    const row = Array.from({ length: columns }, (_, j) => data[offset + slot * rowStride + j * columnStride]);
    return [...row, ...labels.subarray(slot * labelWidth, (slot + 1) * labelWidth)].join(' ');
  };
  const here = attached({ bob: [50], ...others });
  const there = attached({ ...others, bob: [60, 61, 62, 63, 64, 65] });
  const changed = Array.from({ length: 5 }, (_, slot) => slot).filter(
    (slot) => rowOf(here, slot) !== rowOf(there, slot),
  );
  expect(here.slots).toBe(5);
  expect(changed).toHaveLength(1);
  expect([...there.held]).toEqual([...here.held]);
});

test('identifiers that are alike are refused, and others are owners of their own', () => {
  const slots = (...ids: readonly string[]): number => {
    const lines = ['who,x,y', ...ids.map((id) => `${id},1,1`)];
    return slotsOf(parseCsv(lines.join('\n'), readingOf(schema, true)), schema).slots;
  };
  for (const [one, other] of [
    ['ann', 'ann '],
    ['"a b"', '" a b"'],
    ['1', '1.0'],
    ['7.', '7.00'],
  ])
    expect(() => slots(one, 'bob', other)).toThrow(/two owners/u);
  expect(slots('ann', 'Ann', 'a nn', '1.1', '1.10', '07', '7', '1e1', '10', 'ann')).toBe(9);
});
