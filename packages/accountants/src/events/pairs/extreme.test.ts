import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defined, InvalidParameter, Unsupported } from '@lethe/numerics';
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
  randomizedResponseLossDistribution,
  replacedInPoisson,
  replacedResponseLossDistribution,
} from './loss-distributions.js';
import { inputs } from '../../../test/effort.js';

const size = fc
  .oneof(fc.integer({ min: -320, max: 307 }), fc.integer({ min: -9, max: 5 }))
  .chain((k) => fc.integer({ min: 1, max: 9 }).map((digit) => Number(`${digit}e${k}`)))
  .filter((x) => x > 0);
const rate = fc
  .oneof(
    fc.constantFrom(1e-307, 1e-300, 0.5, 1 - 2 ** -53),
    size.map((x) => x / (1 + x)),
  )
  .filter((x) => x > 1e-308 && x < 1);
const direction = fc.constantFrom('remove' as const, 'add' as const);

/** Law and call, so that a counterexample can be read. */
const made = <Args extends readonly (number | string)[]>(
  name: string,
  of: (...args: Args) => PrivacyLossDistribution,
  args: fc.Arbitrary<Args>,
): fc.Arbitrary<{ readonly distribution: PrivacyLossDistribution }> =>
  args.map((given) => ({
    distribution: of(...given),
    [fc.toStringMethod]: () => `${name}(${given.join(', ')})`,
  }));
const one = size.map((x): [number] => [x]);
const any = fc.oneof(
  made('gaussian', gaussianLossDistribution, one),
  made('laplace', laplaceLossDistribution, one),
  made('bounded range', boundedRangeLossDistribution, one),
  made(
    'discrete laplace',
    discreteLaplaceLossDistribution,
    fc.tuple(size, fc.constantFrom(1, 3, 1e6, Number.MAX_SAFE_INTEGER)),
  ),
  made(
    'discrete gaussian',
    discreteGaussianLossDistribution,
    fc.tuple(
      size.filter((sigma) => sigma < 1e3),
      fc.constantFrom(1, 50),
    ),
  ),
  made('approximate', approximateLossDistribution, fc.tuple(size, rate)),
  made(
    'response',
    randomizedResponseLossDistribution,
    rate.map((p): [number, number] => [p, 4]),
  ),
  made('replaced', replacedInPoisson, fc.tuple(rate, size)),
  made('replaced response', replacedResponseLossDistribution, fc.tuple(rate, size)),
  made(
    'mixture',
    (a: number, b: number, q: number, way: 'remove' | 'add') =>
      gaussianMixtureLossDistribution([a, b], [q, 1 - q], way),
    fc.tuple(
      size.filter((s) => s < 22),
      size.filter((s) => s < 22),
      rate,
      direction,
    ),
  ),
);

const check = (distribution: PrivacyLossDistribution, epsilon: number): void => {
  for (const at of [epsilon, -epsilon, 0, Infinity, -Infinity]) {
    const { lower, upper } = distribution.hockeyStick(at);
    expect(lower).toBeGreaterThanOrEqual(Math.max(0, -Math.expm1(at)) * (1 - 1e-15) - 1e-15);
    expect(lower).toBeLessThanOrEqual(upper);
    expect(upper).toBeLessThanOrEqual(1);
  }
  const edges = Float64Array.of(-Infinity, -epsilon, 0, epsilon, Infinity);
  const [p, q] = [new Float64Array(4), new Float64Array(4)];
  defined(distribution.massesInto)(p, q, edges);
  for (const mass of [...p, ...q]) expect(mass).toBeGreaterThanOrEqual(0);
  expect(p.reduce((sum, mass) => sum + mass, distribution.infinite)).toBeCloseTo(1, 12);
  expect(q.reduce((sum, mass) => sum + mass, 0)).toBeLessThanOrEqual(1 + 1e-12);
  expect(distribution.support.least).toBeLessThanOrEqual(distribution.support.most);
};

