import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pureDelta, pureEpsilon } from './pure-profile.js';

describe('the profile of ε-DP', () => {
  it('is that of binary randomised response', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 250 }), (a, b) => {
        const [pure, epsilon] = [a / 20, b / 20];
        const delta = Math.max(0, (Math.exp(pure) - Math.exp(epsilon)) / (1 + Math.exp(pure)));
        expect(pureDelta(pure, epsilon)).toBeGreaterThanOrEqual(delta - 1e-14);
        expect(pureDelta(pure, epsilon)).toBeLessThanOrEqual(delta + 1e-14);
        if (delta > 1e-9) expect(pureEpsilon(pure, delta)).toBeCloseTo(epsilon, 5);
      }),
    );
  });

  it('has its ends', () => {
    expect([
      pureEpsilon(3, 0),
      pureEpsilon(3, 1),
      pureEpsilon(0, 0),
      pureEpsilon(Infinity, 0.5),
      pureEpsilon(Infinity, 1),
    ]).toEqual([3, 0, 0, Infinity, 0]);
    expect([pureDelta(3, 3), pureDelta(0, 0), pureDelta(Infinity, 5)]).toEqual([0, 0, 1]);
  });
});
