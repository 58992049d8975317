import fc from 'fast-check';
import { expect, test } from 'vitest';
import { engineOf, scratchEngine, createArena } from './arena.js';
import { exponentialOf, logarithmOf } from './elementary.js';
import { exponentials } from './exponentials.js';

const ULP = 2 ** -52;
const inputs = fc.oneof(
  fc.integer({ min: -708_000_000, max: 708_000_000 }).map((i) => i / 1e6),
  fc.integer({ min: -1e9, max: 1e9 }).map((i) => i / 1e9),
  fc
    .tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: -18, max: 0 }))
    .map(([i, e]) => (i / 1000) * 10 ** e),
);

test('exp is within two units in the last place', () => {
  fc.assert(
    fc.property(fc.array(inputs, { minLength: 1, maxLength: 9 }), (values) => {
      const out = exponentials(Float64Array.from(values), new Float64Array(values.length));
      values.forEach((t, i) => expect(Math.abs(out[i] / Math.exp(t) - 1)).toBeLessThan(3 * ULP));
    }),
    { numRuns: 2000 },
  );
});

test('exp has the same bits in both lanes, in one lane, in plain code, and in an arena', () => {
  const { kernels } = scratchEngine();
  const arena = createArena({ doubles: 64 });
  fc.assert(
    fc.property(
      fc.array(fc.oneof(inputs, fc.constantFrom(-800, 800, 0, -0, NaN, Infinity, -Infinity)), {
        maxLength: 7,
      }),
      (values) => {
        const plain = values.map(exponentialOf);
        expect([...exponentials(Float64Array.from(values), new Float64Array(values.length))]).toEqual(plain);
        const inArena = new Float64Array(arena.allocate(0).buffer, 65_536, values.length);
        inArena.set(values);
        expect(engineOf(inArena)).not.toBeNull();
        expect([...exponentials(inArena, inArena)]).toEqual(plain);
        expect(values.map((t) => kernels.exponentialOf(t))).toEqual(plain);
      },
    ),
    { numRuns: 1000 },
  );
});

test('many values are processed in pieces', () => {
  const values = Float64Array.from({ length: 5000 }, (_, i) => i / 100 - 25);
  expect(exponentials(values, new Float64Array(5000))).toEqual(values.map(exponentialOf));
});

test('ln is within a few units in the last place, with the same bits in kernel and plain code', () => {
  const { kernels } = scratchEngine();
  const positive = fc
    .tuple(fc.integer({ min: 1, max: 2 ** 53 - 1 }), fc.integer({ min: -900, max: 60 }))
    .map(([m, e]) => m * 2 ** e);
  fc.assert(
    fc.property(
      fc.oneof(
        positive,
        fc.integer({ min: 1, max: 2 ** 53 - 1 }).map((m) => m * 2 ** -53),
      ),
      (x) => {
        const ours = logarithmOf(x);
        expect(Math.abs(ours - Math.log(x))).toBeLessThanOrEqual(4 * ULP * Math.abs(Math.log(x)));
        expect(kernels.logarithmOf(x)).toBe(ours);
      },
    ),
    { numRuns: 5000 },
  );
});
