import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PrivacyLossDistribution } from '@lethe/core';
import {
  approximateLossDistribution,
  atomicLossDistribution,
  boundedRangeLossDistribution,
  discreteGaussianLossDistribution,
  discreteLaplaceLossDistribution,
  gaussianLossDistribution,
  gaussianMixtureLossDistribution,
  laplaceLossDistribution,
  mixtureOfLossDistributions,
  presentInPoisson,
  pureLossDistribution,
  randomizedResponseLossDistribution,
  replacedInPoisson,
  replacedResponseLossDistribution,
  splicedLossDistribution,
  unprotectedLossDistribution,
} from './loss-distributions.js';
import { fineEdges, masses, profileOfCells } from './pairs.reference.js';

/** Each law with that of the reversed pair. */
const both = (
  distribution: PrivacyLossDistribution,
): readonly [PrivacyLossDistribution, PrivacyLossDistribution] => [distribution, distribution];
const mixture = [
  [0, 0.5, 2],
  [0.3, 0.3, 0.4],
] as const;
const skewed = [
  { p: 0.5, q: 0.1 },
  { p: 0.3, q: 0.3 },
  { p: 0, q: 0.4 },
  { p: 0.2, q: 0.2 },
] as const;
const laws: { readonly [name: string]: readonly [PrivacyLossDistribution, PrivacyLossDistribution] } = {
  gaussian: both(gaussianLossDistribution(1.3)),
  'narrow gaussian': both(gaussianLossDistribution(0.01)),
  'wide gaussian': both(gaussianLossDistribution(7)),
  laplace: both(laplaceLossDistribution(0.7)),
  'bounded range': [boundedRangeLossDistribution(1.5), boundedRangeLossDistribution(1.5)],
  'discrete laplace': both(discreteLaplaceLossDistribution(0.2, 5)),
  'discrete gaussian': both(discreteGaussianLossDistribution(2.5, 3)),
  response: both(randomizedResponseLossDistribution(0.3, 5)),
  pure: both(pureLossDistribution(1.1)),
  approximate: both(approximateLossDistribution(0.5, 0.03)),
  atoms: [atomicLossDistribution(skewed), atomicLossDistribution(skewed.map(({ p, q }) => ({ p: q, q: p })))],
  unprotected: both(unprotectedLossDistribution),
  mixture: [
    gaussianMixtureLossDistribution(...mixture, 'remove'),
    gaussianMixtureLossDistribution(...mixture, 'add'),
  ],
  'mixture of moves': [
    gaussianMixtureLossDistribution([1, 2], [0.2, 0.8], 'remove'),
    gaussianMixtureLossDistribution([1, 2], [0.2, 0.8], 'add'),
  ],
  'sampled gaussian': [
    presentInPoisson(gaussianLossDistribution(1), 0.1, 'remove'),
    presentInPoisson(gaussianLossDistribution(1), 0.1, 'add'),
  ],
  'sampled rarely': [
    presentInPoisson(gaussianLossDistribution(1.2), 1e-3, 'remove'),
    presentInPoisson(gaussianLossDistribution(1.2), 1e-3, 'add'),
  ],
  'sampled often': [
    presentInPoisson(gaussianLossDistribution(2), 0.97, 'remove'),
    presentInPoisson(gaussianLossDistribution(2), 0.97, 'add'),
  ],
  'sampled laplace': [
    presentInPoisson(laplaceLossDistribution(1), 0.3, 'remove'),
    presentInPoisson(laplaceLossDistribution(1), 0.3, 'add'),
  ],
  'sampled failure': [
    presentInPoisson(approximateLossDistribution(0.5, 0.1), 0.4, 'remove'),
    presentInPoisson(approximateLossDistribution(0.5, 0.1), 0.4, 'add'),
  ],
  'sampled exposure': [
    presentInPoisson(unprotectedLossDistribution, 0.4, 'remove'),
    presentInPoisson(unprotectedLossDistribution, 0.4, 'add'),
  ],
  'replaced gaussian': both(replacedInPoisson(0.2, 1.1)),
  'replaced far': both(replacedInPoisson(0.01, 9)),
  'replaced response': both(replacedResponseLossDistribution(0.2, 1.4)),
  'one of two': both(
    mixtureOfLossDistributions([0.25, 0.75], [gaussianLossDistribution(1), laplaceLossDistribution(0.5)]),
  ),
  spliced: both(
    splicedLossDistribution(
      presentInPoisson(gaussianLossDistribution(1), 0.2, 'remove'),
      presentInPoisson(gaussianLossDistribution(1), 0.2, 'add'),
    ),
  ),
};
const epsilons = [
  -40, -9, -3, -1.1, -0.6, -0.25, -0.01, -1e-9, 0, 1e-9, 0.01, 0.2, 0.45, 0.7, 1, 1.4, 3, 9, 30,
];

