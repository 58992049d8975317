import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PrivacyLossDistribution } from '@lethe/core';
import {
  boundedRangeLossDistribution,
  discreteGaussianLossDistribution,
  discreteLaplaceLossDistribution,
  gaussianLossDistribution,
  laplaceLossDistribution,
  mixtureOfLossDistributions,
  presentInPoisson,
  pureLossDistribution,
  replacedInPoisson,
  replacedResponseLossDistribution,
  splicedLossDistribution,
} from './loss-distributions.js';
import { fineEdges, masses } from './pairs.reference.js';

/** `E_{P_b}[H_a(ε − L_b)]` with the losses of `b` at one end of their cells. */
function productProfile(
  a: PrivacyLossDistribution,
  b: PrivacyLossDistribution,
  epsilon: number,
  edges: Float64Array,
  end: 0 | 1,
): number {
  const { p } = masses(b, edges);
  return p.reduce(
    (sum, mass, i) =>
      mass === 0 ? sum : sum + mass * a.hockeyStick(epsilon - Math.min(edges[i + end], b.support.most)).upper,
    b.infinite,
  );
}

/** The losses of discrete Laplace noise and their probabilities, from the definition. */
function geometric(unit: number, shift: number): readonly { readonly p: number; readonly q: number }[] {
  const r = Math.exp(-unit);
  const weight = (x: number): number =>
    Math.abs(x) > 60 / unit ? 0 : (r ** Math.abs(x) * (1 - r)) / (1 + r);
  const reach = Math.ceil(60 / unit);
  return Array.from({ length: 2 * reach + shift }, (_, i) => ({
    p: weight(i - reach - shift),
    q: weight(i - reach),
  }));
}

const integers = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

describe('discrete Laplace noise', () => {
  it('has the profile of its definition', () => {
    fc.assert(
      fc.property(integers(2, 30), integers(1, 9), integers(-80, 80), (tenths, shift, at) => {
        const [unit, epsilon] = [tenths / 10, at / 10];
        const expected = geometric(unit, shift).reduce(
          (sum, { p, q }) => sum + Math.max(0, p - Math.exp(epsilon) * q),
          0,
        );
        const { lower, upper } = discreteLaplaceLossDistribution(unit, shift).hockeyStick(epsilon);
        expect(lower).toBeLessThanOrEqual(expected + 1e-13);
        expect(upper).toBeGreaterThanOrEqual(expected - 1e-13);
        expect(upper - lower).toBeLessThan(1e-12);
      }),
      { numRuns: 60 },
    );
  });

  it('costs most when one coordinate of a vector moves alone', () => {
    fc.assert(
      fc.property(integers(1, 20), integers(1, 6), integers(1, 6), integers(-60, 60), (tenths, a, b, at) => {
        const [unit, epsilon] = [tenths / 10, (at * tenths) / 40];
        const [first, second] = [geometric(unit, a), geometric(unit, b)];
        const e = Math.exp(epsilon);
        let both = 0;
        for (const x of first)
          if (x.p > 0) for (const y of second) both += Math.max(0, x.p * y.p - e * x.q * y.q);
        expect(
          discreteLaplaceLossDistribution(unit, a + b).hockeyStick(epsilon).upper,
        ).toBeGreaterThanOrEqual(both - 1e-12);
      }),
      { numRuns: 40 },
    );
  });

  it('tends to Laplace noise from above', () => {
    for (const epsilon of [0, 0.3, 0.999]) {
      const [coarse, fine] = [4, 4000].map((shift) =>
        discreteLaplaceLossDistribution(1 / shift, shift).hockeyStick(epsilon),
      );
      const { lower } = laplaceLossDistribution(1).hockeyStick(epsilon);
      expect(coarse.upper).toBeGreaterThanOrEqual(lower);
      expect(fine.upper).toBeGreaterThanOrEqual(lower);
      expect(fine.upper - lower).toBeLessThan(1e-3);
    }
  });
});

it('Laplace noise costs most for one moved coordinate, by ½ min(n, b) e^−n more than for two', () => {
  for (const [a, b] of [
    [1, 0.4],
    [0.8, 0.8],
    [2, 1.5],
  ] as const) {
    for (const epsilon of [0, 0.2, 0.7, 1.1]) {
      const edges = fineEdges(-b, b, 2000).slice(1);
      const [low, high] = [
        productProfile(laplaceLossDistribution(a), laplaceLossDistribution(b), epsilon, edges, 0),
        productProfile(laplaceLossDistribution(a), laplaceLossDistribution(b), epsilon, edges, 1),
      ];
      const n = (a + b - epsilon) / 2;
      const expected =
        laplaceLossDistribution(a + b).hockeyStick(epsilon).upper - 0.5 * Math.min(n, b) * Math.exp(-n);
      expect(expected).toBeGreaterThan(low - 2e-3);
      expect(expected).toBeLessThan(high + 2e-3);
    }
  }
});

