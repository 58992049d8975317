import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LossLaw } from '@lethe/core';
import { approximateLaw, atomicLaw, boundedRangeLaw, discreteGaussianLaw, discreteLaplaceLaw, gaussianLaw, gaussianMixtureLaw, laplaceLaw, mixtureOfLaws, presentInPoisson, pureLaw, randomizedResponseLaw, replacedInPoisson, replacedResponseLaw, splicedLaw, unprotectedLaw } from './laws.js';
import { fineEdges, masses, profileOfCells } from './pairs.reference.js';

/** Each law with that of the reversed pair. */
const both = (law: LossLaw): readonly [LossLaw, LossLaw] => [law, law];
const mixture = [[0, 0.5, 2], [0.3, 0.3, 0.4]] as const;
const skewed = [{ p: 0.5, q: 0.1 }, { p: 0.3, q: 0.3 }, { p: 0, q: 0.4 }, { p: 0.2, q: 0.2 }] as const;
const laws: { readonly [name: string]: readonly [LossLaw, LossLaw] } = {
  gaussian: both(gaussianLaw(1.3)),
  'narrow gaussian': both(gaussianLaw(0.01)),
  'wide gaussian': both(gaussianLaw(7)),
  laplace: both(laplaceLaw(0.7)),
  'bounded range': [boundedRangeLaw(1.5), boundedRangeLaw(1.5)],
  'discrete laplace': both(discreteLaplaceLaw(0.2, 5)),
  'discrete gaussian': both(discreteGaussianLaw(2.5, 3)),
  response: both(randomizedResponseLaw(0.3, 5)),
  pure: both(pureLaw(1.1)),
  approximate: both(approximateLaw(0.5, 0.03)),
  atoms: [atomicLaw(skewed), atomicLaw(skewed.map(({ p, q }) => ({ p: q, q: p })))],
  unprotected: both(unprotectedLaw),
  mixture: [gaussianMixtureLaw(...mixture, 'remove'), gaussianMixtureLaw(...mixture, 'add')],
  'mixture of moves': [gaussianMixtureLaw([1, 2], [0.2, 0.8], 'remove'), gaussianMixtureLaw([1, 2], [0.2, 0.8], 'add')],
  'sampled gaussian': [presentInPoisson(gaussianLaw(1), 0.1, 'remove'), presentInPoisson(gaussianLaw(1), 0.1, 'add')],
  'sampled rarely': [presentInPoisson(gaussianLaw(1.2), 1e-3, 'remove'), presentInPoisson(gaussianLaw(1.2), 1e-3, 'add')],
  'sampled often': [presentInPoisson(gaussianLaw(2), 0.97, 'remove'), presentInPoisson(gaussianLaw(2), 0.97, 'add')],
  'sampled laplace': [presentInPoisson(laplaceLaw(1), 0.3, 'remove'), presentInPoisson(laplaceLaw(1), 0.3, 'add')],
  'sampled failure': [presentInPoisson(approximateLaw(0.5, 0.1), 0.4, 'remove'), presentInPoisson(approximateLaw(0.5, 0.1), 0.4, 'add')],
  'sampled exposure': [presentInPoisson(unprotectedLaw, 0.4, 'remove'), presentInPoisson(unprotectedLaw, 0.4, 'add')],
  'replaced gaussian': both(replacedInPoisson(0.2, 1.1)),
  'replaced far': both(replacedInPoisson(0.01, 9)),
  'replaced response': both(replacedResponseLaw(0.2, 1.4)),
  'one of two': both(mixtureOfLaws([0.25, 0.75], [gaussianLaw(1), laplaceLaw(0.5)])),
  spliced: both(splicedLaw(presentInPoisson(gaussianLaw(1), 0.2, 'remove'), presentInPoisson(gaussianLaw(1), 0.2, 'add'))),
};
const epsilons = [-40, -9, -3, -1.1, -0.6, -0.25, -0.01, -1e-9, 0, 1e-9, 0.01, 0.2, 0.45, 0.7, 1, 1.4, 3, 9, 30];