describe.each(Object.entries(laws))('the law of loss: %s', (_, [distribution, reversed]) => {
  it('has all of its probability in cells, however they are cut', () => {
    const whole = masses(distribution, [-Infinity, Infinity]);
    expect(whole.p[0] + distribution.infinite).toBeCloseTo(1, 13);
    for (const cells of [1, 7, 800, 20_011]) {
      const cut = masses(distribution, fineEdges(-3.1, 3.2, cells));
      expect(cut.p.reduce((sum, mass) => sum + mass, 0)).toBeCloseTo(whole.p[0], 13);
      expect(cut.q.reduce((sum, mass) => sum + mass, 0)).toBeCloseTo(whole.q[0], 13);
    }
  });

  it('has in each cell losses of that cell', () => {
    const { p, q, edges } = masses(distribution, fineEdges(-4, 4, 1603));
    p.forEach((mass, i) => {
      expect(mass).toBeGreaterThanOrEqual(q[i] * Math.exp(edges[i]) * (1 - 1e-12));
      expect(mass).toBeLessThanOrEqual(
        (q[i] === 0 ? 0 : q[i] * Math.exp(edges[i + 1]) * (1 + 1e-12)) + 1e-323,
      );
    });
  });

  it('has the profile that its cells have', () => {
    const fine = masses(distribution, fineEdges(-12, 12, 6000));
    for (const epsilon of epsilons) {
      const { lower, upper } = distribution.hockeyStick(epsilon);
      const cells = profileOfCells(distribution, fine, epsilon);
      expect(lower).toBeLessThanOrEqual(upper);
      expect(upper).toBeGreaterThanOrEqual(cells.lower * (1 - 1e-13) - 1e-15);
      expect(lower).toBeLessThanOrEqual(cells.upper * (1 + 1e-13) + 1e-15);
      expect(upper - lower).toBeLessThanOrEqual(1e-11);
    }
  });

  it('belongs with the law of the reversed pair, at negative ε and at the ends', () => {
    for (const epsilon of epsilons) {
      const { lower, upper } = distribution.hockeyStick(-epsilon);
      const above = reversed.hockeyStick(epsilon);
      expect(lower).toBeLessThanOrEqual(
        -Math.expm1(-epsilon) + Math.exp(-epsilon) * above.upper + 1e-14 * Math.max(1, Math.exp(-epsilon)),
      );
      expect(upper).toBeGreaterThanOrEqual(
        -Math.expm1(-epsilon) + Math.exp(-epsilon) * above.lower - 1e-14 * Math.max(1, Math.exp(-epsilon)),
      );
    }
    expect(distribution.hockeyStick(-Infinity)).toEqual({ lower: 1, upper: 1 });
    const { lower, upper } = distribution.hockeyStick(Infinity);
    expect(lower).toBeLessThanOrEqual(upper);
    expect(upper).toBeLessThanOrEqual(distribution.infinite * (1 + 1e-14));
    expect(upper).toBeGreaterThanOrEqual(distribution.infinite);
  });

  it('decreases in ε and supports its bounds', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -20, max: 20, noNaN: true }),
        fc.double({ min: 0, max: 5, noNaN: true }),
        (epsilon, more) => {
          expect(distribution.hockeyStick(epsilon + more).lower).toBeLessThanOrEqual(
            distribution.hockeyStick(epsilon).upper,
          );
        },
      ),
    );
    const { least, most } = distribution.support;
    expect(least).toBeLessThanOrEqual(most);
    if (Number.isFinite(most))
      expect(distribution.hockeyStick(most * (1 + 1e-12) + 1e-12).upper).toBeLessThanOrEqual(
        distribution.infinite * (1 + 1e-15) + 1e-300,
      );
    if (Number.isFinite(least)) expect(masses(distribution, [-Infinity, least]).p[0]).toBe(0);
  });
});
