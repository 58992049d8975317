import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRuns } from './parquet-runs.js';

type Run = { readonly repeat: number; readonly bit: number } | { readonly bytes: readonly number[] };

/** Encodes runs of one-bit values and expands them. */
function encode(runs: readonly Run[]): { bytes: Uint8Array; bits: number[] } {
  const varint = (value: number): number[] =>
    value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
  return {
    bytes: Uint8Array.from(
      runs.flatMap((run) =>
        'bytes' in run
          ? [...varint(run.bytes.length * 2 + 1), ...run.bytes]
          : [...varint(run.repeat * 2), run.bit],
      ),
    ),
    bits: runs.flatMap((run) =>
      'bytes' in run
        ? run.bytes.flatMap((byte) => Array.from({ length: 8 }, (_, k) => (byte >> k) & 1))
        : Array.from({ length: run.repeat }, () => run.bit),
    ),
  };
}

const run: fc.Arbitrary<Run> = fc.oneof(
  fc.record({ repeat: fc.integer({ min: 1, max: 400 }), bit: fc.nat(1) }),
  fc.record({ bytes: fc.array(fc.nat(255), { minLength: 1, maxLength: 30 }) }),
);

describe('checkRuns', () => {
  it('counts the ones among the first values', () => {
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 8 }), fc.nat(7), (runs, unused) => {
        const { bytes, bits } = encode(runs);
        const count = Math.max(1, bits.length - unused);
        expect(checkRuns(bytes, 1, count)).toBe(bits.slice(0, count).filter((bit) => bit === 1).length);
      }),
    );
  });

  it('refuses streams that end early, and takes any bytes in a time that their number bounds', () => {
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 8 }), (runs) => {
        const { bytes, bits } = encode(runs);
        expect(() => checkRuns(bytes, 1, bits.length + 1)).toThrow(RangeError);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(40), fc.nat(1000), (bytes, width, count) => {
        try {
          expect(checkRuns(bytes, width, count)).toBeLessThanOrEqual(count);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });

  it.each([
    ['a run of 2³⁰ equal values', [0xfe, 0xff, 0xff, 0xff, 0x0f, 1]],
    ['a packed run of 2³⁰ values', [0xff, 0xff, 0xff, 0xff, 0x0f, 1]],
    ['a length without an end', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0]],
    ['no bytes', []],
  ])('refuses %s', (_, bytes) => {
    expect(() => checkRuns(Uint8Array.from(bytes), 1, 10)).toThrow(RangeError);
  });
});