describe.each(Object.entries(laws))('the law of loss: %s', (_, [law, reversed]) => {
  it('has all of its probability in cells, however they are cut', () => {
    const whole = masses(law, [-Infinity, Infinity]);
    expect(whole.p[0]! + law.infinite).toBeCloseTo(1, 13);
    for (const cells of [1, 7, 800, 20_011]) {
      const cut = masses(law, fineEdges(-3.1, 3.2, cells));
      expect(cut.p.reduce((sum, mass) => sum + mass, 0)).toBeCloseTo(whole.p[0]!, 13);
      expect(cut.q.reduce((sum, mass) => sum + mass, 0)).toBeCloseTo(whole.q[0]!, 13);
    }
  });

  it('has in each cell losses of that cell', () => {
    const { p, q, edges } = masses(law, fineEdges(-4, 4, 1603));
    p.forEach((mass, i) => {
      expect(mass).toBeGreaterThanOrEqual(q[i]! * Math.exp(edges[i]!) * (1 - 1e-12));
      expect(mass).toBeLessThanOrEqual((q[i] === 0 ? 0 : q[i]! * Math.exp(edges[i + 1]!) * (1 + 1e-12)) + 1e-323);
    });
  });

  it('has the profile that its cells have', () => {
    const fine = masses(law, fineEdges(-12, 12, 6000));
    for (const epsilon of epsilons) {
      const { lower, upper } = law.hockeyStick(epsilon);
      const cells = profileOfCells(law, fine, epsilon);
      expect(lower).toBeLessThanOrEqual(upper);
      expect(upper).toBeGreaterThanOrEqual(cells.lower * (1 - 1e-13) - 1e-15);
      expect(lower).toBeLessThanOrEqual(cells.upper * (1 + 1e-13) + 1e-15);
      expect(upper - lower).toBeLessThanOrEqual(1e-11);
    }
  });

  it('belongs with the law of the reversed pair, at negative ε and at the ends', () => {
    for (const epsilon of epsilons) {
      const { lower, upper } = law.hockeyStick(-epsilon);
      const above = reversed.hockeyStick(epsilon);
      expect(lower).toBeLessThanOrEqual(-Math.expm1(-epsilon) + Math.exp(-epsilon) * above.upper + 1e-14 * Math.max(1, Math.exp(-epsilon)));
      expect(upper).toBeGreaterThanOrEqual(-Math.expm1(-epsilon) + Math.exp(-epsilon) * above.lower - 1e-14 * Math.max(1, Math.exp(-epsilon)));
    }
    expect(law.hockeyStick(-Infinity)).toEqual({ lower: 1, upper: 1 });
    const { lower, upper } = law.hockeyStick(Infinity);
    expect(lower).toBeLessThanOrEqual(upper);
    expect(upper).toBeLessThanOrEqual(law.infinite * (1 + 1e-14));
    expect(upper).toBeGreaterThanOrEqual(law.infinite);
  });

  it('falls with ε, in support of its bounds', () => {
    fc.assert(fc.property(fc.double({ min: -20, max: 20, noNaN: true }), fc.double({ min: 0, max: 5, noNaN: true }), (epsilon, more) => {
      expect(law.hockeyStick(epsilon + more).lower).toBeLessThanOrEqual(law.hockeyStick(epsilon).upper);
    }));
    const { least, most } = law.support;
    expect(least).toBeLessThanOrEqual(most);
    if (Number.isFinite(most)) expect(law.hockeyStick(most * (1 + 1e-12) + 1e-12).upper).toBeLessThanOrEqual(law.infinite * (1 + 1e-15) + 1e-300);
    if (Number.isFinite(least)) expect(masses(law, [-Infinity, least]).p[0]).toBe(0);
  });
});
