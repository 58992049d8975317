import { expect, test } from 'vitest';
import { InvalidParameter } from '../errors.js';
import { ownCopy } from './own-copy.js';

test('a copy does not follow what is written into the original, at any depth', () => {
  const given = { name: 'a', params: { rates: [0.5, 0.25], inner: { size: 1 } }, at: Float64Array.of(1, 2) };
  const own = ownCopy(given);
  given.params.rates[0] = 1;
  given.params.inner.size = 9;
  given.at[0] = 9;
  expect(own).toEqual({
    name: 'a',
    params: { rates: [0.5, 0.25], inner: { size: 1 } },
    at: Float64Array.of(1, 2),
  });
  expect(() => {
    (own.params.rates as number[])[1] = 1;
  }).toThrow(TypeError);
});

test('every field is read once', () => {
  const reads: string[] = [];
  const spied = (value: object): object =>
    new Proxy(value, {
      get(target, name) {
        reads.push(String(name));
        return Reflect.get(target, name) as unknown;
      },
    });
  const list: unknown[] = [spied({ c: 1 })];
  ownCopy(spied({ a: spied({ b: list }), d: 2 }));
  expect(reads.filter((name) => 'abcd'.includes(name))).toEqual(['a', 'b', 'c', 'd']);
});

test('a frozen record with an accessor becomes a value', () => {
  let asked = 0;
  const own = ownCopy(
    Object.freeze({
      get radius() {
        return asked++;
      },
    }),
  );
  expect([own.radius, own.radius, asked]).toEqual([0, 0, 1]);
});

test('an array is what its memory holds, whatever fields it has besides', () => {
  const array = Float64Array.of(1, 2, 3);
  Object.defineProperty(array, 'length', { value: 1 });
  Object.defineProperty(array, 'slice', { value: () => Float64Array.of(9) });
  expect([...ownCopy(array)]).toEqual([1, 2, 3]);
  expect([...ownCopy(new Float64Array(new SharedArrayBuffer(16)))]).toEqual([0, 0]);
});

test('what is no plain data is refused', () => {
  const around: Record<string, unknown> = {};
  around['self'] = around;
  for (const value of [
    () => 1,
    Symbol('a'),
    1n,
    /x/u,
    new Map(),
    new Int8Array(1),
    new DataView(new ArrayBuffer(8)),
    {
      inner: {
        f() {
          return 1;
        },
      },
    },
    JSON.parse('{"__proto__": {"radius": 1}}'),
    around,
  ]) {
    expect(() => ownCopy(value)).toThrow(InvalidParameter);
  }
  expect(ownCopy({ a: undefined, b: null })).toEqual({ b: null });
});
