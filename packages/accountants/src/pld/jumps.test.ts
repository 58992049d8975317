import { atomicLossDistribution, gaussianLossDistribution, presentInPoisson } from '../events/index.js';
import { gaussianEvent, repeatedEvent, sampledEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { pld } from './pld.js';
import { saddlePoint } from '../saddle-point/saddle-point.js';
import { splitDistribution } from './split-distribution.js';

const releases = (rate: number, sigma: number, steps: number) =>
  repeatedEvent(
    sampledEvent({ kind: 'core/poisson', rate }, gaussianEvent(sigma, { 'add-remove': 1 })),
    steps,
  );

describe('splitDistribution', () => {
  it('gives every outcome to one part or both', () => {
    const distribution = presentInPoisson(gaussianLossDistribution(3), 1e-6, 'remove');
    const { bulk, jump, mass, overlap } = defined(splitDistribution(distribution, 0.5));
    const edges = Float64Array.of(-Infinity, 0, 0.3, 0.5, 0.7, 1, Infinity);
    const masses = (into: typeof bulk.massesInto): Float64Array => {
      const p = new Float64Array(6);
      into(p, new Float64Array(6), edges);
      return p;
    };
    const whole = masses(defined(distribution.massesInto));
    const [wide, own] = [
      (part: typeof bulk) => masses(part.massesInto),
      (part: typeof bulk) => masses(part.ownMassesInto),
    ].map((of) => {
      const [below, above] = [of(bulk), of(jump)];
      return below.map((p, i) => p + mass * above[i]);
    });
    expect(overlap).toBeLessThan(1e-11 * mass);
    whole.forEach((p, i) => {
      expect(wide[i]).toBeGreaterThanOrEqual(p * (1 - 1e-12));
      expect(wide[i]).toBeLessThanOrEqual(p + overlap + 1e-12 * p);
      expect(own[i]).toBeLessThanOrEqual(p * (1 + 1e-12));
      expect(own[i]).toBeGreaterThanOrEqual(p - overlap - 1e-12 * p);
    });
  });
  it('counts an atom at the threshold as overlap', () => {
    const distribution = atomicLossDistribution([
      { p: 0.5, q: 0.25 },
      { p: 0.5, q: 0.75 },
    ]);
    expect(defined(splitDistribution(distribution, Math.log(2))).overlap).toBeGreaterThanOrEqual(0.5);
  });
});

/**
 * δ of two steps where a record is removed, and where one is added: the profile of the second at what the
 * loss of the first leaves, on average.
 */
function twoSteps(rate: number, sigma: number, epsilon: number): number {
  const mu = 1 / sigma;
  return Math.max(
    ...(['remove', 'add'] as const).map((direction) => {
      const { hockeyStick } = presentInPoisson(gaussianLossDistribution(mu), rate, direction);
      const width = 1 / 400;
      let sum = 0;
      for (let z = -10; z < 10 + mu; z += width) {
        const [off, on] = [z, z - mu].map((x) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI));
        const mixed = (1 - rate) * off + rate * on;
        const [p, q] = direction === 'remove' ? [mixed, off] : [off, mixed];
        const { lower, upper } = hockeyStick(epsilon - Math.log(p / q));
        sum += (p * width * (lower + upper)) / 2;
      }
      return sum;
    }),
  );
}

describe('rare large losses', () => {
  it.each([
    [5e-8, 0.2775, 1e-10],
    [1e-6, 0.1954, 1e-6],
  ])('are bounded two-sidedly over a union of steps: rate %d, σ = %d', (rate, sigma, delta) => {
    const { lower, upper } = pld.epsilon(releases(rate, sigma, 3), {
      adjacency: 'add-remove',
      delta,
      width: 1e-5,
    });
    expect(upper - lower).toBeLessThan(0.01 * upper);
    // Three times one step, by its closed form: no less than δ at
    // ε of all, but for what the other two steps add.
    const once = presentInPoisson(gaussianLossDistribution(1 / sigma), rate, 'remove').hockeyStick;
    expect(once(upper * 1.001).lower * 3).toBeLessThan(delta * 1.01);
    expect(once(lower * 0.999).upper * 3).toBeGreaterThan(delta * 0.99);
  });
  it.each([
    [5e-8, 0.28, 1],
    [1e-6, 0.2, 0.5],
    [1e-6, 0.36, 0.1],
    [1e-3, 0.6, 1],
    [1e-3, 0.6, 3],
  ])(
    'are bounded about what an integral over both of two steps gives: rate %d, σ = %d, ε = %d',
    (rate, sigma, epsilon) => {
      const truth = twoSteps(rate, sigma, epsilon);
      const { lower, upper } = pld.delta(releases(rate, sigma, 2), { adjacency: 'add-remove', epsilon });
      expect(lower).toBeLessThanOrEqual(truth * (1 + 1e-5));
      expect(upper).toBeGreaterThanOrEqual(truth * (1 - 1e-5));
      expect(upper - lower).toBeLessThan(0.02 * truth);
    },
  );
  it.each([
    [1e-6, 0.403, 1e6, 1e-6],
    [1e-6, 0.4976, 1e6, 1e-10],
    [5e-8, 0.3163, 1e6, 1e-6],
    [5e-8, 0.3603, 1e4, 1e-10],
  ])(
    'agree with the saddle point, wide answers and narrow ones: rate %d, σ = %d, %d steps',
    (rate, sigma, steps, delta) => {
      const event = releases(rate, sigma, steps);
      const other = saddlePoint.epsilon(event, { adjacency: 'add-remove', delta });
      const answers = [3e-3, 1e-5].map((width) =>
        pld.epsilon(event, { adjacency: 'add-remove', delta, width }),
      );
      for (const { lower, upper } of answers) {
        expect(lower).toBeLessThanOrEqual(other.upper);
        expect(upper).toBeGreaterThanOrEqual(other.lower);
        expect(lower).toBeGreaterThan(0.9 * upper);
        for (const another of answers) expect(lower).toBeLessThanOrEqual(another.upper);
      }
    },
  );
  it('cost nothing where no record is drawn but with probability δ', () => {
    expect(pld.epsilon(releases(5e-8, 1e-3, 3), { adjacency: 'add-remove', delta: 1e-6 })).toMatchObject({
      lower: 0,
      upper: 0,
    });
  });
});
