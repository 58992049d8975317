import {
  defined,
  InvalidParameter,
  arrayKind,
  encode,
  encodeInto,
  ensureRoom,
  putCount,
  type Scratch,
  doublesOf,
  tag as tags,
  type LongSums,
} from '@lethe/numerics';
import { isConstant } from '../is-constant.js';
import type { PluginKind, Ref } from '../plugins/plugin.js';

/** Takes the bytes of a value while it is copied, and makes one object of equal references. */
export interface Writer {
  readonly scratch: Scratch;
  /** The position after the last byte written. */
  at: number;
  /** The frozen value whose bytes are those from `from` to {@link Writer.at}. */
  plain(from: number): unknown;
  /** The reference whose encoded parameters are the bytes from `from` to {@link Writer.at}. */
  refer<K extends PluginKind>(kind: K, name: string, from: number): Ref<K>;
  /** How long points are taken in; left out, as every other vector. */
  readonly points?: LongPoints;
  /** References taken in that can never say anything else; `null` for one that can. */
  readonly constants: WeakMap<object, Told | null>;
}

/** A reference taken in, with its bytes. */
export interface Told {
  readonly ref: Ref;
  readonly bytes: Uint8Array;
}

/** Long points are copied into memory that the next query is given again, and hashed by sums of them. */
export interface LongPoints {
  /** Entries from which a point is long. */
  readonly from: number;
  /** Memory for the next point of a query. */
  memory(length: number): Float64Array;
  readonly sums: LongSums;
}

const finite = new WeakSet<Float64Array>();
/** Whether a point is the curator's own and was found to be finite when it was taken in. */
export const wasFinite = (point: Float64Array): boolean => finite.has(point);

/**
 * Reads every field of a value once: writes its bytes, those of `encode`, and returns a copy, or refuses it.
 */
export type Read<T> = (value: unknown, to: Writer) => T;
/** What a value has to be; `path` names it in messages. */
export type Schema<T> = (path: string) => Read<T>;
/** A field that may be left out. */
export interface Optional<T> {
  readonly optional: Schema<T>;
}
/** The fields of a record. */
export type Fields = Readonly<Record<string, Schema<unknown> | Optional<unknown>>>;

type Content<S> = S extends Schema<infer T> ? T : S extends Optional<infer T> ? T : never;
type Simplify<T> = { readonly [N in keyof T]: T[N] };
/** The record that has these fields. */
export type RecordOf<F> = Simplify<
  { readonly [N in keyof F as F[N] extends Optional<unknown> ? never : N]: Content<F[N]> } & {
    readonly [N in keyof F as F[N] extends Optional<unknown> ? N : never]?: Content<F[N]>;
  }
>;
/** Records of several forms; the field `Tag` names the form. */
export type VariantOf<Tag extends string, Forms> = {
  readonly [Form in keyof Forms & string]: { readonly [T in Tag]: Form } & RecordOf<Forms[Form]>;
}[keyof Forms & string];

type Given = Readonly<Record<string, unknown>>;
const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** @throws {InvalidParameter} */
function refuse(value: unknown, path: string, allowed: string): never {
  const isObject = typeof value === 'object' && value !== null;
  let got: string;
  if (Array.isArray(value)) got = 'an array';
  else if (isObject) got = 'an object';
  else got = String(value).slice(0, 60);
  throw new InvalidParameter(
    `malformed query: ${path === '' ? 'the query' : path} is ${got}; it must be ${allowed}. ` +
      'Build queries with the helpers of ask.',
    { path, allowed },
  );
}

function asRecord(value: unknown, path: string): Given {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value))
    return refuse(value, path, 'a record');
  return value as Given;
}

/** A number, finite or not: ranges are the handlers' to check. */
export const number: Schema<number> = (path) => (value, to) => {
  if (typeof value !== 'number') return refuse(value, path, 'a number');
  to.at = encodeInto(to.scratch, value, to.at);
  return value;
};

