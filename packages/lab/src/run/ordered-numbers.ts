import { numberFile, type NumberFile } from '@lethe/node';
import { numbersOf, type Numbers, type Precision } from '@lethe/numerics';

/** Files that are open at once. */
const mostBuckets = 256;
/** Rows that are read or written by one call. */
const pieceRows = 4096;

/** An empty file of numbers of so many bits. */
export const numbersOnDisk = (precision: Precision): NumberFile<Numbers> =>
  precision === 32 ? numberFile({ precision }) : numberFile();

/**
 * The rows of a file in another order, in a file of their own: each goes to the bucket of its place, and each
 * bucket is put in order in memory, so that no file is read or written here and there.
 *
 * @param order - Distinct rows to take, in this order.
 * @param together - Numbers of the rows that are put in order together, in memory.
 */
export function inOrder(
  from: NumberFile<Numbers>,
  {
    rows,
    width,
    precision,
  }: { readonly rows: number; readonly width: number; readonly precision: Precision },
  order: Uint32Array,
  together = 2 ** 23,
): NumberFile<Numbers> {
  const size = Math.max(1, Math.floor(together / width), Math.ceil(order.length / mostBuckets));
  const nowhere = order.length;
  const places = new Uint32Array(rows).fill(nowhere);
  for (let place = 0; place < order.length; place++) places[order[place]] = place;
  const buckets = Array.from({ length: Math.ceil(order.length / size) }, () =>
    bucketOf(width + 1, precision),
  );
  const out = numbersOnDisk(precision);
  try {
    const piece = numbersOf(pieceRows * width, precision);
    for (let row = 0; row < rows; row += pieceRows) {
      const count = Math.min(pieceRows, rows - row);
      from.read(row * width, piece.subarray(0, count * width));
      for (let i = 0; i < count; i++) {
        const place = places[row + i];
        if (place === nowhere) continue;
        buckets[Math.floor(place / size)].add(place % size, piece.subarray(i * width, (i + 1) * width));
      }
    }
    const room = numbersOf(Math.min(size, order.length) * width, precision);
    buckets.forEach((bucket, k) => {
      const count = Math.min(size, order.length - k * size);
      bucket.each((place, row) => room.set(row, place * width));
      out.append(room.subarray(0, count * width));
      bucket.close();
    });
    return out;
  } catch (error) {
    out.close();
    for (const bucket of buckets) bucket.close();
    throw error;
  }
}

/** Rows with a number each, in a file. The number is below 2^24, which 32 bits hold too. */
function bucketOf(width: number, precision: Precision) {
  const file = numbersOnDisk(precision);
  const held = numbersOf(Math.max(1, Math.floor(8192 / width)) * width, precision);
  let used = 0;
  let isOpen = true;
  const flush = (): void => {
    if (used > 0) file.append(held.subarray(0, used));
    used = 0;
  };
  return {
    add(place: number, row: Numbers): void {
      held[used] = place;
      held.set(row, used + 1);
      used += width;
      if (used === held.length) flush();
    },
    each(use: (place: number, row: Numbers) => void): void {
      flush();
      for (let at = 0; at < file.length; at += held.length) {
        const some = held.subarray(0, Math.min(held.length, file.length - at));
        file.read(at, some);
        for (let k = 0; k < some.length; k += width) use(some[k], some.subarray(k + 1, k + width));
      }
    },
    close(): void {
      if (isOpen) file.close();
      isOpen = false;
    },
  };
}
