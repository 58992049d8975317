import { normalCdf } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Densities, hockeyStickOf, renyiOf } from './density-divergence.js';
import { gaussianCurve } from './gaussian-curve.js';
import { gaussLegendre } from './gauss-legendre.js';
import { shiftDivergence } from './half-line.js';
import { logPowerExcess } from './power-excess.js';

const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 20, max: high * 20 }).map((k) => 10 ** (k / 20));
const gaussians = (mu: number, alpha = 1): Densities => ({
  logQ: (x) => -(x * x) / 2 - Math.log(2 * Math.PI) / 2,
  logRatio: (x) => mu * (x - mu / 2),
  breaks: [-12, alpha * mu + 12],
});
const laplaces = (shift: number): Densities => ({
  logQ: (x) => -Math.abs(x) - Math.LN2,
  logRatio: (x) => Math.abs(x) - Math.abs(x - shift),
  breaks: [-45, 0, shift, shift + 45],
});

describe('Gauss–Legendre rules', () => {
  it.each([2, 5, 10, 16])('with %i nodes are exact for polynomials', (count) => {
    const { nodes, weights } = gaussLegendre(count);
    for (let degree = 0; degree < 2 * count; degree++) {
      const sum = nodes.reduce((total, node, i) => total + weights[i] * node ** degree, 0);
      expect(Math.abs(sum - (degree % 2 === 0 ? 2 / (degree + 1) : 0))).toBeLessThan(1e-14);
    }
  });
});

describe('the excess of a power over its tangent', () => {
  it('agrees with a polynomial for integer powers and is never negative', () => {
    fc.assert(
      fc.property(tenTo(-6, 0.5), fc.boolean(), fc.integer({ min: 2, max: 5 }), (size, negative, alpha) => {
        const loss = negative ? -size : size;
        const u = Math.expm1(loss);
        const polynomial = [
          0,
          0,
          u * u,
          u * u * (3 + u),
          u * u * (6 + 4 * u + u * u),
          u * u * (10 + 10 * u + 5 * u * u + u ** 3),
        ][alpha];
        expect(Math.abs(logPowerExcess(alpha - 1, loss) - Math.log(polynomial))).toBeLessThan(1e-11);
      }),
    );
    expect(logPowerExcess(1, 0)).toBe(-Infinity);
    expect(logPowerExcess(1, 1000)).toBeCloseTo(2000, 9);
  });
});

describe('divergences of densities', () => {
  it('of Gaussians are accurate, and never too large', () => {
    fc.assert(
      fc.property(
        tenTo(-2, 1),
        tenTo(-2, 0.7),
        tenTo(-4, 1).map((x) => 1 + x),
        (mu, epsilon, alpha) => {
          const stick = hockeyStickOf(gaussians(mu), epsilon);
          const { lower, upper } = gaussianCurve(mu, epsilon);
          expect(stick.lower).toBeLessThanOrEqual(upper);
          expect(stick.estimate).toBeGreaterThan(lower - 1e-11);
          const truth = (alpha * mu * mu) / 2;
          const renyi = renyiOf(gaussians(mu, alpha), alpha);
          expect(renyi.lower).toBeLessThanOrEqual(truth * (1 + 1e-13));
          expect(renyi.lower).toBeGreaterThan(truth * (1 - 1e-8));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('of Laplace distributions are accurate, and never too large, kinks included', () => {
    fc.assert(
      fc.property(
        tenTo(-2, 1),
        tenTo(-2, 0.7),
        tenTo(-3, 1.5).map((x) => 1 + x),
        (shift, epsilon, alpha) => {
          const delta = Math.max(0, -Math.expm1((epsilon - shift) / 2));
          const stick = hockeyStickOf(laplaces(shift), epsilon);
          expect(stick.lower).toBeLessThanOrEqual(delta);
          expect(stick.lower).toBeGreaterThan(delta - 1e-9);
          const beta = alpha - 1;
          const truth =
            Math.log1p(
              (alpha * Math.expm1(beta * shift) + beta * Math.expm1(-alpha * shift)) / (alpha + beta),
            ) / beta;
          const renyi = renyiOf(laplaces(shift), alpha);
          expect(renyi.lower).toBeLessThanOrEqual(truth * (1 + 1e-11));
          expect(renyi.lower).toBeGreaterThan(truth * (1 - 1e-7));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('are 0 between equal distributions, and smaller after truncation', () => {
    const same = { ...gaussians(1), logRatio: () => 0 };
    expect(hockeyStickOf(same, 0).lower).toBe(0);
    expect(renyiOf(same, 2)).toEqual({ estimate: 0, lower: 0 });
    expect(renyiOf({ ...gaussians(1), breaks: [-12, 1] }, 2).lower).toBeLessThan(0.8);
  });
});

describe('divergence of a distribution from its shift', () => {
  const epsilons = [0, 0.1, 1, 2];
  const laplace = (x: number): number => (x < 0 ? Math.exp(x) / 2 : 1 - Math.exp(-x) / 2);

  it('is accurate for Gaussian and Laplace distributions, and never too large, at every scale', () => {
    fc.assert(
      fc.property(
        tenTo(-6, 6),
        tenTo(-1, 0.7),
        fc.constantFrom(...epsilons),
        fc.boolean(),
        (scale, mu, epsilon, back) => {
          const shift = back ? -mu * scale : mu * scale;
          const gaussian = shiftDivergence({ cdf: (x) => normalCdf(x / scale) }, shift, epsilon).lower;
          const { lower, upper } = gaussianCurve(mu, epsilon);
          expect(gaussian).toBeLessThanOrEqual(upper);
          expect(gaussian).toBeGreaterThan(lower * (1 - 1e-6) - 1e-11);
          const found = shiftDivergence({ cdf: (x) => laplace(x / scale) }, shift, epsilon).lower;
          const truth = Math.max(0, -Math.expm1((epsilon - mu) / 2));
          expect(found).toBeLessThanOrEqual(truth);
          expect(found).toBeGreaterThan(truth * (1 - 1e-6) - 1e-11);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('detects an atom and a bounded support, which half lines do not show', () => {
    const atom = (x: number): number => 0.99 * normalCdf(x) + (x >= 0 ? 0.01 : 0);
    expect(shiftDivergence({ cdf: atom }, 1, 4).lower).toBeGreaterThan(0.0099);
    const uniform = (x: number): number => Math.min(1, Math.max(0, x / 4 + 0.5));
    expect(shiftDivergence({ cdf: uniform }, 1, 8).lower).toBeCloseTo(0.25, 9);
  });

  it('detects intervals, for bimodal noise', () => {
    const humps = (x: number): number => 0.5 * normalCdf(x - 5) + 0.5 * normalCdf(x + 5);
    const { lower, witness } = shiftDivergence({ cdf: humps }, 10, 1);
    expect(lower).toBeGreaterThan(0.49);
    const half = shiftDivergence({ cdf: humps }, 5, 0.5);
    expect(half.lower).toBeGreaterThan(0.9);
    expect(half.witness).toMatch(/cells/u);
    expect(witness).not.toBe('none');
  });

  it('subtracts the error of the distribution function', () => {
    const near = shiftDivergence({ cdf: normalCdf, accuracy: 1e-3 }, 1, 0).lower;
    expect(near).toBeLessThan(gaussianCurve(1, 0).lower - 1.9e-3);
    expect(shiftDivergence({ cdf: (x) => normalCdf(x) }, 0, 0)).toEqual({ lower: 0, witness: 'none' });
  });
});
