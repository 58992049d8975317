import { InvalidParameter } from '../errors.js';
import { deepest } from './tags.js';

/** Keeps of several equal references the one it saw first. */
export type Intern = (record: Readonly<Record<string, unknown>>) => object;

const asGiven: Intern = (record) => record;

/**
 * A deep copy of plain data, for which every field of `value` is read once: an accessor or a Proxy has said
 * its one thing, and what the caller writes into the original afterwards is not seen. Records and lists of
 * the copy are frozen.
 *
 * @param value - As `encode` takes it: null, booleans, numbers, strings, Float64Array, Uint32Array,
 * Uint8Array, and arrays and plain objects of these. Undefined fields are dropped.
 * @param intern - Is given every record of the copy; what it returns takes its place.
 * @throws {InvalidParameter} for anything else, and beyond 64 levels of nesting.
 */
export function ownCopy<T>(value: T, intern: Intern = asGiven): T {
  return copied(value, intern, 0) as T;
}

function copied(value: unknown, intern: Intern, depth: number): unknown {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
      throw notPlain(`a ${typeof value}`);
    return value;
  }
  if (depth >= deepest) {
    throw new InvalidParameter(
      `plain data nest at most ${deepest} levels; this goes deeper, or holds itself. Flatten it.`,
      { deepest },
    );
  }
  if (ArrayBuffer.isView(value)) return copiedArray(value);
  return Array.isArray(value) ? copiedList(value, intern, depth) : copiedRecord(value, intern, depth);
}

/** The constructors read the memory behind an array, whatever fields it was given besides. */
function copiedArray(array: ArrayBufferView): Float64Array | Uint32Array | Uint8Array {
  // By tag and not by instanceof: arrays from another realm are plain data too.
  switch (Object.prototype.toString.call(array)) {
    case '[object Float64Array]':
      return new Float64Array(array as Float64Array);
    case '[object Uint32Array]':
      return new Uint32Array(array as Uint32Array);
    case '[object Uint8Array]':
      return new Uint8Array(array as Uint8Array);
    default:
      throw notPlain('another kind of array');
  }
}

function copiedList(list: readonly unknown[], intern: Intern, depth: number): readonly unknown[] {
  const { length } = list;
  const own: unknown[] = [];
  for (let i = 0; i < length; i++) own.push(copied(list[i], intern, depth + 1));
  return Object.freeze(own);
}

function copiedRecord(record: object, intern: Intern, depth: number): object {
  const prototype: unknown = Object.getPrototypeOf(record);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw notPlain('an instance of a class');
  const own: Record<string, unknown> = {};
  for (const name of Object.keys(record)) {
    if (name === '__proto__') throw notPlain('a field named __proto__');
    const inner = copied((record as Readonly<Record<string, unknown>>)[name], intern, depth + 1);
    if (inner !== undefined) own[name] = inner;
  }
  return Object.freeze(intern(own));
}

const notPlain = (got: string): InvalidParameter =>
  new InvalidParameter(
    `got ${got}; plain data are null, booleans, numbers, strings, Float64Array, Uint32Array, ` +
      'Uint8Array, and arrays and plain objects of these',
    { got },
  );
