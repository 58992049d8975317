import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  adjacencies,
  composedEvent,
  freeEvent,
  gaussianEvent,
  parallelEvent,
  repeatedEvent,
  sampledEvent,
  unprotectedEvent,
  normalEvent,
  sameEvent,
  type PrivacyEvent,
} from '@lethe/core';
import { Unsupported, normalCdf } from '@lethe/numerics';
import { withoutFailures } from '../failures.js';
import { resolveEvent } from '../resolve.js';
import { chainedApproximate, chainedRenyi } from './chain.js';

const plain = <E extends PrivacyEvent>(event: E): PrivacyEvent => event;
const group = (size: number, event: PrivacyEvent): PrivacyEvent =>
  plain({ kind: 'core/group', v: 1, size, event });
const pure = (epsilon: number): PrivacyEvent => plain({ kind: 'core/pure', v: 1, epsilon });
const sum = { 'add-remove': 1, 'zero-out': 1, 'replace-one': 2 };
const poisson = (rate: number, event: PrivacyEvent): PrivacyEvent =>
  sampledEvent({ kind: 'core/poisson', rate }, event);
const under = { adjacency: 'add-remove' } as const;
const sizes = fc.integer({ min: 1, max: 40 });

describe('a group', () => {
  it('of one is no group, and groups of groups multiply', () => {
    for (const event of [
      gaussianEvent(1, sum),
      pure(1),
      poisson(0.5, gaussianEvent(1, sum)),
      parallelEvent([pure(1), pure(2)]),
    ]) {
      expect(resolveEvent(group(1, event), 'rdp', under)(3)).toBe(resolveEvent(event, 'rdp', under)(3));
      for (const want of ['zcdp', 'approximate'] as const) {
        let alone: unknown;
        try {
          alone = resolveEvent(group(6, event), want, under);
        } catch {
          continue;
        }
        expect(resolveEvent(group(2, group(3, event)), want, under)).toEqual(alone);
      }
    }
  });

  it('multiplies the shift of Gaussian and Laplace noise by the group size, exactly', () => {
    fc.assert(
      fc.property(
        sizes,
        fc.constantFrom(...adjacencies),
        fc.integer({ min: 1, max: 64 }),
        (size, adjacency, eighths) => {
          const sigma = eighths / 8;
          expect(resolveEvent(group(size, gaussianEvent(sigma, sum)), 'gdp', { adjacency })).toEqual(
            resolveEvent(gaussianEvent(sigma, { [adjacency]: size * sum[adjacency] }), 'gdp', { adjacency }),
          );
          const laplace = (sensitivity: object): PrivacyEvent =>
            plain({ kind: 'core/laplace', v: 1, scale: sigma, sensitivity } as PrivacyEvent);
          for (const alpha of [1.5, 8])
            expect(resolveEvent(group(size, laplace(sum)), 'rdp', { adjacency })(alpha)).toBe(
              resolveEvent(laplace({ [adjacency]: size * sum[adjacency] }), 'rdp', { adjacency })(alpha),
            );
        },
      ),
    );
    const inexact = resolveEvent(group(3, gaussianEvent(1, { 'add-remove': 0.1 })), 'gdp', under);
    expect(inexact.lower).toBeLessThanOrEqual(0.3);
    expect(inexact.mu).toBeGreaterThan(0.3);
  });

  it('is resolved by parts in compositions, and through neighbours elsewhere', () => {
    expect(
      resolveEvent(
        group(3, composedEvent([pure(1), repeatedEvent(gaussianEvent(2, sum), 4)])),
        'zcdp',
        under,
      ),
    ).toBe(4.5 + 4.5);
    expect(resolveEvent(group(3, parallelEvent([pure(1), pure(2)])), 'pure', under)).toBe(6);
    expect(resolveEvent(group(3, plain({ kind: 'core/zcdp', v: 1, rho: 0.5 })), 'zcdp', under)).toBe(4.5);
    expect(
      resolveEvent(
        group(3, plain({ kind: 'core/filtered', v: 1, limit: gaussianEvent(1, sum) } as PrivacyEvent)),
        'gdp',
        under,
      ),
    ).toEqual({ lower: 0, mu: 3, exact: false });
    expect(resolveEvent(group(9, freeEvent), 'pure', under)).toBe(0);
    expect(resolveEvent(group(9, unprotectedEvent), 'pure', under)).toBe(Infinity);
  });

  it('of (ε, δ) costs as much as the most likely sequence of answers', () => {
    const { epsilon, delta } = chainedApproximate({ epsilon: 0.5, delta: 1e-6 }, 4);
    expect(epsilon).toBe(2);
    expect(delta).toBeCloseTo(1e-6 * (1 + Math.exp(0.5) + Math.exp(1) + Math.exp(1.5)), 18);
    expect(chainedApproximate({ epsilon: 0, delta: 1e-6 }, 4).delta).toBe(4e-6);
    expect(chainedApproximate({ epsilon: 400, delta: 1e-9 }, 4)).toEqual({ epsilon: 1600, delta: 1 });
    expect(chainedApproximate({ epsilon: 5e-324, delta: 0.1 }, 4).delta).toBeGreaterThanOrEqual(0.4);
    expect(chainedApproximate({ epsilon: Infinity, delta: 0.1 }, 4)).toEqual({ epsilon: Infinity, delta: 1 });
  });
});

