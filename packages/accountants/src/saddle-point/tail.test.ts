import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Atoms } from './atoms.js';
import { rangesFrom } from './tail.js';
import { tiltAll } from './tilt.js';
import { inputs } from '../../test/effort.js';

const atoms = (points: readonly (readonly [number, number])[]): Atoms => {
  const masses = Float64Array.from(points, ([, mass]) => mass);
  return {
    positions: Float64Array.from(points, ([position]) => position),
    masses,
    logs: masses.map(Math.log),
  };
};
const measure = fc
  .uniqueArray(fc.tuple(fc.integer({ min: -200, max: 200 }), fc.integer({ min: 1, max: 1000 })), {
    minLength: 2,
    maxLength: 30,
    selector: ([x]) => x,
  })
  .map((points) => atoms(points.toSorted(([a], [b]) => a - b).map(([x, m]) => [x / 100, m / 1e4])));

describe('rangesFrom', () => {
  it('bounds the modulus of the characteristic function everywhere, also where it returns to 1', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(measure, fc.integer({ min: 1, max: 2000 })), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: -10, max: 10 }),
        fc.integer({ min: 1, max: 99 }),
        (list, k, share) => {
          const factors = list.map(([measured, count]) => ({ atoms: measured, count }));
          const lambda = 10 ** (k / 10);
          const tilted = tiltAll(factors, lambda);
          const start = 3 / Math.sqrt(tilted.variance);
          const stretches = rangesFrom(factors, tilted, start);
          expect(stretches[0].from).toBe(start);
          expect(stretches[stretches.length - 1].length).toBe(Infinity);
          stretches.forEach(({ from, length, most }, i) => {
            if (i > 0) expect(from).toBeCloseTo(stretches[i - 1].from + stretches[i - 1].length, 6);
            const t = from + (Math.min(length, 1) * share) / 100;
            const log = factors.reduce((sum, { atoms: { positions }, count }, j) => {
              const { weights } = tilted.parts[j];
              const real = weights.reduce((part, weight, n) => part + weight * Math.cos(t * positions[n]), 0);
              const imaginary = weights.reduce(
                (part, weight, n) => part + weight * Math.sin(t * positions[n]),
                0,
              );
              return sum + count * Math.log(Math.min(1, Math.hypot(real, imaginary)));
            }, 0);
            expect(Math.exp(log)).toBeLessThanOrEqual(most * (1 + 1e-6));
          });
        },
      ),
      { numRuns: inputs(60) },
    );
  });
});
