import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { InvalidParameter, Unsupported } from '../errors.js';
import { arenaOf, createArena, engineOf } from './arena.js';
import { canShareMemory } from './platform.js';
import { defined } from '../defined.js';

test('arrays are zero, aligned to 64 bytes, apart from each other, and know their arena', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 12 }), fc.boolean(), (lengths, shared) => {
      const arena = createArena({ doubles: lengths.reduce((sum, length) => sum + length, 0), shared });
      expect(arena.shared).toBe(shared);
      const arrays = lengths.map((length) => arena.allocate(length));
      arrays.forEach((array, i) => {
        expect(array).toHaveLength(lengths[i]);
        expect(array.byteOffset % 64).toBe(0);
        expect(array.every((value) => value === 0)).toBe(true);
        expect(arenaOf(array)).toBe(arena);
        array.fill(i + 1);
      });
      arrays.forEach((array, i) => expect(array.every((value) => value === i + 1)).toBe(true));
    }),
    { numRuns: 30 },
  );
});

test('is shared wherever that is possible', () => {
  const arena = createArena({ doubles: 4 });
  expect(arena.shared).toBe(canShareMemory());
  expect(arena.allocate(1).buffer instanceof SharedArrayBuffer).toBe(arena.shared);
});

test('reports the free room and refuses more', () => {
  const arena = createArena({ doubles: 100 });
  expect(arena.free).toBeGreaterThanOrEqual(100);
  arena.allocateIndices(3);
  const { free } = arena;
  expect(() => arena.allocate(free + 1)).toThrow(InvalidParameter);
  expect(arena.free).toBe(free);
  arena.allocate(free);
  expect(arena.free).toBe(0);
  expect(() => arena.allocate(1)).toThrow(/0 doubles free/);
});

test.each([-1, 0.5, NaN, Infinity, 2 ** 53])(
  'refuses %d doubles and %d entries as no numbers of entries',
  (count) => {
    expect(() => createArena({ doubles: count })).toThrow(InvalidParameter);
    expect(() => createArena({ doubles: 10 }).allocate(count)).toThrow(InvalidParameter);
  },
);

test('refuses more than 4 GiB', () => {
  expect(() => createArena({ doubles: 2 ** 29 })).toThrow(Unsupported);
  expect(() => createArena({ doubles: 2 ** 29 })).toThrow(/4 GiB/);
});

test('reaches its last double', () => {
  const arena = createArena({ doubles: 3 * 2 ** 20 });
  const all = arena.allocate(arena.free);
  all[all.length - 1] = 1;
  expect(defined(engineOf(all)).partial.every((value) => value === 0)).toBe(true);
});

test('an array elsewhere has no arena', () => {
  expect(arenaOf(new Float64Array(3))).toBeNull();
});

test('works without shared memory', async () => {
  vi.stubGlobal('SharedArrayBuffer', undefined);
  vi.resetModules();
  try {
    const fresh = await import('./arena.js');
    expect(fresh.createArena({ doubles: 2 }).shared).toBe(false);
    expect(() => fresh.createArena({ doubles: 2, shared: true })).toThrow(/no shared memory/);
  } finally {
    vi.unstubAllGlobals();
    vi.resetModules();
  }
});