describe('laws of loss at any parameter', () => {
  it('are probabilities', () => {
    fc.assert(
      fc.property(any, size, ({ distribution }, epsilon) => check(distribution, epsilon)),
      { numRuns: inputs(400) },
    );
  });

  it('are probabilities in any Poisson sample', () => {
    fc.assert(
      fc.property(any, rate, direction, size, ({ distribution }, q, way, epsilon) =>
        check(presentInPoisson(distribution, q, way), epsilon),
      ),
      { numRuns: inputs(400) },
    );
  });

  it('cost less in a rarer sample, and never more than without one', () => {
    fc.assert(
      fc.property(any, rate, direction, size, ({ distribution }, q, way, epsilon) => {
        expect(presentInPoisson(distribution, q, way).hockeyStick(epsilon).lower).toBeLessThanOrEqual(
          distribution.hockeyStick(epsilon).upper,
        );
        expect(presentInPoisson(distribution, q / 2, way).hockeyStick(epsilon).lower).toBeLessThanOrEqual(
          presentInPoisson(distribution, q, way).hockeyStick(epsilon).upper,
        );
      }),
      { numRuns: inputs(200) },
    );
  });
});

it('a response whose probabilities are hardly doubles costs no less in a sample than a lesser one', () => {
  for (const share of [0.5, 1 - 2 ** -53]) {
    for (const epsilon of [601, 700, 720, 735, 745, 1e5]) {
      // Told apart at losses just below ε, at least as if presence were told.
      expect(
        replacedResponseLossDistribution(share, epsilon).hockeyStick(Math.min(epsilon, 730) - 0.01).upper,
      ).toBeGreaterThanOrEqual(share * 0.0099);
    }
  }
});

it('a Poisson sample keeps what is shown however seldom', () => {
  const [p, q] = [new Float64Array(1), new Float64Array(1)];
  for (const delta of [1e-14, 5e-13]) {
    const distribution = presentInPoisson(approximateLossDistribution(1, delta), 0.5, 'remove');
    expect(distribution.support.least).toBeLessThanOrEqual(Math.log(0.5));
    defined(distribution.massesInto)(p, q, Float64Array.of(-Infinity, -0.5));
    expect(q[0] / delta).toBeCloseTo(1, 1);
  }
});

it('unknown distributions are refused by name', () => {
  for (const bad of [0, -1, NaN, 1.5])
    expect(() => presentInPoisson(gaussianLossDistribution(1), bad, 'remove')).toThrow(InvalidParameter);
  for (const atoms of [
    [],
    [{ p: 0.5, q: 1 }],
    [{ p: NaN, q: 1 }],
    [
      { p: 1, q: -1 },
      { p: 0, q: 2 },
    ],
  ])
    expect(() => atomicLossDistribution(atoms)).toThrow(InvalidParameter);
  for (const [unit, shift] of [
    [0, 1],
    [NaN, 1],
    [1, 0],
    [1, 1.5],
  ] as const) {
    expect(() => discreteLaplaceLossDistribution(unit, shift)).toThrow(InvalidParameter);
    expect(() => discreteGaussianLossDistribution(unit, shift)).toThrow(InvalidParameter);
  }
  expect(() => discreteGaussianLossDistribution(1e6, 1)).toThrow(Unsupported);
  expect(() => gaussianMixtureLossDistribution([1], [0.5], 'add')).toThrow(InvalidParameter);
  expect(() => gaussianMixtureLossDistribution([-1], [1], 'add')).toThrow(InvalidParameter);
  expect(() => gaussianMixtureLossDistribution([1, 2e3], [0.5, 0.5], 'add')).toThrow(Unsupported);
  expect(gaussianMixtureLossDistribution([10, 900], [0.5, 0.5], 'add').massesInto).toBeUndefined();
  expect(() => mixtureOfLossDistributions([1], [])).toThrow(InvalidParameter);
  expect(() =>
    mixtureOfLossDistributions([0.4, 0.4], [gaussianLossDistribution(1), gaussianLossDistribution(2)]),
  ).toThrow(InvalidParameter);
});
