import { domainAt, InvalidParameter, Unsupported, type Problem } from '@lethe/core';
import { defined, proximalL2Squared } from '@lethe/numerics';
import { mechanisms } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import { problem } from '../../test/support/problems.js';
import {
  knownMoments,
  momentsOf,
  populationLipschitzOf,
  proximalConstantOf,
  smoothnessOf,
  startDistanceOf,
  startGapOf,
  strongConvexityOf,
} from './facts.js';

const withFacts = (facts: Readonly<Record<string, number>>, rest: Partial<Problem> = {}): Problem => ({
  ...problem({ facts }),
  ...rest,
});

describe('momentsOf', () => {
  it('lets moments grow with the order, and pointwise ones stay below uniform ones', () => {
    const known = withFacts({
      'gradientMoment.2': 9,
      'gradientMoment.4': 5,
      'uniformGradientMoment.3': 6,
      'uniformGradientMoment.2.5': 7,
      'uniformGradientMoment.8': 5.5,
      'coordinateGradientMoment.2': 1,
    });
    expect(momentsOf(known, 'pointwise')).toEqual([
      { order: 2, moment: 5 },
      { order: 2.5, moment: 5 },
      { order: 3, moment: 5 },
      { order: 4, moment: 5 },
      { order: 8, moment: 5.5 },
    ]);
    expect(momentsOf(known, 'uniform')).toEqual([
      { order: 2.5, moment: 5.5 },
      { order: 3, moment: 5.5 },
      { order: 8, moment: 5.5 },
    ]);
    expect(momentsOf(known, 'coordinate')).toEqual([{ order: 2, moment: 1 }]);
  });
  it.each(['gradientMoment', 'uniformGradientMoment', 'coordinateGradientMoment'])(
    'refuses what looks like a %s and is none, and says how to write it',
    (prefix) => {
      for (const kind of ['pointwise', 'uniform', 'coordinate'] as const) {
        for (const order of ['.1', '.1.99', '.x', '.-2', '.', '.4k', '.NaN', '.Infinity', '']) {
          const name = `${prefix}${order}`;
          const known = withFacts({ 'gradientMoment.3': 1, [name]: 5 });
          expect(() => momentsOf(known, kind)).toThrow(InvalidParameter);
          expect(() => momentsOf(known, kind)).toThrow(
            `'${name}' is 5, and its name says no order of at least 2; write the order as a number ` +
              `behind a point, such as '${prefix}.2'`,
          );
        }
        for (const value of [0, -1, Number.NaN, Infinity])
          expect(() => momentsOf(withFacts({ [`${prefix}.4`]: value }), kind)).toThrow(
            `'${prefix}.4' is ${value}; a moment, as the root (E‖∇f‖^k)^(1/k), must be positive and finite`,
          );
      }
      expect(momentsOf(withFacts({ [`${prefix}s.1`]: -1, [`my.${prefix}.1`]: -1 }), 'pointwise')).toEqual([]);
    },
  );
});

describe('constants of a risk', () => {
  it('are those of the population where they are declared', () => {
    expect(smoothnessOf(withFacts({ smoothness: 4, populationSmoothness: 2 }))).toBe(2);
    expect(smoothnessOf(withFacts({ smoothness: 4 }))).toBe(4);
    expect(() => smoothnessOf(withFacts({}))).toThrow(Unsupported);
    expect(() => smoothnessOf(withFacts({ smoothness: -1 }))).toThrow(InvalidParameter);
    expect(strongConvexityOf(withFacts({ strongConvexity: 1, populationStrongConvexity: 3 }))).toBe(3);
    expect(strongConvexityOf(withFacts({ strongConvexity: 0 }))).toBe(null);
    expect(populationLipschitzOf(withFacts({ 'gradientMoment.2': 2, populationLipschitz: 3 }))).toBe(2);
    expect(populationLipschitzOf(withFacts({}))).toBe(null);
  });
  it.each([
    'populationSmoothness',
    'populationStrongConvexity',
    'populationLipschitz',
    'proximalPolyakLojasiewicz',
    'startGap',
    'startDistance',
  ])('are refused where %s is no number they can have, whoever asks', (name) => {
    const usual = { populationSmoothness: 1, 'gradientMoment.2': 1 };
    for (const value of [-1, Number.NaN, Infinity, -Infinity]) {
      for (const ask of [
        smoothnessOf,
        strongConvexityOf,
        populationLipschitzOf,
        (known: Problem) => momentsOf(known, 'uniform'),
      ])
        expect(() => ask(withFacts({ ...usual, [name]: value }))).toThrow(
          `'${name}' is ${value}; it must be finite and at least 0`,
        );
    }
    expect(smoothnessOf(withFacts({ ...usual, [name]: 0 }))).toBe(name === 'populationSmoothness' ? 0 : 1);
  });
  it('bound the start by its distance, and its excess risk where nothing else is in the risk', () => {
    const known = withFacts({ startDistance: 1.5, populationLipschitz: 2 });
    const domain = domainAt(mechanisms, known.domain, known.dimension);
    expect(startDistanceOf(known, domain)).toBe(1.5);
    expect(startDistanceOf(withFacts({}), domain)).toBeCloseTo(2, 12);
    expect(startGapOf(known, domain)).toBe(3);
    expect(startGapOf(withFacts({ startDistance: 1.5, populationLipschitz: 2, startGap: 1 }), domain)).toBe(
      1,
    );
    expect(startGapOf({ ...known, regulariser: { name: 'l1', params: { strength: 1 } } }, domain)).toBe(null);
    expect(startGapOf(withFacts({}), domain)).toBe(null);
  });
});

