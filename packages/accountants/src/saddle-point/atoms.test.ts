import { gaussianLossDistribution, laplaceLossDistribution, pureLossDistribution } from '../events/index.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gaussianDelta } from '../gaussian/gaussian-curve.js';
import { encloseDistribution } from './atoms.js';
import { direct } from './direct.js';
import { firstEdges, refineEdges } from './mesh.js';
import { tilt } from './tilt.js';

const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 100, max: high * 100 }).map((k) => 10 ** (k / 100));
const cuts = fc
  .array(fc.integer({ min: -400, max: 400 }), { maxLength: 40 })
  .map((list) => [...new Set(list)].toSorted((a, b) => a - b).map((k) => k / 50));

describe('encloseDistribution', () => {
  it('has profiles below and above that of the distribution, for every cut', () => {
    fc.assert(
      fc.property(tenTo(-1, 0.5), cuts, fc.integer({ min: -100, max: 300 }), (mu, inside, k) => {
        const { lower, upper, infinite } = encloseDistribution(
          gaussianLossDistribution(mu),
          Float64Array.from([-Infinity, ...inside.map((x) => x * mu), Infinity]),
        );
        const epsilon = (k / 100) * mu;
        const truth =
          epsilon >= 0
            ? gaussianDelta(mu, epsilon)
            : {
                lower: 1 - Math.exp(epsilon) * (1 - gaussianDelta(mu, -epsilon).lower) - 1e-14,
                upper: 1 - Math.exp(epsilon) * (1 - gaussianDelta(mu, -epsilon).upper) + 1e-14,
              };
        const above = infinite.upper + Math.exp(direct(upper, 'upper')(epsilon));
        expect(Math.exp(direct(lower, 'lower')(epsilon))).toBeLessThanOrEqual(
          Math.max(truth.lower, truth.upper),
        );
        expect(above).toBeGreaterThanOrEqual(Math.min(truth.lower, truth.upper));
      }),
      { numRuns: 400 },
    );
  });

  it('keeps both masses of the law: those of P add up to 1, and so do those of Q', () => {
    fc.assert(
      fc.property(tenTo(-2, 0.5), cuts, (epsilon, inside) => {
        for (const distribution of [pureLossDistribution(epsilon), laplaceLossDistribution(epsilon)]) {
          const edges = Float64Array.from([
            -Infinity,
            ...inside.filter((x) => Math.abs(x) < epsilon),
            Infinity,
          ]);
          const { lower, upper, infinite } = encloseDistribution(distribution, edges);
          for (const { positions, masses } of [lower, upper]) {
            expect(masses.reduce((sum, mass) => sum + mass, 0)).toBeCloseTo(1, 11);
            expect(masses.reduce((sum, mass, i) => sum + mass * Math.exp(-positions[i]), 0)).toBeCloseTo(
              1,
              11,
            );
            expect(positions.every((x) => Math.abs(x) <= epsilon * (1 + 1e-12) + 1e-12)).toBe(true);
          }
          expect(infinite.upper).toBeLessThan(1e-300);
        }
      }),
    );
  });

  it('comes together as cells are refined, by the square of their width', () => {
    const distribution = gaussianLossDistribution(0.3);
    let edges = firstEdges(distribution);
    const gaps = [300, 300, 900, 2700].map((cells) => {
      edges = refineEdges(edges, distribution, encloseDistribution(distribution, edges), 5, cells);
      const { lower, upper } = encloseDistribution(distribution, edges);
      return tilt(upper, 5).log - tilt(lower, 5).log;
    });
    expect(gaps[3]).toBeGreaterThan(0);
    expect(gaps[3]).toBeLessThan(1e-5);
    expect(gaps[1] / gaps[3]).toBeGreaterThan(50);
  });
});
