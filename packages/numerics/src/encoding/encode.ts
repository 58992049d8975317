import { InvalidParameter } from '../errors.js';
import { deepest, isLittleEndian, longCount, tag } from './tags.js';
import { defined } from '../defined.js';

/** A reusable buffer that grows when needed. */
export interface Scratch {
  /** Replaced by a longer array when a value does not fit, so read this field after encoding. */
  bytes: Uint8Array<ArrayBuffer>;
  view: DataView<ArrayBuffer>;
}

/** A new buffer of `size` bytes. */
export function createScratch(size = 1024): Scratch {
  const bytes = new Uint8Array(size);
  return { bytes, view: new DataView(bytes.buffer) };
}

/** Grows the buffer to at least `size` bytes and keeps its content. */
export function ensureRoom(scratch: Scratch, size: number): void {
  if (size <= scratch.bytes.length) return;
  const wider = new Uint8Array(Math.max(2 * scratch.bytes.length, size));
  wider.set(scratch.bytes);
  scratch.bytes = wider;
  scratch.view = new DataView(wider.buffer);
}

/** Memory for the next value; none while one is written. */
let idle: Scratch | undefined = createScratch();
const text = new TextEncoder();
const loneSurrogate = /\p{Surrogate}/u;

/**
 * Canonical encoding of a plain value: equal values have equal bytes, and different values different bytes.
 * Fields are sorted by name, undefined fields are dropped, and doubles are stored exactly (a NaN number
 * becomes the standard NaN; a NaN inside a `Float64Array` keeps its payload). Every field is read only once,
 * so an accessor cannot return two values.
 *
 * @param value - `null`, booleans, numbers, well-formed strings, `Float64Array`, `Uint32Array`, `Uint8Array`,
 * and arrays and plain objects of these.
 * @throws {InvalidParameter} for anything else, and beyond 64 levels of nesting.
 */
export function encode(value: unknown): Uint8Array<ArrayBuffer> {
  // An accessor of the value may encode another one.
  const scratch = idle ?? createScratch();
  idle = undefined;
  try {
    const end = encodeInto(scratch, value);
    return scratch.bytes.slice(0, end);
  } finally {
    idle = scratch;
  }
}

/**
 * Writes the encoding of `value` into `scratch` at byte `at`; earlier bytes are kept.
 *
 * @returns the position after the last byte written.
 * @throws {InvalidParameter} as {@link encode}.
 */
export function encodeInto(scratch: Scratch, value: unknown, at = 0): number {
  return put(scratch, value, at, 0);
}

function put(scratch: Scratch, value: unknown, at: number, depth: number): number {
  ensureRoom(scratch, at + 9);
  switch (typeof value) {
    case 'number':
      scratch.bytes[at] = tag.number;
      scratch.view.setFloat64(at + 1, value === value ? value : NaN, true);
      return at + 9;
    case 'string':
      scratch.bytes[at] = tag.string;
      return putText(scratch, value, at + 1);
    case 'boolean':
      scratch.bytes[at] = value ? tag.true : tag.false;
      return at + 1;
    case 'object':
      if (value === null) {
        scratch.bytes[at] = tag.null;
        return at + 1;
      }
      if (depth >= deepest)
        throw new InvalidParameter(
          `plain data nest at most ${deepest} levels; this value is deeper, or cyclic. Flatten it.`,
          { deepest },
        );
      if (Array.isArray(value)) return putList(scratch, value, at, depth);
      return ArrayBuffer.isView(value)
        ? putArray(scratch, value, at)
        : putRecord(scratch, value as Readonly<Record<string, unknown>>, at, depth);
    default:
      throw notPlain(typeof value);
  }
}

const notPlain = (got: string): InvalidParameter =>
  new InvalidParameter(
    `got ${got === 'undefined' ? 'undefined (a hole, an item or a whole value)' : `a ${got}`}; ` +
      'plain data are null, booleans, numbers, strings, Float64Array, Uint32Array, Uint8Array, ' +
      'and arrays and plain objects of these',
    { got },
  );

/** Writes a count and returns the position after it. */
export function putCount(scratch: Scratch, count: number, at: number): number {
  if (count < longCount) {
    scratch.bytes[at] = count;
    return at + 1;
  }
  scratch.bytes[at] = longCount;
  scratch.view.setUint32(at + 1, count, true);
  return at + 5;
}

/**
 * Writes short ASCII strings byte by byte, which covers nearly all names; others by the platform's encoder.
 */