/** A string. */
export const text: Schema<string> = (path) => (value, to) => {
  if (typeof value !== 'string') return refuse(value, path, 'a string');
  to.at = encodeInto(to.scratch, value, to.at);
  return value;
};

/** One of these values. */
export const oneOf =
  <const T extends string | number | boolean>(...allowed: readonly T[]): Schema<T> =>
  (path) =>
  (value, to) => {
    if (!allowed.includes(value as T))
      return refuse(
        value,
        path,
        allowed.map((one) => (typeof one === 'string' ? `'${one}'` : String(one))).join(' or '),
      );
    to.at = encodeInto(to.scratch, value, to.at);
    return value as T;
  };

/** What the schema allows, or null. */
export const nullable =
  <T>(schema: Schema<T>): Schema<T | null> =>
  (path) => {
    const read = schema(path);
    return (value, to) => {
      if (value !== null) return read(value, to);
      to.at = encodeInto(to.scratch, value, to.at);
      return value;
    };
  };

/** A `Float64Array`, copied. */
export const vector: Schema<Float64Array> = (path) => (value, to) => {
  if (arrayKind(value) !== 'Float64Array') return refuse(value, path, 'a Float64Array');
  const own = new Float64Array(value as Float64Array);
  to.at = encodeInto(to.scratch, own, to.at);
  return own;
};

/**
 * A copy of a `Float64Array`, valid until the query is answered: the memory of long copies is reused. Long
 * ones are encoded by checksums, under a tag of their own.
 */
export const lentVector: Schema<Float64Array> = (path) => {
  const short = vector(path);
  return (value, to) => {
    const { points, scratch } = to;
    if (points === undefined || arrayKind(value) !== 'Float64Array') return short(value, to);
    const given = doublesOf(value as Float64Array);
    const { length } = given;
    if (length < points.from) return short(given, to);
    ensureRoom(scratch, to.at + 6 + points.sums.size(length));
    scratch.bytes[to.at] = tags.sums;
    const start = putCount(scratch, length, to.at + 1);
    to.at = start + points.sums.size(length);
    const own = points.memory(length);
    if (points.sums.copy(given, own, scratch.bytes.subarray(start, to.at))) finite.add(own);
    else finite.delete(own);
    return own;
  };
};

/** A `Uint32Array`, copied. */
export const indices: Schema<Uint32Array> = (path) => (value, to) => {
  if (arrayKind(value) !== 'Uint32Array') return refuse(value, path, 'a Uint32Array');
  const own = new Uint32Array(value as Uint32Array);
  to.at = encodeInto(to.scratch, own, to.at);
  return own;
};

/** A list whose entries the schema allows. */
export const list =
  <T>(item: Schema<T>): Schema<readonly T[]> =>
  (path) => {
    const read = item(`an entry of ${path}`);
    return (value, to) => {
      if (!Array.isArray(value)) return refuse(value, path, 'an array');
      const { length } = value as readonly unknown[];
      ensureRoom(to.scratch, to.at + 6);
      to.scratch.bytes[to.at] = tags.list;
      to.at = putCount(to.scratch, length, to.at + 1);
      const own: T[] = [];
      for (let i = 0; i < length; i++) own.push(read(value[i], to));
      return own;
    };
  };

/** A record of exactly these fields. */
export const record =
  <const F extends Fields>(fields: F): Schema<RecordOf<F>> =>
  (path) => {
    const read = fieldsReader<RecordOf<F>>(path, fields);
    return (value, to) => read(asRecord(value, path), to);
  };

/** A record of these fields; whatever else it has is dropped unread. */
export const openRecord =
  <const F extends Fields>(fields: F): Schema<RecordOf<F>> =>
  (path) => {
    const read = fieldsReader<RecordOf<F>>(path, fields, undefined, true);
    return (value, to) => read(asRecord(value, path), to);
  };

