import type { NumberStore } from '@lethe/core';
import { Corrupt, keyedHash128, longSums, secureRandom, type Numbers, type Precision } from '@lethe/numerics';

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
  note(at: number, numbers: Numbers): void;
  /**
   * Reads and checks whole pages. Numbers of 64 bits go to memory of an arena without a second copy.
   *
   * @param at - A multiple of {@link pageLength}.
   * @param into - As long as whole pages, or as all numbers up to the end.
   * @throws {Corrupt} for a page that is not as it was noted, and where the store fails.
   */
  read(at: number, into: Numbers): void;
  /** The same for any stretch of numbers; the page that was read last is kept. */
  readAny(at: number, into: Numbers): void;
}

/** Memory for numbers that are read as words of 64 bits too; the last word may have room for one more. */
function staged(length: number, precision: Precision): { numbers: Numbers; words: Float64Array } {
  const words = new Float64Array(precision === 64 ? length : Math.ceil(length / 2));
  return { numbers: precision === 64 ? words : new Float32Array(words.buffer, 0, length), words };
}

/**
 * A fresh key for each store, so that no page of one stands for a page of another.
 *
 * @param precision - Bits of a number of the store; whatever is read into, or noted, has numbers of as many.
 */
export function checkedPages(
  store: NumberStore | NumberStore<Float32Array>,
  precision: Precision,
): CheckedPages {
  const key = secureRandom().bytes(16);
  const sums = longSums(secureRandom().bytes(16));
  const wordsIn = (length: number): number => (precision === 64 ? length : Math.ceil(length / 2));
  const size = sums.size(wordsIn(pageLength));
  const digests = new Uint8Array(Math.ceil(store.length / pageLength) * digestLength);
  const staging = staged(together * pageLength, precision);
  const copied = staged(together * pageLength, precision);
  const found = new Uint8Array(together * size);
  /** The sums of a page, its place and its length. */
  const told = new Uint8Array(size + 16);
  const place = new DataView(told.buffer, size);
  const page = staged(pageLength, precision).numbers;
  let held = -1;

  /**
   * Copies the pages that are staged to `into`, and calls `use` with the place of each one's digest and the
   * digest of what was copied.
   */
  const eachDigest = (at: number, into: Numbers, use: (place: number, digest: Uint8Array) => void): void => {
    const words = wordsIn(into.length);
    if (into instanceof Float64Array) sums.copy(staging.words.subarray(0, words), into, found);
    else {
      // Half of the last word may be a number of pages before.
      if (into.length % 2 === 1) staging.numbers.fill(0, into.length, into.length + 1);
      sums.copy(staging.words.subarray(0, words), copied.words.subarray(0, words), found);
      into.set(copied.numbers.subarray(0, into.length));
    }
    for (let start = 0, k = 0; start < into.length; start += pageLength, k++) {
      const length = Math.min(pageLength, into.length - start);
      const bytes = sums.size(wordsIn(length));
      told.fill(0, bytes);
      told.set(found.subarray(k * size, k * size + bytes));
      place.setFloat64(0, at + start, true);
      place.setFloat64(8, length, true);
      use(((at + start) / pageLength) * digestLength, keyedHash128(key, told));
    }
  };
  const eachPiece = (at: number, numbers: Numbers, use: (at: number, piece: Numbers) => void): void => {
    const most = together * pageLength;
    for (let from = 0; from < numbers.length; from += most)
      use(at + from, numbers.subarray(from, Math.min(numbers.length, from + most)));
  };
  const read = (at: number, into: Numbers): void => {
    eachPiece(at, into, (from, piece) => {
      try {
        (store as NumberStore<Numbers>).read(from, staging.numbers.subarray(0, piece.length));
      } catch (cause) {
        throw changed('cannot be read', cause);
      }
      let isSame = true;
      eachDigest(from, piece, (where, digest) => {
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
        staging.numbers.set(piece);
        eachDigest(from, copied.numbers.subarray(0, piece.length), (where, digest) => {
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
