import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidParameter, Unsupported } from '@lethe/numerics';
import type { LossLaw } from '@lethe/core';
import { approximateLaw, atomicLaw, boundedRangeLaw, discreteGaussianLaw, discreteLaplaceLaw, gaussianLaw, gaussianMixtureLaw, laplaceLaw, mixtureOfLaws, presentInPoisson, randomizedResponseLaw, replacedInPoisson, replacedResponseLaw } from './laws.js';

const size = fc.oneof(fc.integer({ min: -320, max: 307 }), fc.integer({ min: -9, max: 5 })).chain((k) => fc.integer({ min: 1, max: 9 }).map((digit) => Number(`${digit}e${k}`))).filter((x) => x > 0);
const rate = fc.oneof(fc.constantFrom(1e-307, 1e-300, 0.5, 1 - 2 ** -53), size.map((x) => x / (1 + x))).filter((x) => x > 1e-308 && x < 1);
const direction = fc.constantFrom('remove' as const, 'add' as const);

/** Law and call, so that a counterexample can be read. */
const made = <Args extends readonly (number | string)[]>(name: string, of: (...args: Args) => LossLaw, args: fc.Arbitrary<Args>): fc.Arbitrary<{ readonly law: LossLaw }> =>
  args.map((given) => ({ law: of(...given), [fc.toStringMethod]: () => `${name}(${given.join(', ')})` }));
const one = size.map((x): [number] => [x]);
const any = fc.oneof(
  made('gaussian', gaussianLaw, one),
  made('laplace', laplaceLaw, one),
  made('bounded range', boundedRangeLaw, one),
  made('discrete laplace', discreteLaplaceLaw, fc.tuple(size, fc.constantFrom(1, 3, 1e6, Number.MAX_SAFE_INTEGER))),
  made('discrete gaussian', discreteGaussianLaw, fc.tuple(size.filter((sigma) => sigma < 1e3), fc.constantFrom(1, 50))),
  made('approximate', approximateLaw, fc.tuple(size, rate)),
  made('response', randomizedResponseLaw, rate.map((p): [number, number] => [p, 4])),
  made('replaced', replacedInPoisson, fc.tuple(rate, size)),
  made('replaced response', replacedResponseLaw, fc.tuple(rate, size)),
  made('mixture', (a: number, b: number, q: number, way: 'remove' | 'add') => gaussianMixtureLaw([a, b], [q, 1 - q], way), fc.tuple(size.filter((s) => s < 22), size.filter((s) => s < 22), rate, direction)),
);

const check = (law: LossLaw, epsilon: number): void => {
  for (const at of [epsilon, -epsilon, 0, Infinity, -Infinity]) {
    const { lower, upper } = law.hockeyStick(at);
    expect(lower).toBeGreaterThanOrEqual(Math.max(0, -Math.expm1(at)) * (1 - 1e-15) - 1e-15);
    expect(lower).toBeLessThanOrEqual(upper);
    expect(upper).toBeLessThanOrEqual(1);
  }
  const edges = Float64Array.of(-Infinity, -epsilon, 0, epsilon, Infinity);
  const [p, q] = [new Float64Array(4), new Float64Array(4)];
  law.massesInto!(p, q, edges);
  for (const mass of [...p, ...q]) expect(mass).toBeGreaterThanOrEqual(0);
  expect(p.reduce((sum, mass) => sum + mass, law.infinite)).toBeCloseTo(1, 12);
  expect(q.reduce((sum, mass) => sum + mass, 0)).toBeLessThanOrEqual(1 + 1e-12);
  expect(law.support.least).toBeLessThanOrEqual(law.support.most);
};

describe('laws of loss at any parameter', () => {
  it('are probabilities', () => {
    fc.assert(fc.property(any, size, ({ law }, epsilon) => check(law, epsilon)), { numRuns: 400 });
  });

  it('are probabilities in any Poisson sample', () => {
    fc.assert(fc.property(any, rate, direction, size, ({ law }, q, way, epsilon) => check(presentInPoisson(law, q, way), epsilon)), { numRuns: 400 });
  });

  it('cost less in a rarer sample, and never more than without one', () => {
    fc.assert(fc.property(any, rate, direction, size, ({ law }, q, way, epsilon) => {
      expect(presentInPoisson(law, q, way).hockeyStick(epsilon).lower).toBeLessThanOrEqual(law.hockeyStick(epsilon).upper);
      expect(presentInPoisson(law, q / 2, way).hockeyStick(epsilon).lower).toBeLessThanOrEqual(presentInPoisson(law, q, way).hockeyStick(epsilon).upper);
    }), { numRuns: 200 });
  });
});

it('a response whose probabilities are hardly doubles costs no less in a sample than a lesser one', () => {
  for (const share of [0.5, 1 - 2 ** -53]) {
    for (const epsilon of [601, 700, 720, 735, 745, 1e5]) {
      // Told apart at losses just below ε, at least as if presence were told.
      expect(replacedResponseLaw(share, epsilon).hockeyStick(Math.min(epsilon, 730) - 0.01).upper).toBeGreaterThanOrEqual(share * 0.0099);
    }
  }
});

it('a Poisson sample keeps what is shown however seldom', () => {
  const [p, q] = [new Float64Array(1), new Float64Array(1)];
  for (const delta of [1e-14, 5e-13]) {
    const law = presentInPoisson(approximateLaw(1, delta), 0.5, 'remove');
    expect(law.support.least).toBeLessThanOrEqual(Math.log(0.5));
    law.massesInto!(p, q, Float64Array.of(-Infinity, -0.5));
    expect(q[0]! / delta).toBeCloseTo(1, 1);
  }
});

it('what is no law is refused by name', () => {
  for (const bad of [0, -1, NaN, 1.5]) expect(() => presentInPoisson(gaussianLaw(1), bad, 'remove')).toThrow(InvalidParameter);
  for (const atoms of [[], [{ p: 0.5, q: 1 }], [{ p: NaN, q: 1 }], [{ p: 1, q: -1 }, { p: 0, q: 2 }]]) expect(() => atomicLaw(atoms)).toThrow(InvalidParameter);
  for (const [unit, shift] of [[0, 1], [NaN, 1], [1, 0], [1, 1.5]] as const) {
    expect(() => discreteLaplaceLaw(unit, shift)).toThrow(InvalidParameter);
    expect(() => discreteGaussianLaw(unit, shift)).toThrow(InvalidParameter);
  }
  expect(() => discreteGaussianLaw(1e6, 1)).toThrow(Unsupported);
  expect(() => gaussianMixtureLaw([1], [0.5], 'add')).toThrow(InvalidParameter);
  expect(() => gaussianMixtureLaw([-1], [1], 'add')).toThrow(InvalidParameter);
  expect(() => gaussianMixtureLaw([1, 2e3], [0.5, 0.5], 'add')).toThrow(Unsupported);
  expect(gaussianMixtureLaw([10, 900], [0.5, 0.5], 'add').massesInto).toBeUndefined();
  expect(() => mixtureOfLaws([1], [])).toThrow(InvalidParameter);
  expect(() => mixtureOfLaws([0.4, 0.4], [gaussianLaw(1), gaussianLaw(2)])).toThrow(InvalidParameter);
});
