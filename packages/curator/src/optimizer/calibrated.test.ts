import { gaussianEvent, type Calibrate, type PrivacyEvent } from '@lethe/core';
import { InvalidParameter, Unsupported } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { calibratedNoise } from './calibrated.js';

const gaussian = (sigma: number): PrivacyEvent => gaussianEvent(sigma, { 'zero-out': 1 / 3 });
const sigmaOf = (event: PrivacyEvent): number => ('sigma' in event ? Number(event.sigma) : NaN);
/** Meets the target from a deviation of 4 on; bisects. */
const calibrate: Calibrate = ({ make }) => {
  let [low, high] = [1, 64];
  if (!(sigmaOf(make(high)) >= 4)) throw new Unsupported('no noise is enough', {});
  for (let i = 0; i < 30; i++) {
    const middle = (low + high) / 2;
    if (sigmaOf(make(middle)) >= 4) high = middle;
    else low = middle;
  }
  const achieved = { lower: 0, upper: 1, certificate: 'certified', method: 'test', assumptions: [] } as const;
  return { value: high, achieved };
};
const noise = () =>
  calibratedNoise({
    optimizer: 'test',
    calibrate,
    budget: { epsilon: 1, delta: 1e-6 },
    adjacency: 'zero-out',
  });
function counted(cost: (multiplier: number) => PrivacyEvent) {
  const asked: number[] = [];
  const eventAt = (multiplier: number): PrivacyEvent => {
    asked.push(multiplier);
    return cost(multiplier);
  };
  return { asked, eventAt };
}

describe('calibrated noise', () => {
  it('prices two runs where a deviation is the multiplier', () => {
    const { asked, eventAt } = counted(gaussian);
    const found = noise().noiseFor(eventAt);
    expect(found).toBeCloseTo(4, 6);
    expect(asked).toHaveLength(2);
    expect(asked[1]).toBe(found);
  });

  it.each<readonly [string, (multiplier: number) => PrivacyEvent, number]>([
    ['is a square', (multiplier) => gaussian(multiplier ** 2), 2],
    ['is a small one only', (multiplier) => gaussian(Math.min(multiplier, 2 + multiplier / 4)), 8],
  ])('prices every run where the deviation %s', (_name, cost, least) => {
    const { asked, eventAt } = counted(cost);
    expect(noise().noiseFor(eventAt)).toBeCloseTo(least, 6);
    expect(asked.length).toBeGreaterThan(20);
  });

  it('says what is wrong of a run that was priced', () => {
    const tried = () =>
      noise().noiseFor((multiplier) => {
        if (multiplier > 2) throw new InvalidParameter(`the noise is ${multiplier}; at most 2`, {});
        return gaussian(multiplier);
      });
    expect(tried).toThrow('the noise is 64; at most 2');
    expect(() => noise().noiseFor(() => gaussian(1))).toThrow('no noise is enough');
  });
});