function putText(scratch: Scratch, value: string, at: number): number {
  const { length } = value;
  ensureRoom(scratch, at + 5 + 3 * length);
  const { bytes } = scratch;
  if (length < 64) {
    let i = 0;
    for (let code; i < length && (code = value.charCodeAt(i)) < 128; i++) bytes[at + 1 + i] = code;
    if (i === length) {
      bytes[at] = length;
      return at + 1 + length;
    }
  }
  if (loneSurrogate.test(value))
    throw new InvalidParameter(
      'a string contains half of a surrogate pair, which has no UTF-8 form; use well-formed strings',
      { value },
    );
  const coded = text.encode(value);
  const after = putCount(scratch, coded.length, at);
  bytes.set(coded, after);
  return after + coded.length;
}

function putList(scratch: Scratch, list: readonly unknown[], at: number, depth: number): number {
  const { length } = list;
  scratch.bytes[at] = tag.list;
  let end = putCount(scratch, length, at + 1);
  for (let i = 0; i < length; i++) end = put(scratch, list[i], end, depth + 1);
  return end;
}

function putRecord(
  scratch: Scratch,
  fields: Readonly<Record<string, unknown>>,
  at: number,
  depth: number,
): number {
  const prototype: unknown = Object.getPrototypeOf(fields);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw notPlain(fields.constructor?.name ?? 'class instance');
  const names = Object.keys(fields);
  if (names.length > 32) names.sort();
  const values: unknown[] = [];
  let count = 0;
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    const value = fields[name];
    if (value === undefined) continue;
    let place = count++;
    for (; place > 0 && names[place - 1] > name; place--) {
      names[place] = names[place - 1];
      values[place] = values[place - 1];
    }
    names[place] = name;
    values[place] = value;
  }
  scratch.bytes[at] = tag.record;
  let end = putCount(scratch, count, at + 1);
  for (let i = 0; i < count; i++) {
    end = putText(scratch, names[i], end);
    end = put(scratch, values[i], end, depth + 1);
  }
  return end;
}

/** Intrinsic getters of typed arrays: own properties with these names cannot shadow them. */
const kindOf = intrinsic<string | undefined>(Symbol.toStringTag);
const lengthOf = intrinsic<number>('length');
const sizeOf = intrinsic<number>('byteLength');
const offsetOf = intrinsic<number>('byteOffset');
const bufferOf = intrinsic<ArrayBuffer>('buffer');

function intrinsic<T>(name: string | symbol): (array: ArrayBufferView) => T {
  const { get } = defined(
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Float64Array.prototype) as object, name),
  );
  return (array) => defined(get).call(array) as T;
}

/** Kind of a typed array, also from another realm (a frame, a sandbox); `undefined` for other values. */
export const arrayKind = (value: unknown): string | undefined => kindOf(value as ArrayBufferView);

/** The memory of a typed array, whatever fields it was given besides, also of one from another realm. */
export const doublesOf = (array: Float64Array): Float64Array =>
  new Float64Array(bufferOf(array), offsetOf(array), lengthOf(array));

/** Longer arrays are copied in one call. */
const short = 24;

function putArray(scratch: Scratch, array: ArrayBufferView, at: number): number {
  const kind = kindOf(array);
  if (kind !== 'Float64Array' && kind !== 'Uint32Array' && kind !== 'Uint8Array')
    throw notPlain(kind ?? 'DataView');
  const typed = array as Float64Array | Uint32Array | Uint8Array;
  const length = lengthOf(typed);
  const size = sizeOf(typed);
  if (kind === 'Float64Array') scratch.bytes[at] = tag.doubles;
  else if (kind === 'Uint32Array') scratch.bytes[at] = tag.words;
  else scratch.bytes[at] = tag.bytes;
  const start = putCount(scratch, length, at + 1);
  ensureRoom(scratch, start + size);
  if (
    kind === 'Float64Array' &&
    length <= short &&
    putShort(scratch.view, typed as Float64Array, length, start)
  )
    return start + size;
  // Reading `buffer` of a short byte array would allocate one.
  if (kind === 'Uint8Array') scratch.bytes.set(typed, start);
  else if (isLittleEndian) scratch.bytes.set(new Uint8Array(bufferOf(typed), offsetOf(typed), size), start);
  else if (kind === 'Float64Array')
    for (let i = 0; i < length; i++) scratch.view.setFloat64(start + 8 * i, typed[i], true);
  else for (let i = 0; i < length; i++) scratch.view.setUint32(start + 4 * i, typed[i], true);
  return start + size;
}

/** Writes numbers one by one; returns false at a NaN, whose payload a number may lose. */
function putShort(view: DataView, array: Float64Array, length: number, at: number): boolean {
  for (let i = 0; i < length; i++) {
    const entry = array[i];
    if (entry !== entry) return false;
    view.setFloat64(at + 8 * i, entry, true);
  }
  return true;
}
