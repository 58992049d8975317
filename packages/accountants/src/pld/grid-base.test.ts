import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gaussian, lossDistributionsOf, sampled, tenTo } from '../../test/releases.js';
import { discretise } from './discretise.js';
import { baseAbout } from './grid-base.js';

describe('the index of a grid point', () => {
  it('merges a distribution that is nearly an atom almost without error', () => {
    fc.assert(
      fc.property(
        tenTo(-3, -2),
        tenTo(-0.7, -0.3),
        tenTo(-3.5, -2.5),
        fc.integer({ min: 1, max: 9 }).map((k) => k / 10),
        (rate, sigma, step, part) => {
          const [distribution] = lossDistributionsOf(sampled(rate, gaussian(sigma)));
          const { least } = distribution.support;
          const tilt = 0.7;
          const nodes = Float64Array.from({ length: Math.round(2 / step) }, (_, i) => i - 20);
          const momentAt = (base: number): number => {
            const { lower } = discretise(distribution, {
              base,
              step,
              nodes,
              widths: nodes.map(() => 1),
              tolerance: 0,
            });
            return lower.reduce((sum, mass, i) => sum + mass * Math.exp(tilt * (base + step * nodes[i])), 0);
          };
          const base = baseAbout(distribution, least, step, tilt);
          expect(Math.abs(base - least)).toBeLessThanOrEqual(step);
          // No other point loses much less, and most lose a part of a step.
          expect(momentAt(base)).toBeGreaterThanOrEqual(momentAt(least + part * step) - step ** 2);
        },
      ),
      { numRuns: 40 },
    );
  });
});
