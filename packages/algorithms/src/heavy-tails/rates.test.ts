import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { heavyTailsRates, type HeavyTailsSetting, type HeavyTailsSystem } from './rates.js';

const size = fc
  .tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: -2, max: 1 }))
  .map(([k, e]) => k * 10 ** e);
const settings = fc
  .record({
    records: fc.integer({ min: 1, max: 7 }).chain((e) => fc.integer({ min: 3 ** e, max: 10 ** e })),
    dimension: fc.integer({ min: 1, max: 1000 }),
    epsilon: size,
    order: fc.constantFrom(2, 2.5, 4, 32),
    moment: size,
    share: fc.integer({ min: 1, max: 10 }),
    diameter: size,
    convexity: size,
    kappa: fc.integer({ min: 1, max: 50 }),
  })
  .map(
    ({ share, kappa, ...rest }) =>
      ({
        ...rest,
        secondMoment: (rest.moment * share) / 10,
        smoothness: rest.convexity * kappa,
        worstSmoothness: rest.convexity * kappa,
        lipschitz: 2 * rest.moment,
        uniformDoubleMoment: 1.5 * rest.moment,
        coordinateMoment: rest.moment / Math.sqrt(rest.dimension),
      }) satisfies HeavyTailsSetting,
  );
const at = (system: HeavyTailsSystem, setting: HeavyTailsSetting): number =>
  heavyTailsRates[system].value(setting);
const systems = Object.keys(heavyTailsRates) as HeavyTailsSystem[];

// Figure 1: k = 2, moments √d, and D, μ or β of 1.
const n = 10_000;
const d = 25;
const epsilon = 0.5;
const kappa = 4;
const figure: HeavyTailsSetting = {
  records: n,
  dimension: d,
  epsilon,
  moment: 5,
  diameter: 1,
  smoothness: 1,
  convexity: 1,
  uniformDoubleMoment: 5,
  lipschitz: 5,
  coordinateMoment: 1,
};
const steep = { ...figure, smoothness: kappa, worstSmoothness: kappa };
const level = Math.log(n);
test.each([
  [
    'convex-linear-time',
    figure,
    Math.sqrt(d / n) +
      d ** 0.75 / Math.sqrt(epsilon * n) +
      Math.min(
        d ** (2 / 3) / (epsilon * n) ** (4 / 9),
        (d ** 0.75 / Math.sqrt(epsilon * n)) * (n / d) ** (1 / 16),
      ),
  ],
  ['convex-optimal', figure, Math.sqrt(d / n) + d ** 0.75 / Math.sqrt(epsilon * n)],
  ['convex-lower-bound', figure, Math.sqrt(d / n) + (d ** 0.75 * 2 ** 0.25) / Math.sqrt(epsilon * n)],
  [
    'convex-coordinate-lower-bound',
    figure,
    Math.sqrt(d / n) + (d ** 0.75 * 2 ** 0.25) / Math.sqrt(epsilon * n),
  ],
  ['strongly-convex-linear-time', steep, d / n + (Math.sqrt(kappa * level) * d ** 1.5) / (epsilon * n)],
  ['strongly-convex-optimal', steep, d / n + d ** 1.5 / (epsilon * n)],
  ['strongly-convex-lower-bound', steep, d / n + (Math.SQRT2 * d ** 1.5) / (epsilon * n)],
  ['strongly-convex-coordinate-lower-bound', steep, d / n + (Math.SQRT2 * d ** 1.5) / (epsilon * n)],
  ['proximal-pl', steep, (kappa * level * d) / n + (kappa * level * d ** 1.5) / (epsilon * n)],
  ['non-smooth', figure, Math.sqrt(d / n) + (d ** 0.75 * level ** 0.25) / Math.sqrt(epsilon * n)],
  ['non-smooth-strongly-convex', figure, d / n + (d ** 1.5 * Math.sqrt(level)) / (epsilon * n)],
  ['klz22-convex', figure, d / Math.sqrt(n)],
  ['klz22-strongly-convex', steep, (d * kappa ** 3) / n + (kappa ** 1.5 * d ** 1.5) / (epsilon * n)],
  ['klz22-convex-lower-bound', figure, Math.sqrt(d / n) + (d ** 0.75 * 2 ** 0.25) / Math.sqrt(epsilon * n)],
  ['lipschitz-convex', figure, Math.sqrt(d / n) + d / (epsilon * n)],
  ['lipschitz-strongly-convex', figure, d / n + d ** 2 / (epsilon * n) ** 2],
] satisfies [HeavyTailsSystem, HeavyTailsSetting, number][])(
  '%s is its row of Figure 1',
  (system, setting, expected) => {
    expect(at(system, setting) / expected).toBeCloseTo(1, 12);
  },
);

