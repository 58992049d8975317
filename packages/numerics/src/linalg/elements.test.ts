import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allFinite } from '../geometry/vectors.js';
import { arenaOf, createArena } from './arena.js';
import { addScaled, divideInPlace, noiseMemory, roundNear, subtractScaled } from './elements.js';
import { copyWithRoom, zerosBeside } from './long-vectors.js';

const arena = createArena({ doubles: 2000, shared: false });
const room = arena.allocate(600);
const other = arena.allocate(600);

const numbers = fc.array(
  fc.oneof(
    fc.double({ noNaN: false }),
    fc.double({ min: -1e3, max: 1e3 }),
    fc.constantFrom(0, -0, 0.5, -0.5, 2 ** 51, -(2 ** 51), 5e-324, NaN, Infinity),
  ),
  { maxLength: 33 },
);

/** The same numbers outside and inside an arena, there at even and odd places. */
const placed = (values: readonly number[], at = room): readonly Float64Array[] =>
  [0, 1].map((from) => {
    const own = at.subarray(from, from + values.length);
    own.set(values);
    return own;
  });

/** Mostly zeros, of either sign. */
const sparseNumbers = fc.oneof(
  numbers,
  fc.array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(0, 0, 0, -0) }, fc.double()), { maxLength: 80 }),
);
const divisors = fc.oneof(
  fc.double({ min: 1e-300, max: 1e300, noNaN: true }),
  fc.constantFrom(1, 1000, 5e-324, Infinity, 0, -3, NaN),
);

test('division has the bits of plain code, inside an arena and outside', () => {
  fc.assert(
    fc.property(sparseNumbers, divisors, (values, divisor) => {
      const plain = values.map((value) => value / divisor);
      for (const own of [Float64Array.from(values), ...placed(values)]) {
        own.set(values);
        expect(divideInPlace(own, divisor)).toBe(plain.every(Number.isFinite));
        expect([...own]).toEqual(plain);
      }
    }),
    { numRuns: 500 },
  );
});

test('scaled vectors are added and subtracted with the product rounded first', () => {
  fc.assert(
    fc.property(numbers, numbers, fc.double({ noNaN: true }), (values, more, scale) => {
      const source = values.map((_, j) => more[j] ?? j);
      const plain = values.map((value, j) => value + scale * source[j]);
      for (const [k, own] of placed(values).entries()) {
        own.set(values);
        const beside = placed(source, other)[k];
        beside.set(source);
        addScaled(own, scale, beside);
        expect([...own]).toEqual(plain);
        own.set(values);
        addScaled(own, scale, Float64Array.from(source));
        expect([...own]).toEqual(plain);
      }
      const outside = Float64Array.from(values);
      subtractScaled(outside, scale, Float64Array.from(source));
      expect([...outside]).toEqual(values.map((value, j) => value - scale * source[j]));
    }),
    { numRuns: 500 },
  );
});

test('entries below a size are rounded, the others stay and are told', () => {
  fc.assert(
    fc.property(numbers, fc.integer({ min: -30, max: 30 }), (values, exponent) => {
      const grid = 2 ** exponent;
      const [middle, near] = [1.5 * 2 ** 52 * grid, 2 ** 51 * grid];
      const plain = values.map((value) => (Math.abs(value) < near ? value + middle - middle : value));
      for (const own of [Float64Array.from(values), ...placed(values)]) {
        own.set(values);
        expect(roundNear(own, middle, near)).toBe(values.every((value) => Math.abs(value) < near));
        expect([...own]).toEqual(plain);
      }
    }),
    { numRuns: 500 },
  );
});

test('noise for a vector in an arena is drawn beside it', () => {
  expect(noiseMemory(room, 100).buffer).toBe(room.buffer);
  expect(noiseMemory(new Float64Array(3), 3).buffer).not.toBe(room.buffer);
});

test('long vectors are judged, scaled and copied as short ones, wherever they lie', () => {
  const length = 5003;
  const given = Float64Array.from({ length }, (_, j) => Math.sin(j));
  const w = copyWithRoom(given);
  const beside = zerosBeside(w);
  expect(w).toEqual(given);
  expect(beside.buffer).toBe(w.buffer);
  expect(zerosBeside(given).buffer).not.toBe(given.buffer);
  expect(copyWithRoom(given.subarray(0, 9))).toEqual(given.slice(0, 9));
  expect(arenaOf(copyWithRoom(given.subarray(0, 9)))).toBeNull();
  beside.set(given);
  for (const source of [beside, given]) {
    w.set(given);
    subtractScaled(w, 0.3, source);
    expect(w).toEqual(given.map((value) => value - 0.3 * value));
  }
  for (const own of [w, given])
    for (const bad of [NaN, Infinity, -Infinity])
      for (const j of [0, 1, 2048, 4100, length - 1]) {
        const before = own[j];
        own[j] = bad;
        expect(allFinite(own)).toBe(false);
        own[j] = before;
        expect(allFinite(own)).toBe(true);
      }
  // Largest numbers do not add up to infinity on the way.
  expect(allFinite(w.fill(Number.MAX_VALUE))).toBe(true);
});

test('long vectors, which kernels take at four places at once, have the bits of plain code', () => {
  for (const length of [16_384, 16_391]) {
    const target = copyWithRoom(Float64Array.from({ length }, (_, j) => Math.sin(j)));
    const source = zerosBeside(target);
    source.forEach((_, j) => (source[j] = Math.cos(3 * j)));
    const plain = target.map((value, j) => value + 0.3 * source[j]);
    addScaled(target, 0.3, source);
    expect(target).toEqual(plain);
    expect(allFinite(target)).toBe(true);
    for (const place of [0, 4095, 4096, 8191, 12_288, 16_383, length - 1])
      for (const bad of [NaN, -Infinity]) {
        target[place] = bad;
        expect(allFinite(target)).toBe(false);
        target[place] = plain[place];
      }
  }
});
