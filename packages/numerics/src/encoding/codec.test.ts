import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Corrupt, InvalidParameter } from '../errors.js';
import { createScratch, decode, encode, encodeInto } from './codec.js';

/** Doubles by their bits: every scale, subnormals, both zeros, infinities and NaNs come up. */
const double = fc
  .uint8Array({ minLength: 8, maxLength: 8 })
  .map((bytes) => new DataView(bytes.slice().buffer).getFloat64(0));
const number = fc.oneof(
  double,
  fc.integer(),
  fc.constantFrom(0, -0, NaN, Infinity, -Infinity, Number.MIN_VALUE, 2 ** 53),
);
const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('__proto__', 'constructor', '', '\uFEFFmark', 'a\0b', 'x'.repeat(300)),
);
const plain = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.constant(null),
    fc.boolean(),
    number,
    name,
    fc.uint8Array({ maxLength: 40 }),
    fc.uint32Array({ maxLength: 9 }),
    fc.array(double, { maxLength: 9 }).map((xs) => Float64Array.from(xs)),
  ),
  value: fc.oneof(
    { maxDepth: 4 },
    tie('leaf'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;

const roundTrip = (value: unknown): unknown => decode(encode(value));

describe('codec', () => {
  it('decodes to the encoded value, bit by bit', () =>
    fc.assert(
      fc.property(plain, (value) => {
        expect(isDeepStrictEqual(roundTrip(value), value)).toBe(true);
      }),
    ));

  it('keeps the bits of a vector, NaN payloads included', () => {
    const bits = new Uint32Array([1, 0x7ff80123, 0, 0x80000000, 0, 0x7ff00000, 7, 0]);
    const vector = new Float64Array(bits.buffer);
    expect(new Uint32Array((roundTrip(vector) as Float64Array).buffer)).toStrictEqual(bits);
    expect(Object.is(roundTrip(-0), -0)).toBe(true);
  });

  it('does not depend on the order of fields, and drops undefined ones', () =>
    fc.assert(
      fc.property(
        fc
          .uniqueArray(fc.tuple(name, fc.option(fc.integer(), { nil: undefined })), {
            selector: ([key]) => key,
            maxLength: 50,
          })
          .chain((fields) =>
            fc.tuple(fc.constant(fields), fc.shuffledSubarray(fields, { minLength: fields.length })),
          ),
        ([fields, shuffled]) => {
          const kept = shuffled.filter(([, value]) => value !== undefined);
          expect(encode(Object.fromEntries(fields))).toStrictEqual(encode(Object.fromEntries(kept)));
        },
      ),
    ));

  it('gives different values different bytes', () => {
    const values = [
      null,
      false,
      true,
      0,
      -0,
      1,
      NaN,
      '',
      '0',
      'null',
      [],
      {},
      [[]],
      [null],
      [0],
      { a: null },
      { '': 0 },
      { a: 0, b: 1 },
      { a: 1, b: 0 },
      ['a', 'b'],
      ['ab'],
      new Float64Array(0),
      new Uint32Array(0),
      new Uint8Array(0),
      new Float64Array(1),
      new Uint32Array(2),
      new Uint8Array(8),
    ];
    const texts = values.map((value) => encode(value).join());
    expect(new Set(texts).size).toBe(values.length);
  });

  it('encodes a view by what it shows, and copies on decoding', () => {
    const arena = Float64Array.from({ length: 20 }, (_, i) => i);
    const bytes = encode(arena.subarray(5, 8));
    expect(bytes).toStrictEqual(encode(Float64Array.of(5, 6, 7)));
    const first = decode(bytes) as Float64Array;
    first.fill(9);
    expect(decode(bytes)).toStrictEqual(Float64Array.of(5, 6, 7));
    expect(first.buffer.byteLength).toBe(24);
    const carried = Buffer.from(encode(Uint8Array.of(1, 2, 3)));
    const copy = decode(carried);
    carried.fill(9);
    expect(copy).toStrictEqual(Uint8Array.of(1, 2, 3));
  });

  it('encodes a value whose accessor encodes another', () => {
    const inner = () => encode('a long text that would be written over the first field');
    const value = {
      a: 'first',
      b: {
        get c() {
          return inner().length;
        },
      },
    };
    expect(roundTrip(value)).toStrictEqual({ a: 'first', b: { c: inner().length } });
    const failing = {
      get a(): number {
        throw new TypeError('no value');
      },
    };
    expect(() => encode([failing])).toThrow('no value');
    expect(roundTrip(value)).toStrictEqual({ a: 'first', b: { c: inner().length } });
  });

  it('reads bytes that stand anywhere in a buffer', () =>
    fc.assert(
      fc.property(plain, fc.nat(9), (value, shift) => {
        const bytes = encode(value);
        const wide = new Uint8Array(shift + bytes.length + 5).fill(255);
        wide.set(bytes, shift);
        expect(isDeepStrictEqual(decode(wide.subarray(shift, shift + bytes.length)), value)).toBe(true);
      }),
    ));

  it('writes into a scratch at a position, growing it and keeping what is before', () =>
    fc.assert(
      fc.property(plain, fc.nat(40), (value, at) => {
        const scratch = createScratch(at);
        scratch.bytes.fill(7);
        const end = encodeInto(scratch, value, at);
        expect(scratch.bytes.slice(at, end)).toStrictEqual(encode(value));
        expect(scratch.bytes.slice(0, at).every((byte) => byte === 7)).toBe(true);
        expect(scratch.view.buffer).toBe(scratch.bytes.buffer);
      }),
    ));

  const cycle: unknown[] = [];
  cycle.push(cycle);
  it.each([
    ['a function', () => 0],
    ['undefined', undefined],
    ['undefined in a list', [undefined]],
    ['a hole', Array.from({ length: 2 }).fill(0, 0, 1)],
    ['a symbol', Symbol('x')],
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['a map', new Map()],
    [
      'a class instance',
      new (class Point {
        x = 1;
      })(),
    ],
    ['an Int32Array', new Int32Array(2)],
    ['a DataView', new DataView(new ArrayBuffer(2))],
    ['a cycle', cycle],
    ['half a surrogate', '\uD800'],
    ['half a surrogate in a name', { '\uDC00': 1 }],
  ])('refuses %s', (_, value) => expect(() => encode(value)).toThrow(InvalidParameter));

  it('takes plain objects without a prototype', () => {
    expect(encode(Object.assign(Object.create(null) as object, { a: 1 }))).toStrictEqual(encode({ a: 1 }));
  });
});

describe('hostile bytes', () => {
  const typed = (bytes: Uint8Array): unknown => {
    try {
      return { value: decode(bytes) };
    } catch (error) {
      expect(error).toBeInstanceOf(Corrupt);
      return undefined;
    }
  };

  it('are refused, or are the one encoding of a value', () =>
    fc.assert(
      fc.property(
        fc
          .uint8Array({ maxLength: 60 })
          .map((bytes) => bytes.map((byte, i) => (i % 3 === 0 ? byte % 10 : byte))),
        (bytes) => {
          const got = typed(bytes) as { value: unknown } | undefined;
          if (got !== undefined) expect(encode(got.value)).toStrictEqual(bytes);
        },
      ),
      { numRuns: 3000 },
    ));

  it('never decode to the same value as other bytes: any flipped bit is seen or changes the value', () =>
    fc.assert(
      fc.property(plain, fc.nat(), (value, where) => {
        const bytes = encode(value);
        const changed = bytes.slice();
        changed[(where >>> 3) % bytes.length] ^= 1 << (where & 7);
        const got = typed(changed) as { value: unknown } | undefined;
        if (got !== undefined) expect(encode(got.value)).not.toStrictEqual(bytes);
      }),
    ));

  it('are refused at every cut', () =>
    fc.assert(
      fc.property(plain, (value) => {
        const bytes = encode(value);
        for (let end = 0; end < bytes.length; end++)
          expect(() => decode(bytes.subarray(0, end))).toThrow(Corrupt);
        expect(() => decode(Uint8Array.of(...bytes, 0))).toThrow(Corrupt);
      }),
    ));

  it.each([
    ['a list of four billion', [5, 255, 255, 255, 255, 255]],
    ['a vector of four billion', [7, 255, 255, 255, 255, 255]],
    ['a string of four billion', [4, 255, 255, 255, 255, 255]],
    ['a record of four billion', [6, 255, 255, 255, 255, 255]],
    ['a count in its long form', [4, 255, 1, 0, 0, 0, 65]],
    ['bad UTF-8', [4, 2, 0xc3, 0x28]],
    ['an overlong form', [4, 2, 0xc0, 0x80]],
    ['fields out of order', [6, 2, 1, 98, 0, 1, 97, 0]],
    ['a field twice', [6, 2, 1, 97, 0, 1, 97, 0]],
    ['another NaN', [3, 1, 0, 0, 0, 0, 0, 0xf8, 0x7f]],
    ['a million nested lists', Array.from({ length: 2e6 }, (_, i) => (i % 2 === 0 ? 5 : 1))],
  ])('refuses %s', (_, bytes) => expect(() => decode(Uint8Array.from(bytes))).toThrow(Corrupt));

  it('cannot reach a prototype', () => {
    const got = decode(encode(JSON.parse('{"__proto__":{"polluted":true}}'))) as Record<string, unknown>;
    expect(Object.getPrototypeOf(got)).toBe(Object.prototype);
    expect(got['polluted']).toBeUndefined();
    expect(Object.hasOwn(got, '__proto__')).toBe(true);
  });
});