test('no method is said to do better than what no method can exceed', () => {
  fc.assert(
    fc.property(settings, (setting) => {
      const slack = Math.SQRT2 ** (2 - 2 / setting.order) * (1 + 1e-9);
      for (const system of ['convex-linear-time', 'convex-optimal', 'non-smooth'] as const)
        expect(at(system, setting) * slack).toBeGreaterThanOrEqual(at('convex-lower-bound', setting));
      for (const system of [
        'strongly-convex-linear-time',
        'strongly-convex-optimal',
        'proximal-pl',
        'non-smooth-strongly-convex',
        'klz22-strongly-convex',
      ] as const)
        expect(at(system, setting) * slack).toBeGreaterThanOrEqual(
          at('strongly-convex-lower-bound', setting),
        );
    }),
  );
});

test('moments of every order are a Lipschitz constant: the heavy-tailed rates tend to the Lipschitz ones', () => {
  const { moment: _, ...rest } = figure;
  const bounded = { ...rest, order: 1e6, moment: 5 };
  expect(at('convex-optimal', bounded) / at('lipschitz-convex', bounded)).toBeCloseTo(1, 4);
  expect(at('strongly-convex-optimal', bounded) / at('lipschitz-strongly-convex', bounded)).toBeCloseTo(1, 4);
});

test('smoothness costs the one-pass method nothing where there is none, and at most the printed ratios', () => {
  fc.assert(
    fc.property(settings, (setting) => {
      expect(
        at('convex-linear-time', { ...setting, smoothness: 0 }) / at('convex-optimal', setting),
      ).toBeCloseTo(1, 12);
      const { order: k } = setting;
      const ratio = setting.smoothness / setting.convexity;
      const extra = (ratio * Math.max(1, Math.log(setting.records))) ** ((k - 1) / k);
      expect(at('strongly-convex-linear-time', setting)).toBeLessThanOrEqual(
        extra * at('strongly-convex-optimal', setting) * (1 + 1e-9),
      );
    }),
  );
});

test('every rate falls with the records and says what it is of', () => {
  fc.assert(
    fc.property(settings, (setting) => {
      for (const system of systems)
        expect(at(system, { ...setting, records: 100 * setting.records }), system).toBeLessThanOrEqual(
          at(system, setting),
        );
    }),
  );
  for (const { title, source, side } of Object.values(heavyTailsRates))
    expect([title.length > 5, source.length > 5, ['upper', 'lower'].includes(side)]).toEqual([
      true,
      true,
      true,
    ]);
});

test('what is missing is named, what stands in for it is not', () => {
  const bare: HeavyTailsSetting = { records: 100, dimension: 2, epsilon: 1 };
  expect(() => at('convex-linear-time', bare)).toThrow(/'convex-linear-time' needs 'moment'/u);
  expect(() => at('proximal-pl', { ...bare, moment: 1, convexity: 1 })).toThrow(/'smoothness'/u);
  expect(() => at('klz22-strongly-convex', { ...bare, moment: 1, convexity: 1, smoothness: 1 })).toThrow(
    /'worstSmoothness'/u,
  );
  expect(at('non-smooth', { ...bare, diameter: 1, lipschitz: 3 })).toBe(
    at('non-smooth', { ...bare, diameter: 1, uniformDoubleMoment: 3 }),
  );
  for (const bad of [
    { records: 0 },
    { epsilon: Number.NaN },
    { moment: -1 },
    { smoothness: -1 },
    { order: 1.5 },
    { order: Infinity },
  ])
    expect(() => at('convex-linear-time', { ...figure, ...bad })).toThrow(InvalidParameter);
});
