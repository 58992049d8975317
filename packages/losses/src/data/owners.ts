import { InvalidData, parseOrThrow, type Owners } from '@lethe/core';
import { encode, keyedHasher } from '@lethe/numerics';
import * as z from 'zod';
import { noColumn, recordAt, type Table } from './table.js';

/** Which column of a table says whose a record is, and how many of one owner's records count. */
export const ownerSpec = z.strictObject({
  column: z
    .string()
    .min(1)
    .describe(
      'Column with the identifier of the owner of each record. Which identifiers there are is public.',
    ),
  ids: z.enum(['text', 'number']).default('text').describe('How the identifiers are read.'),
  most: z
    .int()
    .min(1)
    .max(2 ** 20)
    .default(10)
    .describe(
      'Records of one owner that count: the first ones of the file. Chosen without a look at the data.',
    ),
});
/** Parsed form of {@link ownerSpec}. */
export type OwnerSpec = z.output<typeof ownerSpec>;

/**
 * Whose the records of a table are. Identifiers are compared letter by letter, and those that differ by
 * spaces around them or by zeros after the point of a number alone are refused: one owner under two
 * identifiers would have two slots, and the promise of one. Slots stand in the order of keyed hashes of the
 * identifiers, so that an owner's slot depends on no other owner's records; the table is then attached in its
 * own order, so that which of an owner's records count does not either.
 *
 * @param seed - Public seed of the order of owners.
 * @throws {InvalidData} for a table without the column, for records without an owner, and for identifiers
 * that are alike. Which identifiers there are is public, so that the refusal tells nothing of a record.
 */
export function ownersIn(table: Table, spec: z.input<typeof ownerSpec>, seed: number): Owners {
  const { column: name, most } = parseOrThrow(ownerSpec, spec, 'owner');
  const column = table.columns.get(name);
  if (column === undefined) throw noColumn(name, table.names);
  const ids = Array.from(column, String);
  const nobody = ids.findIndex((id) => id.trim() === '');
  if (nobody >= 0)
    throw new InvalidData(
      `${recordAt(table, nobody)} has no '${name}', so nobody knows whose it is; give it`,
      { row: nobody + 1, column: name },
    );
  const unlike = assertUnlike(new Set(ids), name);
  const key = new TextEncoder().encode('lethe/owner/slot');
  const placed = [...unlike].map((id) => {
    const hasher = keyedHasher(key);
    hasher.update(encode({ seed, id }));
    return { id, digest: hasher.digest() };
  });
  placed.sort((a, b) => compared(a.digest, b.digest));
  const slotOf = new Map(placed.map(({ id }, slot) => [id, slot] as const));
  return {
    of: Uint32Array.from(ids, (id) => slotOf.get(id) ?? 0),
    slots: slotOf.size,
    most,
  };
}

/** An identifier without what two ways to write one owner differ by. */
const coreOf = (id: string): string => {
  const bare = id.trim();
  return /^\d+\.0*$/u.test(bare) ? bare.slice(0, bare.indexOf('.')) : bare;
};

function assertUnlike(ids: ReadonlySet<string>, column: string): ReadonlySet<string> {
  const firstOf = new Map<string, string>();
  for (const id of ids) {
    const first = firstOf.get(coreOf(id));
    if (first !== undefined) {
      const pair = `${JSON.stringify(first)} and ${JSON.stringify(id)}`;
      throw new InvalidData(
        `the identifiers ${pair} of '${column}' differ by spaces or by zeros after a point alone: as two ` +
          'owners, each would be protected for a part of the records. Write each owner in one way, or say ' +
          'ids: number where identifiers are numbers',
        { column, ids: [first, id] },
      );
    }
    firstOf.set(coreOf(id), id);
  }
  return ids;
}

function compared(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at < 0 ? 0 : a[at] - b[at];
}
