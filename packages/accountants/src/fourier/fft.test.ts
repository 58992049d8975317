import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { transform, transformError } from './fft.js';

/** The sum itself, with angles reduced exactly. */
function slow(re: Float64Array, im: Float64Array): [number, number][] {
  const n = re.length;
  return Array.from({ length: n }, (_, j) => {
    let [a, b] = [0, 0];
    for (let m = 0; m < n; m += 1) {
      const angle = (-2 * Math.PI * ((j * m) % n)) / n;
      a += re[m] * Math.cos(angle) - im[m] * Math.sin(angle);
      b += re[m] * Math.sin(angle) + im[m] * Math.cos(angle);
    }
    return [a, b];
  });
}
const norm = (...parts: Iterable<number>[]): number =>
  Math.sqrt(parts.flatMap((part) => [...part]).reduce((sum, x) => sum + x * x, 0));
const value = fc
  .tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: -12, max: 3 }))
  .map(([m, e]) => m * 10 ** e);

describe('transform', () => {
  it('is the discrete Fourier transform, with an error below the one granted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), fc.infiniteStream(value), (log, values) => {
        const n = 2 ** log;
        const draw = (): Float64Array =>
          Float64Array.from({ length: n }, () => values.next().value as number);
        const [re, im] = [draw(), draw()];
        const expected = slow(re, im);
        const size = norm(re, im) * Math.sqrt(n);
        transform(re, im);
        const error = norm(
          re.map((x, j) => x - expected[j][0]),
          im.map((x, j) => x - expected[j][1]),
        );
        expect(error).toBeLessThanOrEqual((transformError(n) + n * 2 ** -52) * size);
      }),
      { numRuns: 100 },
    );
  });

  it('brings long signals back when taken twice', () => {
    for (const n of [2 ** 15, 2 ** 16]) {
      const signal = Float64Array.from({ length: n }, (_, i) => ((i * 7919) % 1009) / 1009);
      const [re, im] = [signal.slice(), new Float64Array(n)];
      transform(re, im);
      transform(re, im);
      const error = norm(signal.map((x, i) => x - re[(n - i) % n] / n));
      expect(error).toBeLessThanOrEqual(2.5 * transformError(n) * norm(signal));
      expect(error).toBeGreaterThan(0);
    }
  });
});