it('discrete Gaussian noise costs more for larger shifts, and as Gaussian noise on a fine grid', () => {
  for (const epsilon of [0.1, 1, 3]) {
    const by = [1, 2, 3].map((shift) => discreteGaussianLossDistribution(1.7, shift).hockeyStick(epsilon));
    expect(by[0].upper).toBeLessThan(by[1].lower);
    expect(by[1].upper).toBeLessThan(by[2].lower);
    expect(
      discreteGaussianLossDistribution(2000, 1500).hockeyStick(epsilon).upper /
        gaussianLossDistribution(0.75).hockeyStick(epsilon).upper,
    ).toBeCloseTo(1, 5);
  }
});

it('a bounded range has the profile of the worst of two losses', () => {
  for (const range of [0.01, 1, 12]) {
    for (const at of [-0.9, -0.2, 0, 0.4, 0.97].map((share) => share * range)) {
      let most = 0;
      for (let k = 0; k <= 4000; k++) {
        const t = (k * range) / 4000;
        const p = Math.expm1(range - t) / (Math.exp(range - t) - Math.exp(-t));
        most = Math.max(
          most,
          p * Math.max(0, 1 - Math.exp(at - t)) + (1 - p) * Math.max(0, 1 - Math.exp(at - t + range)),
        );
      }
      const { lower, upper } = boundedRangeLossDistribution(range).hockeyStick(at);
      expect(upper).toBeGreaterThanOrEqual(most * (1 - 1e-13));
      expect(lower / most).toBeCloseTo(1, 5);
    }
  }
});

it('a replacement in a sample costs at most two presences at their farthest, and at least one', () => {
  for (const epsilon of [0, 0.1, 0.5]) {
    for (const rate of [0.01, 0.3, 0.9]) {
      expect(replacedInPoisson(rate, 1).hockeyStick(epsilon).upper).toBeGreaterThanOrEqual(
        presentInPoisson(gaussianLossDistribution(1), rate, 'remove').hockeyStick(epsilon).lower,
      );
      expect(replacedInPoisson(rate, 1).hockeyStick(epsilon).lower).toBeLessThanOrEqual(
        gaussianLossDistribution(2).hockeyStick(epsilon).upper,
      );
      expect(replacedResponseLossDistribution(rate, 1).hockeyStick(epsilon).upper).toBeGreaterThanOrEqual(
        presentInPoisson(pureLossDistribution(1), rate, 'remove').hockeyStick(epsilon).lower,
      );
      // Every 1-private release: Laplace noise, presences on both sides.
      const shifted = (x: number): number =>
        rate * Math.exp(-Math.abs(x - 1)) + (1 - rate) * Math.exp(-Math.abs(x));
      let laplace = 0;
      for (let x = -30; x < 30; x += 1e-3)
        laplace += 0.5e-3 * Math.max(0, shifted(x) - Math.exp(epsilon) * shifted(-x));
      expect(replacedResponseLossDistribution(rate, 1).hockeyStick(epsilon).upper).toBeGreaterThanOrEqual(
        laplace - 1e-6,
      );
    }
  }
});

it('a law of one of several, and one of two halves, has their profiles', () => {
  const [first, second] = [gaussianLossDistribution(0.8), laplaceLossDistribution(2)];
  const one = mixtureOfLossDistributions([0.25, 0.75], [first, second]);
  const [remove, add] = [presentInPoisson(first, 0.1, 'remove'), presentInPoisson(first, 0.1, 'add')];
  const halves = splicedLossDistribution(remove, add);
  for (const epsilon of [-3, -0.2, 0, 0.4, 2]) {
    expect(one.hockeyStick(epsilon).upper).toBeCloseTo(
      0.25 * first.hockeyStick(epsilon).upper + 0.75 * second.hockeyStick(epsilon).upper,
      15,
    );
    expect(halves.hockeyStick(epsilon)).toEqual((epsilon < 0 ? add : remove).hockeyStick(epsilon));
  }
});
