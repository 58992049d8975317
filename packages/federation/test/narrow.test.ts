import { seededRandom } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { narrowed, narrowSize, widened } from '../src/narrow.js';
import { refusalOf } from '../src/index.js';

const random = seededRandom('narrow');
const onGrid = (exponent: number, steps: number): Float64Array =>
  Float64Array.from({ length: 50 }, () => Math.round((random.uniform() - 0.5) * 2 * steps) * 2 ** exponent);

describe('narrow answers', () => {
  it('are the same numbers in half as many bytes', () => {
    for (const exponent of [-1000, -40, -3, 0, 7, 900])
      for (const steps of [1, 1000, 2 ** 31 - 1]) {
        const vector = onGrid(exponent, steps).map((one) => (Object.is(one, -0) ? 0 : one));
        const body = narrowed(vector);
        expect(body).toHaveLength(narrowSize(50));
        expect(widened(body ?? new Uint8Array(0), 50)).toStrictEqual(vector);
      }
    expect(widened(narrowed(new Float64Array(3)) ?? new Uint8Array(0), 3)).toStrictEqual(new Float64Array(3));
  });

  it('are left wide where that would lose anything', () => {
    for (const vector of [[1, 2 ** -31], [2 ** 31, 1], [-0, 1], [5e-324, 5e-324], [Infinity], [Math.PI, 1]])
      expect(narrowed(Float64Array.from(vector))).toBeNull();
  });

  it('have the coarsest grid of all entries, whatever the first ones are', () => {
    const exponentOf = (vector: Float64Array): number | null => {
      const body = narrowed(vector);
      return body === null ? null : new DataView(body.buffer, body.byteOffset).getInt16(0, true);
    };
    const long = (first: number, last: number): Float64Array =>
      new Float64Array(200).fill(first).fill(last, 199);
    const cases = [
      [8, 8, 3],
      [8, 0.5, -1],
      [0.5, 8, -1],
      [0, 8, 3],
      [8, -0, null],
      [8, Number.NaN, null],
      [8, 2 ** 40, null],
      // Times 2^-900, the last one is too small for a double.
      [2 ** 900, 2 ** -1000, null],
    ] as const;
    for (const [first, last, exponent] of cases) {
      const vector = long(first, last);
      expect(exponentOf(vector)).toBe(exponent);
      if (exponent !== null)
        expect(widened(narrowed(vector) ?? new Uint8Array(0), 200)).toStrictEqual(vector);
    }
  });

  it('are refused with a grid that no answer has', () => {
    const body = narrowed(Float64Array.of(1)) ?? new Uint8Array(0);
    new DataView(body.buffer, body.byteOffset).setInt16(0, 1020, true);
    const code = (() => {
      try {
        widened(body, 1);
        return 'none';
      } catch (error) {
        return refusalOf(error);
      }
    })();
    expect(code).toBe('not-finite');
  });
});