/** A record of the form that its field `tag` names. */
export const variant =
  <const Tag extends string, const Forms extends Readonly<Record<string, Fields>>>(
    tag: Tag,
    forms: Forms,
  ): Schema<VariantOf<Tag, Forms>> =>
  (path) => {
    const readers = new Map<unknown, FieldsReader<VariantOf<Tag, Forms>>>();
    for (const form of Object.keys(forms)) readers.set(form, fieldsReader(path, forms[form], { tag, form }));
    const allowed = Object.keys(forms)
      .map((form) => `'${form}'`)
      .join(' or ');
    return (value, to) => {
      const given = asRecord(value, path);
      const form = given[tag];
      const read = readers.get(form);
      return read === undefined ? refuse(form, join(path, tag), allowed) : read(given, to);
    };
  };

/**
 * A record of exactly one of several forms that no tag tells
 * apart: what could be read in two ways is not read at all.
 */
export const eitherOf =
  <const Forms extends readonly Fields[]>(
    ...forms: Forms
  ): Schema<{ readonly [I in keyof Forms]: RecordOf<Forms[I]> }[number]> =>
  (path) => {
    type Record = { readonly [I in keyof Forms]: RecordOf<Forms[I]> }[number];
    const names = forms.map((fields) => Object.keys(fields));
    const readers = forms.map((fields) => fieldsReader<Record>(path, fields));
    const allowed = names.map((form) => `{ ${form.join(', ')} }`).join(' or ');
    const formOf = new Map(names.flatMap((form, i) => form.map((name) => [name, i] as const)));
    const all = [...formOf.keys()];
    const formAt = [...formOf.values()];
    return (value, to) => {
      const fields = asRecord(value, path);
      let found = -1;
      let count = 0;
      // oxlint-disable-next-line guard-for-in -- what more there is, the reader of the form refuses
      for (const name in fields) {
        const form = formOf.get(name);
        if (form !== undefined && form !== found) {
          found = form;
          count++;
        }
      }
      if (count === 1) return readers[found](fields, to);
      // Fields of other forms may be there and say nothing.
      const given: { [name: string]: unknown } = {};
      found = -1;
      count = 0;
      for (let i = 0; i < all.length; i++) {
        const one = fields[all[i]];
        if (one === undefined) continue;
        given[all[i]] = one;
        if (formAt[i] !== found) {
          found = formAt[i];
          count++;
        }
      }
      if (count !== 1) return refuse(value, path, allowed);
      assertNoMore(fields, formOf, path);
      return readers[found](given, to);
    };
  };

type FieldsReader<T> = (given: Given, to: Writer) => T;

/** Reads the fields of a record; of a variant all but its tag, whose value is known by then. */
function fieldsReader<T>(
  path: string,
  fields: Fields,
  tagged?: { readonly tag: string; readonly form: string },
  isOpen = false,
): FieldsReader<T> {
  const names = [...Object.keys(fields), ...(tagged === undefined ? [] : [tagged.tag])].toSorted();
  const known = new Map(names.map((name, i) => [name, i]));
  const plan = names.map((name) => {
    const field = name === tagged?.tag ? null : fields[name];
    let schema: Schema<unknown> | null;
    if (field === null) schema = null;
    else if (typeof field === 'function') schema = field;
    else schema = field.optional;
    const key = encode(name).subarray(1);
    return {
      name,
      bytes: field === null ? Uint8Array.from([...key, ...encode(defined(tagged).form)]) : key,
      read: schema === null ? null : schema(join(path, name)),
      isOptional: field !== null && typeof field !== 'function',
    };
  });
  // Copies begin with all required fields, in the order in which
  // they are declared, so that they have one shape.
  const required = Object.keys(fields)
    .filter((name) => typeof fields[name] === 'function')
    .map((name) => [name, undefined]);
  const blank = Object.fromEntries(
    tagged === undefined ? required : [[tagged.tag, tagged.form], ...required],
  ) as { readonly [name: string]: unknown };
  return (given, to) => {
    const own: { [name: string]: unknown } = { ...blank };
    const head = to.at;
    let count = 0;
    to.at = head + 2;
    for (let i = 0; i < plan.length; i++) {
      const { name, bytes, read, isOptional } = plan[i];
      if (read === null) {
        putBytes(to, bytes);
        count++;
        continue;
      }
      const value = given[name];
      if (isOptional && value === undefined) continue;
      putBytes(to, bytes);
      own[name] = read(value, to);
      count++;
    }
    to.scratch.bytes[head] = tags.record;
    to.scratch.bytes[head + 1] = count;
    if (isOpen) return own as T;
    let all = 0;
    // oxlint-disable-next-line guard-for-in -- counted only; the names are looked at where there are more
    for (const _ in given) all++;
    if (all !== count) assertNoMore(given, known, path);
    return own as T;
  };
}