describe('the normal form of a group', () => {
  it('has groups of parts only', () => {
    const noise = gaussianEvent(1, sum);
    const whole = group(
      2,
      composedEvent([noise, group(3, repeatedEvent(composedEvent([noise, pure(1)]), 2)), freeEvent]),
    );
    expect(
      sameEvent(
        whole,
        composedEvent([
          group(2, noise),
          repeatedEvent(group(6, noise), 2),
          repeatedEvent(group(6, pure(1)), 2),
        ]),
      ),
    ).toBe(true);
    expect(normalEvent(group(1, noise))).toEqual(noise);
    expect(normalEvent(group(5, group(1, freeEvent)))).toEqual(freeEvent);
    expect(resolveEvent(normalEvent(whole), 'zcdp', under)).toBeCloseTo(
      resolveEvent(whole, 'zcdp', under),
      12,
    );
  });
});

describe('a group of what may fail', () => {
  const approximate = (epsilon: number, delta: number): PrivacyEvent =>
    plain({ kind: 'core/approximate', v: 1, epsilon, delta });

  it('keeps failures apart where they are stated, through compositions and groups', () => {
    const { epsilon, delta } = chainedApproximate({ epsilon: 0.5, delta: 1e-6 }, 6);
    expect(withoutFailures(group(6, approximate(0.5, 1e-6)), 'zero-out')).toEqual({
      event: approximate(epsilon, 0),
      delta,
    });
    const noise = gaussianEvent(1, sum);
    expect(
      withoutFailures(
        group(2, composedEvent([noise, group(3, repeatedEvent(approximate(0.5, 1e-6), 2))])),
        'zero-out',
      ).delta,
    ).toBeCloseTo(2 * delta, 18);
    expect(withoutFailures(group(1, approximate(0.5, 1e-6)), 'zero-out')).toEqual({
      event: approximate(0.5, 0),
      delta: 1e-6,
    });
    expect(withoutFailures(group(4, noise), 'zero-out')).toEqual({ event: group(4, noise), delta: 0 });
  });

  it('is known only as (ε, δ) elsewhere', () => {
    const event = group(
      2,
      plain({ kind: 'core/failing', v: 1, delta: 1e-6, event: pure(0.5) } as PrivacyEvent),
    );
    expect(withoutFailures(event, 'zero-out')).toEqual({ event, delta: 0 });
    expect(resolveEvent(event, 'approximate', under)).toEqual(
      chainedApproximate({ epsilon: 0.5, delta: 1e-6 }, 2),
    );
    for (const want of ['pure', 'zcdp', 'gdp', 'rdp'] as const)
      expect(() => resolveEvent(event, want, under)).toThrow(Unsupported);
  });
});

