import type { NumberStore } from '@lethe/core';
import { Corrupt, keyedHash128, longSums, secureRandom } from '@lethe/numerics';

/** Numbers of a page, which is read and checked as a whole. */
export const pageLength = 2048;
/** Pages that are read by one call of a store at most. */
const together = 16;
const digestLength = 16;

/**
 * The numbers of a store by pages, each with a digest under a key that is in this process alone: a page that
 * differs from what was put there last is refused, and never used.
 */
export interface CheckedPages {
  /**
   * Notes the digests of pages from place `at` on, whose numbers the store holds by now.
   *
   * @param at - A multiple of {@link pageLength}.
   * @param numbers - Whole pages, or all numbers up to the end.
   */
  note(at: number, numbers: Float64Array): void;
  /**
   * Reads and checks whole pages; memory of an arena is written without a second copy.
   *
   * @param at - A multiple of {@link pageLength}.
   * @param into - As long as whole pages, or as all numbers up to the end.
   * @throws {Corrupt} for a page that is not as it was noted, and where the store fails.
   */
  read(at: number, into: Float64Array): void;
  /** The same for any stretch of numbers; the page that was read last is kept. */
  readAny(at: number, into: Float64Array): void;
}

/** A fresh key for each store, so that no page of one stands for a page of another. */
export function checkedPages(store: NumberStore): CheckedPages {
  const key = secureRandom().bytes(16);
  const sums = longSums(secureRandom().bytes(16));
  const size = sums.size(pageLength);
  const digests = new Uint8Array(Math.ceil(store.length / pageLength) * digestLength);
  const staging = new Float64Array(together * pageLength);
  const found = new Uint8Array(together * size);
  /** The sums of a page, its place and its length. */
  const told = new Uint8Array(size + 16);
  const place = new DataView(told.buffer, size);
  const page = new Float64Array(pageLength);
  let held = -1;

  /** Copies pages, and calls `use` with the place of each one's digest and the digest. */
  const eachDigest = (
    at: number,
    from: Float64Array,
    into: Float64Array,
    use: (place: number, digest: Uint8Array) => void,
  ): void => {
    sums.copy(from, into, found);
    for (let start = 0, k = 0; start < from.length; start += pageLength, k++) {
      const length = Math.min(pageLength, from.length - start);
      told.fill(0, sums.size(length));
      told.set(found.subarray(k * size, k * size + sums.size(length)));
      place.setFloat64(0, at + start, true);
      place.setFloat64(8, length, true);
      use(((at + start) / pageLength) * digestLength, keyedHash128(key, told));
    }
  };
  const eachPiece = (
    at: number,
    numbers: Float64Array,
    use: (at: number, piece: Float64Array) => void,
  ): void => {
    for (let from = 0; from < numbers.length; from += staging.length)
      use(at + from, numbers.subarray(from, Math.min(numbers.length, from + staging.length)));
  };
  const read = (at: number, into: Float64Array): void => {
    eachPiece(at, into, (from, piece) => {
      const given = staging.subarray(0, piece.length);
      try {
        store.read(from, given);
      } catch (cause) {
        throw changed('cannot be read', cause);
      }
      let isSame = true;
      eachDigest(from, given, piece, (where, digest) => {
        for (let i = 0; i < digestLength; i++) if (digests[where + i] !== digest[i]) isSame = false;
      });
      if (isSame) return;
      piece.fill(0);
      throw changed('are not those that were attached');
    });
  };
  return {
    note(at, numbers) {
      held = -1;
      eachPiece(at, numbers, (from, piece) => {
        eachDigest(from, piece, staging.subarray(0, piece.length), (where, digest) => {
          digests.set(digest, where);
        });
      });
    },
    read,
    readAny(at, into) {
      for (let done = 0; done < into.length;) {
        const from = Math.floor((at + done) / pageLength) * pageLength;
        const length = Math.min(pageLength, store.length - from);
        if (held !== from) {
          held = -1;
          read(from, page.subarray(0, length));
          held = from;
        }
        const start = at + done - from;
        const count = Math.min(length - start, into.length - done);
        into.set(page.subarray(start, start + count), done);
        done += count;
      }
    },
  };
}

const refusals = new WeakSet<object>();

/** Whether records that are kept outside memory were refused: no plugin can make such an error. */
export const isChangedStore = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && refusals.has(error);

function changed(what: string, cause?: unknown): Corrupt {
  const error = new Corrupt(
    `records that are kept outside memory ${what}; attach the data again, and resume the run`,
    {},
    { cause },
  );
  refusals.add(error);
  return error;
}
