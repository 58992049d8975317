import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { InvalidParameter, Unsupported } from '../errors.js';
import { createArena } from '../linalg/arena.js';
import { eachLabelBlock } from './label-blocks.js';
import { randomFromKey, secureRandom, seededRandom, type RandomSource } from './source.js';
import { defined } from '../defined.js';

const labels = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.nat(40).map((n) => 'a'.repeat(n)),
);
const paths = fc.array(labels, { maxLength: 3 });
const follow = (root: RandomSource, path: readonly (string | number)[]): RandomSource =>
  path.reduce((source, label) => source.fork(label), root);
const draw = (source: RandomSource): number[] => Array.from({ length: 4 }, () => source.bits53());
const same = (a: string | number, b: string | number): boolean => a === b; // −0 and 0 are one label

afterEach(() => vi.unstubAllGlobals());

describe('forks', () => {
  test('depend on the path of labels only, not on draws or other forks', () => {
    fc.assert(
      fc.property(
        fc.string(),
        paths.filter((path) => path.length > 0),
        paths,
        fc.nat(200),
        (seed, path, other, used) => {
          const fresh = draw(follow(seededRandom(seed), path));
          const root = seededRandom(seed);
          for (let i = 0; i < used; i++) root.uniform();
          root.gaussianInto(new Float64Array(used));
          draw(follow(root, other));
          expect(draw(follow(root, path))).toEqual(fresh);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('at different labels are different, and different from the parent', () => {
    fc.assert(
      fc.property(labels, labels, (a, b) => {
        const root = seededRandom('root');
        const [one, two] = [draw(root.fork(a)), draw(root.fork(b))];
        expect(one.join() === two.join()).toBe(same(a, b));
        expect(one).not.toEqual(draw(root));
      }),
      { numRuns: 1000 },
    );
  });

  test('label codes are different and none begins another', () => {
    const codeOf = (label: string | number): string => {
      const code: string[] = [];
      eachLabelBlock(label, (...block) => code.push(block.map((word) => word >>> 0).join(':')));
      return code.join(' ') + ' ';
    };
    fc.assert(
      fc.property(labels, labels, (a, b) => {
        expect(codeOf(a).startsWith(codeOf(b))).toBe(same(a, b));
      }),
      { numRuns: 5000 },
    );
    const close = [
      '',
      '\0',
      '\0\0',
      'a',
      'a\0',
      '1',
      1,
      0,
      'ā',
      '\u0001\u0001',
      'aaaaaaaa',
      'aaaaaaaaa',
      'aaaaaaaa\0',
      'āaaaaaaa',
      '\ud800',
      '\ud801',
      '\ufffd',
    ];
    expect(new Set(close.map(codeOf)).size).toBe(close.length);
  });

  test.each([NaN, Infinity, -Infinity])('refuse %d', (label) => {
    expect(() => seededRandom(1).fork(label)).toThrow(InvalidParameter);
    expect(() => seededRandom(label)).toThrow(InvalidParameter);
  });

  test('keep the kind of their root', () => {
    expect(secureRandom().fork('a').fork(1).kind).toBe('secure');
    expect(seededRandom(1).fork('a').fork(1).kind).toBe('seeded');
  });
});

describe('keys', () => {
  test('make the same source again, from its start', () => {
    for (const source of [secureRandom(), seededRandom(7), seededRandom(7).fork('x')]) {
      const first = draw(source);
      const again = randomFromKey(source.key(), source.kind);
      expect(draw(again)).toEqual(first);
      expect(again.kind).toBe(source.kind);
      expect(draw(again.fork('x'))).toEqual(draw(source.fork('x')));
    }
  });

  test('are copies, both ways', () => {
    const key = new Uint8Array(32).fill(3);
    const source = randomFromKey(key, 'seeded');
    key.fill(0);
    source.key().fill(0);
    expect([...source.key()]).toEqual(Array(32).fill(3));
  });

  test.each([0, 16, 31, 33])('of %d bytes are refused', (length) => {
    expect(() => randomFromKey(new Uint8Array(length), 'seeded')).toThrow(InvalidParameter);
  });

  test('of secure sources are drawn from the platform, never twice', () => {
    const seen = new Set(Array.from({ length: 50 }, () => secureRandom().key().join()));
    expect(seen.size).toBe(50);
    vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => bytes.fill(9) });
    expect([...secureRandom().key()]).toEqual(Array(32).fill(9));
    vi.stubGlobal('crypto', undefined);
    expect(() => secureRandom()).toThrow(Unsupported);
  });
});

const PINNED = {
  bits53: 7044887931945949,
  bits32: 2264661571,
  uniform: 0.8061037576619706,
  integer: 769,
  gaussian: [0.5739339347241803, 0.28821209560055877, -0.5150135982630482],
  laplace: [-0.8521866931607618, 0.41855762389159235, -2.263921879500289],
  exponential: 0.10803073901553344,
  bytes: [147, 57, 1],
  forked: 5939025685766949,
};

test('seeded streams never change: these numbers are a promise', () => {
  const source = seededRandom('lethe');
  expect(source.bits53()).toBe(PINNED.bits53);
  expect(source.bits32()).toBe(PINNED.bits32);
  expect(source.uniform()).toBe(PINNED.uniform);
  expect(source.integer(1000)).toBe(PINNED.integer);
  expect([...source.gaussianInto(new Float64Array(3))]).toEqual(PINNED.gaussian);
  expect([...source.laplaceInto(new Float64Array(3))]).toEqual(PINNED.laplace);
  expect(source.exponential()).toBe(PINNED.exponential);
  expect([...source.bytes(3)]).toEqual(PINNED.bytes);
  expect(seededRandom(1).fork('noise').fork(2).bits53()).toBe(PINNED.forked);
});

describe('draws', () => {
  const cuts = fc.array(fc.oneof(fc.nat(5), fc.nat(70), fc.nat(3000)), { minLength: 1, maxLength: 6 });

  test.each(['gaussianInto', 'laplaceInto'] as const)(
    '%s does not depend on how it is cut or where it is put',
    (fill) => {
      const arena = createArena({ doubles: 20_000 }).allocate(20_000);
      fc.assert(
        fc.property(fc.nat(1000), cuts, fc.nat(70), (seed, lengths, before) => {
          const total = lengths.reduce((sum, length) => sum + length, 0);
          const sources = [1, 2, 3].map(() => seededRandom(seed));
          for (const source of sources) for (let i = 0; i < before; i++) source.bits32();
          const whole = sources[0][fill](new Float64Array(total));
          expect(sources[1][fill](arena.subarray(0, total))).toEqual(whole);
          const parts = lengths.flatMap((length) => [...sources[2][fill](new Float64Array(length))]);
          expect(parts).toEqual([...whole]);
          expect(new Set(sources.map((source) => source.bits53())).size).toBe(1);
        }),
        { numRuns: 60 },
      );
    },
  );

  test('fills of two sources in turn, in one memory and at one place of their streams, are their own', () => {
    const memory = createArena({ doubles: 100 }).allocate(100);
    const inTurn = [1, 2].map((seed) => seededRandom(seed));
    const alone = [1, 2].map((seed) => seededRandom(seed));
    for (let turn = 0; turn < 6; turn++) {
      for (const [k, source] of inTurn.entries()) {
        expect([...source.gaussianInto(memory.fill(0))]).toEqual([
          ...alone[k].gaussianInto(new Float64Array(100)),
        ]);
        if (turn > 2) expect(source.bits32()).toBe(alone[k].bits32());
      }
    }
  });

  test('exponential is the size of Laplace', () => {
    const [a, b] = [seededRandom(5), seededRandom(5)];
    expect(Array.from({ length: 3000 }, () => a.exponential())).toEqual(
      [...b.laplaceInto(new Float64Array(3000))].map(Math.abs),
    );
  });

  test('integers are below their bound, whatever it is', () => {
    const bounds = fc.oneof(
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 2 ** 53 - 1 }),
      fc.constantFrom(2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 52 + 1, 2 ** 53 - 1),
    );
    const source = seededRandom('integers');
    fc.assert(
      fc.property(bounds, (below) => {
        const value = source.integer(below);
        expect(Number.isSafeInteger(value) && value >= 0 && value < below).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(source.integer(1)).toBe(0);
  });

  test.each([0, -1, 1.5, NaN, Infinity, 2 ** 53])('integer refuses %d', (below) => {
    expect(() => seededRandom(1).integer(below)).toThrow(InvalidParameter);
  });

  // With the remainder of 2^32 (or 2^53) by 3 · 2^30 (3 · 2^51), the
  // lowest third would come up half of the time: 100 standard deviations.
  test.each([3 * 2 ** 30, 3 * 2 ** 51])(
    'integer(%d) has no modulo bias: thirds within 7 standard deviations',
    (below) => {
      const source = seededRandom(below);
      const thirds = [0, 0, 0];
      for (let i = 0; i < 30_000; i++) thirds[Math.floor((3 * source.integer(below)) / below)]++;
      for (const count of thirds)
        expect(Math.abs(count - 10_000)).toBeLessThan(7 * Math.sqrt(30_000 * (2 / 9)));
    },
  );

  test('integers up to 2^32 are words modulo the bound, words of the uneven rest left out', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.oneof(
          fc.integer({ min: 1, max: 0xffffffff }),
          fc.nat(1000).map((k) => 0xffffffff - k),
          fc.nat(1000).map((k) => 2 ** 31 - 500 + k),
          fc.integer({ min: 1, max: 1000 }),
        ),
        (seed, below) => {
          const [source, twin] = [seededRandom(seed), seededRandom(seed)];
          for (let t = 0; t < 20; t++) {
            let word = twin.bits32();
            while (word >= 2 ** 32 - (2 ** 32 % below)) word = twin.bits32();
            expect(source.integer(below)).toBe(word % below);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test('uniforms are multiples of 2^-53 inside (0, 1), with the right mean and spread', () => {
    const source = seededRandom('uniform');
    let [sum, squares] = [0, 0];
    const n = 100_000;
    for (let i = 0; i < n; i++) {
      const u = source.uniform();
      if (!(u > 0 && u < 1 && Number.isInteger(u * 2 ** 53))) expect(u).toBe('a multiple of 2^-53 in (0, 1)');
      sum += u;
      squares += (u - 0.5) ** 2;
    }
    expect(Math.abs(sum / n - 0.5)).toBeLessThan(7 * Math.sqrt(1 / 12 / n));
    expect(Math.abs(squares / n - 1 / 12)).toBeLessThan(7 * Math.sqrt(1 / 180 / n));
  });

  test('a zero among the 53 bits is drawn again', () => {
    const source = seededRandom(1);
    const draws = [0, 0, 5];
    source.bits53 = () => defined(draws.shift());
    expect(source.uniform()).toBe(5 * 2 ** -53);
  });

  test('bytes are the stream, and their number is checked', () => {
    const [a, b] = [seededRandom(3), seededRandom(3)];
    const view = new DataView(a.bytes(24).buffer);
    expect([0, 8, 16].map((at) => view.getUint32(at, true))).toEqual([b.bits32(), b.bits32(), b.bits32()]);
    expect(a.bytes(0)).toHaveLength(0);
    expect(a.bytes(13)).toHaveLength(13);
    for (const count of [-1, 0.5, NaN, Infinity]) expect(() => a.bytes(count)).toThrow(InvalidParameter);
  });
});
