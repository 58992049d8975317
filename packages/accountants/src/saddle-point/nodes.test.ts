import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nodesOf } from './nodes.js';
import { tiltAll } from './tilt.js';
import { inputs } from '../../test/effort.js';

const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 100, max: high * 100 }).map((k) => 10 ** (k / 100));
const atoms = fc
  .array(fc.tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: 1, max: 1000 })), {
    minLength: 2,
    maxLength: 40,
  })
  .map((pairs) => {
    const masses = Float64Array.from(pairs, ([, mass]) => mass / 40_000);
    return {
      positions: Float64Array.from(pairs, ([position]) => position / 100),
      masses,
      logs: masses.map(Math.log),
    };
  });

it('are the characteristic function of the tilted sum at multiples of a step, within their errors', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(atoms, fc.integer({ min: 1, max: 50 })), { minLength: 1, maxLength: 3 }),
      tenTo(-2, 0.5),
      tenTo(-3, 0),
      (laws, lambda, width) => {
        const factors = laws.map(([measure, count]) => ({ atoms: measure, count }));
        const tilted = tiltAll(factors, lambda);
        fc.pre(tilted.variance > 1e-6);
        const step = width / Math.sqrt(tilted.variance);
        const nodes = nodesOf(factors, tilted, step);
        for (const [index, { t, modulus, phase, error }] of nodes.entries()) {
          expect(t).toBe((index + 1) * step);
          let log = 0;
          let turned = 0;
          factors.forEach(({ atoms: { positions }, count }, k) => {
            const { weights, mean } = tilted.parts[k];
            let real = 0;
            let imaginary = 0;
            positions.forEach((position, i) => {
              real += weights[i] * Math.cos(t * (position - mean));
              imaginary += weights[i] * Math.sin(t * (position - mean));
            });
            log += count * Math.log(Math.hypot(real, imaginary));
            turned += count * Math.atan2(imaginary, real);
          });
          const reference = 1e-13 * factors.reduce((sum, { count }) => sum + count, 0) + 1e-15;
          if (log < -20) continue;
          // In units of the modulus, of which the error is a bound where it is large.
          expect(Math.abs(modulus - Math.exp(log))).toBeLessThanOrEqual(error + reference);
          expect(Math.exp(log) * Math.abs(Math.sin((phase - turned) / 2))).toBeLessThanOrEqual(
            error + reference,
          );
        }
        expect(nodes.length).toBeGreaterThan(0);
      },
    ),
    { numRuns: inputs(60) },
  );
});