describe('Rényi divergences of a group', () => {
  it('are the squared size times divergences linear in the order', () => {
    fc.assert(
      fc.property(sizes, fc.constantFrom(1 + 1e-9, 1.1, 2, 30, 1e5), (size, alpha) => {
        const chained = chainedRenyi((order) => order, size)(alpha);
        expect(chained / (size * size * alpha)).toBeGreaterThanOrEqual(1);
        expect(chained / (size * size * alpha)).toBeLessThan(1 + 1e-10);
      }),
    );
  });

  it('are slightly larger for sizes beyond enumeration', () => {
    for (const size of [65, 1000, 1e9])
      for (const alpha of [1.5, 20]) {
        const ratio = chainedRenyi((order) => order, size)(alpha) / (size * size * alpha);
        expect(ratio).toBeGreaterThanOrEqual(1);
        expect(ratio).toBeLessThan(5);
      }
    expect(chainedRenyi(() => Infinity, 1e9)(2)).toBe(Infinity);
  });

  it('count the first half more, by the triangle inequality at 2α and 2α − 1', () => {
    for (const alpha of [1.5, 3, 20])
      expect(chainedRenyi(() => 1, 128)(alpha) / chainedRenyi(() => 1, 64)(2 * alpha)).toBeCloseTo(
        1 + (2 * alpha) / (2 * alpha - 1),
        10,
      );
  });

  it('are no less than those along a chain of laws', () => {
    const law = fc
      .array(fc.integer({ min: 1, max: 100 }), { minLength: 4, maxLength: 4 })
      .map((weights) => weights.map((w) => w / weights.reduce((a, b) => a + b, 0)));
    const renyi = (p: readonly number[], q: readonly number[], alpha: number): number =>
      Math.log(p.reduce((total, mass, i) => total + mass ** alpha * q[i] ** (1 - alpha), 0)) / (alpha - 1);
    fc.assert(
      fc.property(
        fc.array(law, { minLength: 2, maxLength: 5 }),
        fc.constantFrom(1.2, 2, 5),
        (chain, alpha) => {
          const curve = (order: number): number =>
            Math.max(
              ...chain.slice(1).flatMap((q, i) => [renyi(chain[i], q, order), renyi(q, chain[i], order)]),
            ) + 1e-12;
          expect(renyi(chain[0], chain[chain.length - 1], alpha)).toBeLessThanOrEqual(
            chainedRenyi(curve, chain.length - 1)(alpha) + 1e-9,
          );
        },
      ),
    );
  });
});

