/**
 * Doubles that are appended one after another, without an object for each and without holes. They lie in
 * pieces, so that a list that grows copies nothing.
 */
export interface NumberList {
  readonly full: Float64Array[];
  /** The piece that is being filled, and how much of it is. */
  last: Float64Array;
  used: number;
}

const longestPiece = 2 ** 16;
/** Of so many numbers that were foreseen one may be too many: less than what a copy would take. */
const spareShare = 16;

export const newNumberList = (): NumberList => ({ full: [], last: new Float64Array(16), used: 0 });

/**
 * Makes room for so many numbers in all, where they are foreseen. Memory is the system's until it is filled;
 * where it gives none, the list grows as others do.
 */
export function foresee(list: NumberList, length: number): void {
  if (list.full.length > 0 || list.last.length >= length) return;
  try {
    const wider = new Float64Array(length);
    wider.set(list.last.subarray(0, list.used));
    list.last = wider;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

/** Begins another piece where the last one is full. */
function ensurePlace(list: NumberList): void {
  if (list.used < list.last.length) return;
  list.full.push(list.last);
  list.last = new Float64Array(Math.min(2 * list.last.length, longestPiece));
  list.used = 0;
}

/** Appends one number. */
export function appendNumber(list: NumberList, value: number): void {
  ensurePlace(list);
  list.last[list.used++] = value;
}

/** Appends numbers. */
export function appendNumbers(list: NumberList, values: Float64Array): void {
  for (let at = 0; at < values.length;) {
    ensurePlace(list);
    const count = Math.min(values.length - at, list.last.length - list.used);
    list.last.set(values.subarray(at, at + count), list.used);
    list.used += count;
    at += count;
  }
}

/** The numbers, in an array of their own memory; the list is empty afterwards. */
export function takeNumbers(list: NumberList): Float64Array {
  const { full, last, used } = list;
  Object.assign(list, { last: new Float64Array(16), used: 0 });
  if (full.length === 0 && last.length - used <= used / spareShare) return last.subarray(0, used);
  const before = full.reduce((sum, { length }) => sum + length, 0);
  const numbers = new Float64Array(before + used);
  let at = 0;
  for (const piece of full.splice(0)) {
    numbers.set(piece, at);
    at += piece.length;
  }
  numbers.set(last.subarray(0, used), at);
  return numbers;
}
