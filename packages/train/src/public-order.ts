import { InvalidParameter, seededRandom } from '@lethe/core';

const low = 0xffff_ffffn;

/**
 * A public random order of the first `size` of `rows` positions. Each position has a key of its own, from the
 * seed, and they stand in the order of their keys: one record more, or less, at the end changes the order of
 * no others.
 *
 * @param size - Positions to take; those with the least keys. Left out: all.
 * @throws {InvalidParameter} for more positions than there are, and for what is no whole number.
 */
export function publicOrder(seed: number, rows: number, size = rows): Uint32Array {
  for (const [name, value] of Object.entries({ rows, size }))
    if (!Number.isSafeInteger(value) || value < 0)
      throw new InvalidParameter(`${name} is ${String(value)}; it must be a whole number, 0 or more`, {
        name,
      });
  if (size > rows)
    throw new InvalidParameter(`size asks for ${size} records, the data have ${rows}`, { size, rows });
  const randomness = seededRandom(`order/${seed}`);
  const keyed = new BigUint64Array(rows);
  for (let position = 0; position < rows; position++)
    keyed[position] = (BigInt(randomness.bits32()) << 32n) | BigInt(position);
  keyed.sort();
  return Uint32Array.from(keyed.subarray(0, size), (one) => Number(one & low));
}
