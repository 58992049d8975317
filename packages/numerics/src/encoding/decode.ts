import { Corrupt } from '../errors.js';
import { deepest, isLittleEndian, longCount, tag } from './tags.js';

interface Cursor {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at: number;
}

const untext = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes a value written by {@link encode}. Arrays are new copies. Only the canonical encoding is accepted,
 * so `encode(decode(bytes))` equals `bytes`. Memory use is at most a small multiple of the input size, for
 * any input.
 *
 * @throws {Corrupt} with the position of the first invalid byte.
 */
export function decode(bytes: Uint8Array): unknown {
  const cursor: Cursor = {
    bytes,
    view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    at: 0,
  };
  const value = get(cursor, 0);
  if (cursor.at !== bytes.length) throw broken(cursor, `${bytes.length - cursor.at} bytes follow the value`);
  return value;
}

const broken = ({ at }: Cursor, what: string): Corrupt =>
  new Corrupt(
    `encoded value: ${what} (byte ${at}). The bytes were not written by encode, ` +
      'or changed since; restore them from a copy.',
    { at, what },
  );

function take(cursor: Cursor, size: number): number {
  if (size > cursor.bytes.length - cursor.at)
    throw broken(cursor, `${size} bytes announced, ${cursor.bytes.length - cursor.at} left`);
  cursor.at += size;
  return cursor.at - size;
}

function get(cursor: Cursor, depth: number): unknown {
  const kind = cursor.bytes[take(cursor, 1)];
  if (depth >= deepest && kind >= tag.list) throw broken(cursor, `nesting beyond ${deepest} levels`);
  switch (kind) {
    case tag.null:
      return null;
    case tag.false:
      return false;
    case tag.true:
      return true;
    case tag.number:
      return getNumber(cursor);
    case tag.string:
      return getText(cursor);
    case tag.list:
      return getList(cursor, depth);
    case tag.record:
      return getRecord(cursor, depth);
    case tag.doubles:
      return getDoubles(cursor);
    case tag.words:
      return getWords(cursor);
    case tag.bytes: {
      const size = getCount(cursor);
      const at = take(cursor, size);
      // A slice of a Buffer shares its memory.
      return new Uint8Array(cursor.bytes.subarray(at, at + size));
    }
    default:
      throw broken(cursor, `unknown tag ${kind}`);
  }
}

function getNumber(cursor: Cursor): number {
  const at = take(cursor, 8);
  const value = cursor.view.getFloat64(at, true);
  if (
    value !== value &&
    (cursor.view.getUint32(at, true) !== 0 || cursor.view.getUint32(at + 4, true) !== 0x7ff80000)
  )
    throw broken(cursor, 'a NaN that is not the standard one');
  return value;
}

function getCount(cursor: Cursor): number {
  const short = cursor.bytes[take(cursor, 1)];
  if (short < longCount) return short;
  const count = cursor.view.getUint32(take(cursor, 4), true);
  if (count < longCount) throw broken(cursor, `count ${count} in its long form`);
  return count;
}

function getText(cursor: Cursor): string {
  const size = getCount(cursor);
  const at = take(cursor, size);
  if (size < 64) {
    let value = '';
    let i = at;
    for (let code; i < at + size && (code = cursor.bytes[i]) < 128; i++) value += String.fromCharCode(code);
    if (i === at + size) return value;
  }
  try {
    return untext.decode(cursor.bytes.subarray(at, at + size));
  } catch {
    throw broken(cursor, 'text that is not UTF-8');
  }
}

function getList(cursor: Cursor, depth: number): unknown[] {
  const count = getCount(cursor);
  if (count > cursor.bytes.length - cursor.at)
    throw broken(cursor, `${count} items announced, ${cursor.bytes.length - cursor.at} bytes left`);
  const list: unknown[] = [];
  for (let i = 0; i < count; i++) list.push(get(cursor, depth + 1));
  return list;
}

function getRecord(cursor: Cursor, depth: number): Record<string, unknown> {
  const count = getCount(cursor);
  const record: Record<string, unknown> = {};
  let before: string | undefined;
  for (let i = 0; i < count; i++) {
    const name = getText(cursor);
    if (before !== undefined && !(before < name))
      throw broken(cursor, `field '${name}' after '${before}': fields are sorted and distinct`);
    before = name;
    const value = get(cursor, depth + 1);
    // An assignment to __proto__ would set the prototype.
    if (name === '__proto__')
      Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true });
    else record[name] = value;
  }
  return record;
}

function getDoubles(cursor: Cursor): Float64Array {
  const count = getCount(cursor);
  const at = take(cursor, 8 * count);
  const values = new Float64Array(count);
  if (isLittleEndian) new Uint8Array(values.buffer).set(cursor.bytes.subarray(at, at + 8 * count));
  else for (let i = 0; i < count; i++) values[i] = cursor.view.getFloat64(at + 8 * i, true);
  return values;
}

function getWords(cursor: Cursor): Uint32Array {
  const count = getCount(cursor);
  const at = take(cursor, 4 * count);
  const values = new Uint32Array(count);
  for (let i = 0; i < count; i++) values[i] = cursor.view.getUint32(at + 4 * i, true);
  return values;
}
