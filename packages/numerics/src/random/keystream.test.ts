import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createArena, engineOf } from '../linalg/arena.js';
import { layout } from '../linalg/kernels.wasm.js';
import { BATCH_WORDS, chachaBlockInto, keystreamBatchInto } from './chacha.reference.js';
import { keystreamEngine, setKey } from './keystream-engine.js';
import { defined } from '../defined.js';

const wordsOf = (hex: string): number[] =>
  hex
    .trim()
    .split(/\s+/)
    .map((word) => Number.parseInt(word, 16));
const keys = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => new Uint32Array(bytes.slice().buffer));
const engine = keystreamEngine();

describe('the block function', () => {
  // RFC 8439, §2.3.2 and appendix A.1, test vectors 1 and 3.
  const vectors = [
    {
      key: Uint8Array.from({ length: 32 }, (_, i) => i),
      input: [1, 0x09000000, 0x4a000000, 0],
      out: `e4e7f110 15593bd1 1fdd0f50 c47120a3 c7f4d1c7 0368c033 9aaa2204 4e6cd4c3
            466482d2 09aa9f07 05d7c214 a2028bd9 d19c12b5 b94e16de e883d0cb 4e3c50a2`,
    },
    {
      key: new Uint8Array(32),
      input: [0, 0, 0, 0],
      out: `ade0b876 903df1a0 e56a5d40 28bd8653 b819d2bd 1aed8da0 ccef36a8 c70d778b
            7c5941da 8d485751 3fe02477 374ad8b8 f4b8436a 1ca11815 69b687c3 8665eeb2`,
    },
    {
      key: Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? 1 : 0)),
      input: [1, 0, 0, 0],
      out: `2452eb3a 9249f8ec 8d829d9b ddd4ceb1 e8252083 60818b01 f38422b8 5aaa49c9
            bb00ca8e da3ba7b4 c4b592d1 fdf2732f 4436274e 2561b3c8 ebdd4aa6 a0136c00`,
    },
  ];

  test.each(vectors)('gives the vectors of RFC 8439', ({ key, input, out }) => {
    const words = new Uint32Array(key.buffer);
    expect([...chachaBlockInto(new Uint32Array(16), words, input, 20)]).toEqual(wordsOf(out));
    setKey(engine, words);
    engine.kernels.block(20, input[0], input[1], input[2], input[3]);
    expect([...engine.block]).toEqual(wordsOf(out));
  });

  test('is the same in kernel and plain code', () => {
    fc.assert(
      fc.property(
        keys,
        fc.array(fc.nat(0xffffffff), { minLength: 4, maxLength: 4 }),
        fc.constantFrom(2, 8, 12, 20),
        (key, input, rounds) => {
          setKey(engine, key);
          engine.kernels.block(rounds, input[0], input[1], input[2], input[3]);
          expect([...engine.block]).toEqual([...chachaBlockInto(new Uint32Array(16), key, input, rounds)]);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the keystream', () => {
  const batches = fc.oneof(
    fc.nat(100),
    fc.nat(2 ** 31),
    fc.integer({ min: 2 ** 29 - 1, max: 2 ** 29 + 1 }),
    fc.integer({ min: 2 ** 40, max: 2 ** 46 }),
  );

  test('is the same in kernel and plain code, also where the counter passes 32 bits', () => {
    fc.assert(
      fc.property(keys, batches, fc.integer({ min: 1, max: 3 }), (key, first, count) => {
        const ours = defined(engineOf(createArena({ doubles: 8 }).allocate(1)));
        setKey(ours, key);
        ours.kernels.keystream(first, layout.staging, count);
        for (let b = 0; b < count; b++) {
          const words = new Uint32Array(ours.memory.buffer, layout.staging + 512 * b, 2 * BATCH_WORDS);
          expect([...words]).toEqual([...keystreamBatchInto(new Uint32Array(128), key, first + b)]);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('has balanced bits: 2^21 of them, within 7 standard deviations', () => {
    setKey(engine, Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8));
    const ones = new Float64Array(32);
    const batch = new Uint32Array(engine.memory.buffer, layout.staging, 2 * BATCH_WORDS);
    for (let b = 0; b < 512; b++) {
      engine.kernels.keystream(b, layout.staging, 1);
      for (const word of batch) for (let bit = 0; bit < 32; bit++) ones[bit] += (word >>> bit) & 1;
    }
    const n = 512 * 2 * BATCH_WORDS;
    for (const count of ones) expect(Math.abs(count - n / 2)).toBeLessThan(7 * Math.sqrt(n / 4));
  });
});