describe('a group in a Poisson sample', () => {
  const [rate, sigma, size] = [0.1, 1.5, 3];
  const event = group(size, poisson(rate, gaussianEvent(sigma, sum)));
  const weights = Array.from(
    { length: size + 1 },
    (_, i) => [1, 3, 3, 1][i] * rate ** i * (1 - rate) ** (size - i),
  );
  const density = (x: number, at: number): number => Math.exp(-((x - at) ** 2) / 2);

  it('has the pair of the binomial mixture of shifts', () => {
    const pairs = resolveEvent(event, 'pair', under);
    expect(pairs.map(({ direction }) => direction)).toEqual(['remove', 'add']);
    for (const epsilon of [-0.2, 0, 0.1, 0.5, 2]) {
      // The likelihood ratio grows with x, so that the best set is a half-line, found by bisection.
      const ratio = (x: number): number =>
        weights.reduce((total, w, i) => total + w * density(x, i / sigma), 0) / density(x, 0);
      const edge = (level: number): number => {
        let [low, high] = [-40, 40];
        for (let i = 0; i < 200; i++) {
          const x = (low + high) / 2;
          if (ratio(x) > level) high = x;
          else low = x;
        }
        return low;
      };
      const mixtureAbove = (x: number): number =>
        weights.reduce((total, w, i) => total + w * normalCdf(i / sigma - x), 0);
      const x = edge(Math.exp(epsilon));
      const y = edge(Math.exp(-epsilon));
      const [remove, add] = [
        mixtureAbove(x) - Math.exp(epsilon) * normalCdf(-x),
        normalCdf(y) - Math.exp(epsilon) * (1 - mixtureAbove(y)),
      ];
      for (const [pair, truth] of [
        [pairs[0], remove],
        [pairs[1], add],
      ] as const) {
        const { upper } = pair.factors[0].distribution.hockeyStick(epsilon);
        expect(upper).toBeGreaterThanOrEqual(truth - 1e-14);
        expect(upper).toBeLessThanOrEqual(truth * (1 + 1e-9) + 1e-12);
      }
    }
  });

  it('has mixtures of opposite shifts for records that are replaced', () => {
    const pairs = resolveEvent(event, 'pair', { adjacency: 'replace-one' });
    const mean = (of: (shift: number) => number): number =>
      weights.reduce((total, w, i) => total + w * of(i / sigma), 0);
    for (const epsilon of [0, 0.1, 0.5, 2]) {
      let [low, high] = [-40, 40];
      for (let i = 0; i < 200; i++) {
        const x = (low + high) / 2;
        // Over the density at 0, which underflows far away.
        const ratio =
          mean((at) => Math.exp(at * x - at ** 2 / 2)) / mean((at) => Math.exp(-at * x - at ** 2 / 2));
        if (ratio > Math.exp(epsilon)) high = x;
        else low = x;
      }
      const truth =
        mean((at) => normalCdf(at - low)) - Math.exp(epsilon) * mean((at) => normalCdf(-at - low));
      for (const { factors } of pairs) {
        const { upper } = factors[0].distribution.hockeyStick(epsilon);
        expect(upper).toBeGreaterThanOrEqual(truth - 1e-14);
        expect(upper).toBeLessThanOrEqual(truth * (1 + 1e-9) + 1e-12);
      }
    }
  });

  it('has no smaller divergences than that mixture, and at most those without sampling', () => {
    const curve = resolveEvent(event, 'rdp', under);
    const whole = resolveEvent(group(size, gaussianEvent(sigma, sum)), 'rdp', under);
    for (const alpha of [1.3, 2, 5, 16]) {
      let [forth, back, step] = [0, 0, 1e-3];
      for (let x = -14; x < 14 + 3 * alpha; x += step) {
        // log of the ratio of the mixture to N(0, 1), and of N(0, 1) itself.
        const ratio = Math.log(
          weights.reduce((total, w, i) => total + w * Math.exp((i / sigma) * x - (i / sigma) ** 2 / 2), 0),
        );
        const log = -(x ** 2) / 2 - Math.log(2 * Math.PI) / 2;
        forth += step * Math.exp(log + alpha * ratio);
        back += step * Math.exp(log + (1 - alpha) * ratio);
      }
      expect(curve(alpha)).toBeGreaterThan(Math.log(Math.max(forth, back)) / (alpha - 1) - 1e-9);
      expect(curve(alpha)).toBeLessThanOrEqual(whole(alpha));
    }
    expect(curve(1.3)).toBeLessThan(whole(1.3) / 4);
  });

  it('is attained under replacement only where two records move the release in opposite directions', () => {
    for (const [apart, isAttained] of [
      [2, true],
      [1.5, false],
    ] as const) {
      const inner = gaussianEvent(sigma, { ...sum, 'replace-one': apart });
      for (const { attained, witness } of resolveEvent(group(size, poisson(rate, inner)), 'pair', {
        adjacency: 'replace-one',
      }))
        expect(attained || witness !== undefined).toBe(isAttained);
    }
  });

  it('costs all draws with replacement, where it may be all records', () => {
    const sampler = { kind: 'core/fixed-size', n: 2, size: 4, replacement: true } as const;
    const both = resolveEvent(group(2, sampledEvent(sampler, pure(0.1))), 'pure', {
      adjacency: 'replace-one',
    });
    expect(both).toBeGreaterThanOrEqual(0.4);
  });

  it('costs at most as much as in every sample, and as between successive records', () => {
    const laplace = plain({ kind: 'core/laplace', v: 1, scale: 1, sensitivity: sum } as PrivacyEvent);
    const alone = resolveEvent(poisson(0.5, laplace), 'pure', under);
    expect(resolveEvent(group(4, poisson(0.5, laplace)), 'pure', under)).toBe(Math.min(4, 4 * alone));
    expect(resolveEvent(group(4, poisson(1, laplace)), 'pure', under)).toBe(4);
    expect(resolveEvent(group(3, poisson(rate, gaussianEvent(sigma, sum))), 'gdp', under)).toEqual({
      lower: 0,
      mu: resolveEvent(gaussianEvent(sigma, { 'add-remove': 3 }), 'gdp', under).mu,
      exact: false,
    });
    const response = plain({ kind: 'core/randomized-response', v: 1, p: 0.5, categories: 2 });
    expect(() => resolveEvent(group(2, poisson(0.5, response)), 'gdp', { adjacency: 'add-remove' })).toThrow(
      Unsupported,
    );
  });
});
