import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  stichBound,
  stochasticStepSizes,
  type StepSizeRule,
  type WeightedSteps,
} from './stochastic-step-sizes.js';

const rules = fc
  .record({
    convexity: fc.constantFrom(0.01, 0.3, 1),
    condition: fc.constantFrom(1, 1.5, 4, 37, 300),
    rounds: fc.constantFrom(1, 2, 3, 7, 40, 300, 1501),
  })
  .map(({ convexity, condition, rounds }): StepSizeRule => ({
    convexity,
    smoothness: convexity * condition,
    rounds,
  }));

/**
 * The largest `(b/Z) Σ s_t ζ_t + a r_{T+1}` that non-negative
 * sequences can reach: linear, so found by going backwards.
 */
function worst(
  { convexity: a, rounds: T }: StepSizeRule,
  { stepSizes, weights }: WeightedSteps,
  { start, c, b }: { readonly start: number; readonly c: number; readonly b: number },
): number {
  const Z = weights.reduce((x, y) => x + y, 0);
  let worth = a;
  let total = 0;
  for (let t = T; t >= 0; t--) {
    const eta = stepSizes[t];
    worth = Math.max((b * weights[t]) / (Z * b * eta), worth);
    total += worth * c * eta ** 2;
    worth *= 1 - a * eta;
  }
  return total + worth * start;
}

describe('stochasticStepSizes', () => {
  it('satisfy Lemma 33 against the worst sequences, with room', () => {
    fc.assert(
      fc.property(rules, fc.constantFrom(0, 1e-4, 1, 1e4), fc.constantFrom(0, 1, 100), (rule, c, start) => {
        fc.pre(c + start > 0);
        const bound = stichBound({ a: rule.convexity, c, g: rule.smoothness, start, rounds: rule.rounds });
        expect(worst(rule, stochasticStepSizes(rule), { start, c, b: 2 })).toBeLessThanOrEqual(0.5 * bound);
      }),
    );
  });

  it('would not without the first half, or with plain averages', () => {
    const rule = { convexity: 1, smoothness: 20, rounds: 2000 };
    const steps = stochasticStepSizes(rule);
    const at = { start: 1e12, c: 0, b: 1 };
    const bound = stichBound({ a: 1, c: 0, g: 20, start: at.start, rounds: rule.rounds });
    expect(
      worst(
        rule,
        {
          ...steps,
          stepSizes: steps.stepSizes.map((_, t) => 2 / (40 + t)),
          weights: steps.weights.map((_, t) => 40 + t),
        },
        at,
      ),
    ).toBeGreaterThan(bound);
    expect(worst(rule, { ...steps, weights: steps.weights.map(() => 1) }, at)).toBeGreaterThan(bound);
  });

  it('are at most 1/g and positive, with a weight on the last step', () => {
    fc.assert(
      fc.property(rules, (rule) => {
        const { stepSizes, weights } = stochasticStepSizes(rule);
        expect(stepSizes).toHaveLength(rule.rounds + 1);
        expect(weights).toHaveLength(rule.rounds + 1);
        expect(stepSizes.every((eta) => eta > 0 && eta <= 1 / rule.smoothness)).toBe(true);
        expect(weights.every((weight) => weight >= 0 && weight < Infinity)).toBe(true);
        expect(weights.at(-1)).toBeGreaterThan(0);
      }),
    );
  });

  it('are those of the formulas', () => {
    expect(stochasticStepSizes({ convexity: 1, smoothness: 4, rounds: 3 })).toEqual({
      stepSizes: [0.25, 0.25, 0.25, 0.25],
      weights: [0.421875, 0.5625, 0.75, 1],
    });
    expect(stochasticStepSizes({ convexity: 1, smoothness: 2, rounds: 5 })).toEqual({
      stepSizes: [0.5, 0.5, 0.5, 0.5, 0.4, 1 / 3],
      weights: [0, 0, 0, 4, 5, 6],
    });
    expect(stochasticStepSizes({ convexity: 2, smoothness: 2, rounds: 1 }).weights).toEqual([0, 1]);
    expect(stichBound({ a: 2, c: 3, g: 5, start: 7, rounds: 11 })).toBeCloseTo(
      1120 * Math.exp(-2.2) + 108 / 22,
      10,
    );
  });

  it('refuse what the lemma is not about', () => {
    for (const bad of [
      { convexity: 0 },
      { convexity: 5 },
      { smoothness: Infinity },
      { rounds: 0 },
      { rounds: 1.5 },
      { convexity: Number.NaN },
    ]) {
      expect(() => stochasticStepSizes({ convexity: 1, smoothness: 4, rounds: 3, ...bad })).toThrow(
        InvalidParameter,
      );
    }
  });
});
