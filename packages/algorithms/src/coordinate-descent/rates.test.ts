import { InvalidParameter } from '@lethe/core';
import { blockSketch, fullSketch, singleCoordinate, tauNice } from '@lethe/mechanisms';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { weightedNorm } from './bounds.js';
import { rates, type Rate, type RateSetting, type System } from './rates.js';

const d = 4;
const blocks = [[0, 2], [1], [3]];
const size = fc
  .tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: -2, max: 2 }))
  .map(([k, e]) => k * 10 ** e);
const vector = fc.array(size, { minLength: d, maxLength: d }).map((entries) => Float64Array.from(entries));
const settings = fc
  .record({ smoothness: vector, single: vector, offsets: vector, strongConvexity: size })
  .map(({ single, ...rest }): RateSetting => ({
    ...rest,
    blocks,
    lipschitz: (set) => Math.sqrt(set.reduce((sum, j) => sum + single[j] ** 2, 0)),
  }));
const same = (a: Rate, b: Rate, digits = 10): void => {
  expect(a.convex / b.convex).toBeCloseTo(1, digits);
  expect(a.stronglyConvex / b.stronglyConvex).toBeCloseTo(1, digits);
};
/** A sketch keeps probabilities to 2⁻⁵⁰ of their sum, and smoothness goes from 0.01 to 9900. */
const byImportanceDigits = 7;
const general = (
  setting: RateSetting,
  sketch: NonNullable<RateSetting['sketch']>['sketch'],
  params: unknown,
): Rate => rates['dp-skgd']({ ...setting, sketch: { sketch, params } });

test('each special rate is the theorem at its sketch', () => {
  fc.assert(
    fc.property(settings, (setting) => {
      const probabilities = [0.5, 0.125, 0.375];
      const perCoordinate = [0.5, 0.125, 0.25, 0.125];
      same(
        rates.blocks({ ...setting, probabilities }),
        general(setting, blockSketch, { blocks, choice: { by: 'probabilities', probabilities } }),
      );
      same(rates['blocks-uniform'](setting), general(setting, blockSketch, { blocks }));
      same(
        rates.coordinates({ ...setting, probabilities: perCoordinate }),
        general(setting, singleCoordinate, { choice: { by: 'probabilities', probabilities: perCoordinate } }),
      );
      same(rates['coordinates-uniform'](setting), general(setting, singleCoordinate, {}));
      same(
        rates['coordinates-importance'](setting),
        general(setting, singleCoordinate, {
          choice: { by: 'importance', smoothness: [...setting.smoothness] },
        }),
        byImportanceDigits,
      );
      same(rates.full(setting), general(setting, fullSketch, {}));
      for (const tau of [1, 2, 3, 4])
        same(rates['tau-nice']({ ...setting, tau }), general(setting, tauNice, { tau }));
      const byImportance = general(setting, blockSketch, {
        blocks,
        choice: { by: 'importance', smoothness: [...setting.smoothness] },
      });
      expect(rates['blocks-importance'](setting).stronglyConvex / byImportance.stronglyConvex).toBeCloseTo(
        1,
        byImportanceDigits,
      );
      expect(byImportance.convex).toBeLessThanOrEqual(
        rates['blocks-importance'](setting).convex * (1 + 1e-7),
      );
    }),
    { numRuns: 60 },
  );
});

test('rates meet where systems coincide', () => {
  fc.assert(
    fc.property(settings, size, (setting, beta) => {
      same(rates['tau-nice']({ ...setting, tau: 1 }), rates['coordinates-uniform'](setting));
      same(rates['tau-nice']({ ...setting, tau: d }), rates.full(setting));
      same(
        rates['blocks-uniform']({ ...setting, blocks: [[0], [1], [2], [3]] }),
        rates['coordinates-uniform'](setting),
      );
      same(rates['blocks-uniform']({ ...setting, blocks: [[2, 0, 1, 3]] }), rates.full(setting));
      const even = { ...setting, smoothness: new Float64Array(d).fill(beta) };
      same(rates.full(even), rates['dp-sgd'](even));
      same(rates['dp-sgd'](setting), rates['dp-svrg'](setting));
      same(rates['dp-cd'](setting), rates['coordinates-uniform'](setting));
      same(
        rates.refined({ ...setting, sketch: { sketch: singleCoordinate, params: {} } }),
        rates['coordinates-uniform'](setting),
      );
    }),
    { numRuns: 60 },
  );
});

test('strong convexity in the right norm makes uniform coordinates as good as coordinate descent', () => {
  const smoothness = Float64Array.from({ length: 16 }, (_, j) => 100 ** (j / 15));
  const setting: RateSetting = {
    smoothness,
    lipschitz: () => 1,
    offsets: new Float64Array(16).fill(1),
    strongConvexity: 1,
    smoothnessConvexity: 1,
    sketchedConvexity: 1 / 16,
    sketch: { sketch: singleCoordinate, params: {} },
  };
  const noise = smoothness.reduce((sum, M) => sum + 1 / M, 0);
  expect(rates.refined(setting).stronglyConvex / noise).toBeCloseTo(16, 10);
  expect(rates['dp-cd'](setting).stronglyConvex / noise).toBeCloseTo(16, 10);
  expect(rates['dp-skgd'](setting).stronglyConvex / noise).toBeCloseTo(1600, 8);
  expect(rates['coordinates-importance'](setting).stronglyConvex / noise).toBeCloseTo(375.4925263969086, 8);
});

test('weightedNorm', () => {
  expect(weightedNorm([3, 4], [1, 0.5])).toBeCloseTo(Math.sqrt(17), 15);
});

test('what does not fit is refused', () => {
  const good: RateSetting = {
    smoothness: Float64Array.of(1, 2),
    lipschitz: () => 1,
    offsets: [1, 1],
    strongConvexity: 1,
  };
  for (const system of [
    'blocks',
    'blocks-uniform',
    'blocks-importance',
    'coordinates',
    'dp-skgd',
    'tau-nice',
    'refined',
  ] satisfies System[])
    expect(() => rates[system](good), system).toThrow(InvalidParameter);
  for (const bad of [
    { smoothness: Float64Array.of(1, Number.NaN) },
    { smoothness: new Float64Array(0) },
    { offsets: [1] },
    { offsets: [1, -1] },
    { strongConvexity: 0 },
  ])
    expect(() => rates.full({ ...good, ...bad } as RateSetting)).toThrow(InvalidParameter);
  for (const wrong of [[[0]], [[0, 1], [1]], [[0, 1], []], [[0], [2]]])
    expect(() => rates['blocks-uniform']({ ...good, blocks: wrong })).toThrow(InvalidParameter);
  expect(() => rates.coordinates({ ...good, probabilities: [1] })).toThrow(InvalidParameter);
  expect(() => rates['dp-cd']({ ...good, smoothnessConvexity: 0 })).toThrow(InvalidParameter);
  expect(() => weightedNorm([1], [1, 2])).toThrow(InvalidParameter);
});