function putBytes(to: Writer, bytes: Uint8Array): void {
  const { scratch, at } = to;
  const { length } = bytes;
  ensureRoom(scratch, at + length);
  const out = scratch.bytes;
  for (let i = 0; i < length; i++) out[at + i] = bytes[i];
  to.at = at + length;
}

/** A misspelt field that may be left out would be ignored otherwise. */
function assertNoMore(given: Given, known: ReadonlyMap<string, unknown>, path: string): void {
  const more = Object.keys(given).find((name) => !known.has(name));
  if (more !== undefined)
    refuse('unknown', join(path, more), `left out; a record here has ${[...known.keys()].join(', ')}`);
}

/**
 * A reference to a plugin of this kind: one of another kind would
 * resolve to a plugin without the functions that are about to be called.
 */
export const reference =
  <const K extends PluginKind>(kind: K): Schema<Ref<K>> =>
  (path) => {
    const start = Uint8Array.from([
      tags.record,
      3,
      ...encode('kind').subarray(1),
      ...encode(kind),
      ...encode('name').subarray(1),
    ]);
    const between = encode('params').subarray(1);
    const known = new Map([
      ['kind', 0],
      ['name', 1],
      ['params', 2],
    ]);
    return (value, to) => {
      const given = asRecord(value, path);
      const before = to.constants.get(given);
      if (before?.ref.kind === kind) {
        putBytes(to, before.bytes);
        return before.ref as Ref<K>;
      }
      const head = to.at;
      const of = given['kind'];
      const name = given['name'];
      if (of !== kind) return refuse(of, `${path}.kind`, `'${kind}'`);
      if (typeof name !== 'string') return refuse(name, `${path}.name`, 'a string');
      const params = given['params'];
      if (params === undefined) return refuse(params, `${path}.params`, 'plain data, such as {}');
      let all = 0;
      // oxlint-disable-next-line guard-for-in -- counted only
      for (const _ in given) all++;
      if (all !== 3) assertNoMore(given, known, path);
      putBytes(to, start);
      to.at = encodeInto(to.scratch, name, to.at);
      putBytes(to, between);
      const from = to.at;
      to.at = encodeInto(to.scratch, params, from);
      const ref = to.refer(kind, name, from);
      if (before === undefined && Object.isFrozen(given))
        to.constants.set(
          given,
          isConstant(given) ? { ref, bytes: to.scratch.bytes.slice(head, to.at) } : null,
        );
      return ref;
    };
  };

/** A record of plain data; its fields are checked where they are used. */
export const plainRecord =
  <T extends object>(): Schema<T> =>
  (path) =>
  (value, to) => {
    const from = to.at;
    to.at = encodeInto(to.scratch, asRecord(value, path), from);
    return to.plain(from) as T;
  };

/** Plain data with a kind, such as an event; other fields are checked where they are used. */
export const withKind =
  <T extends { readonly kind: string }>(): Schema<T> =>
  (path) =>
  (value, to) => {
    const from = to.at;
    to.at = encodeInto(to.scratch, asRecord(value, path), from);
    const own = to.plain(from) as { readonly kind?: unknown };
    if (typeof own.kind !== 'string') return refuse(own.kind, `${path}.kind`, 'a string');
    return own as T;
  };