describe('proximalConstantOf', () => {
  const ridge = proximalL2Squared({ strength: new Float64Array(4).fill(1) });
  it('is what is declared, or what strong convexity implies of convex losses', () => {
    expect(proximalConstantOf(withFacts({ proximalPolyakLojasiewicz: 0.5 }), null, 4)).toBe(0.5);
    expect(proximalConstantOf(withFacts({ strongConvexity: 1 }), null, 4)).toBe(1);
    expect(
      proximalConstantOf(withFacts({ strongConvexity: 1, proximalPolyakLojasiewicz: 0.5 }), null, 4),
    ).toBe(1);
    expect(
      proximalConstantOf(withFacts({ strongConvexity: 1 }, { capabilities: { smooth: true } }), null, 4),
    ).toBe(null);
    expect(proximalConstantOf(withFacts({}), null, 4)).toBe(null);
    expect(proximalConstantOf(withFacts({}), ridge, 4)).toBe(0.8);
    expect(proximalConstantOf(withFacts({}, { capabilities: { smooth: true } }), ridge, 4)).toBe(null);
  });
  it('satisfies Definition 19 with a ridge, nearly with equality', () => {
    // F⁰ = β/2 (w − 1)² or 0·w, f¹ = w²/2: the least of ⟨∇F⁰, y −
    // w⟩ + β/2 (y − w)² + f¹(y) − f¹(w) is found by its derivative.
    const beta = 4;
    const mu = defined(proximalConstantOf(withFacts({}), ridge, beta));
    let tightest = Infinity;
    for (const curvature of [0, 0.5, 4])
      for (let w = -5; w <= 5; w += 0.37) {
        const slope = curvature * (w - 1);
        const y = (beta * w - slope) / (beta + 1);
        const best = curvature / (curvature + 1);
        const value = (x: number): number => (curvature / 2) * (x - 1) ** 2 + x ** 2 / 2;
        const right = -beta * (slope * (y - w) + (beta / 2) * (y - w) ** 2 + (y ** 2 - w ** 2) / 2);
        const left = mu * (value(w) - value(best));
        expect(left).toBeLessThanOrEqual(right + 1e-12);
        if (left > 1e-9) tightest = Math.min(tightest, right / left);
      }
    expect(tightest).toBeLessThan(1.01);
  });
});

describe('knownMoments', () => {
  const known = {
    ...problem({ facts: { 'gradientMoment.2': 2, 'gradientMoment.4': 5 } }),
    capabilities: { convex: true, smooth: true, lipschitz: true },
  } as const;
  const facts = {
    ...known.facts,
    lipschitz: { value: 3, scope: 'every-record', provenance: 'declared' },
  } as const;
  const of = (only?: number) =>
    knownMoments({ ...known, facts }, domainAt(mechanisms, known.domain, known.dimension), only);

  it('are those that are declared, none above the Lipschitz constant, which bounds every order', () => {
    const common = { secondMoment: 2, longest: 3 };
    expect(of()).toEqual([
      { order: Infinity, moment: 3, ...common },
      { order: 2, moment: 2, ...common },
      { order: 4, moment: 3, ...common },
    ]);
    expect(of(2)).toEqual([{ order: 2, moment: 2, ...common }]);
    expect(of(3)).toEqual([{ order: 3, moment: 3, ...common }]);
  });
});
