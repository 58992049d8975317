import { InvalidParameter } from '@lethe/core';
import { expect, it } from 'vitest';
import { boostingBudget, boostingFailure, meanRuns, scoreMargin } from './boosting-budget.js';

it('has the listed values of the printed split', () => {
  const split = boostingBudget({ epsilon: 1, delta: 1e-6, stopProbability: 0.25 });
  expect(split.cap).toBe(59);
  expect(split.base.delta / 1.795461074403907e-17).toBeCloseTo(1, 12);
  expect(split.base.epsilon).toBeCloseTo(1 / 12, 15);
  expect(split.scoreMultiplier).toBe(12);
  // ln 20 is just below 3.
  expect(boostingBudget({ epsilon: 1, delta: 0.1, stopProbability: 0.5 }).cap).toBe(6);
  for (const wrong of [
    { epsilon: 1, delta: 0.11, stopProbability: 0.5 },
    { epsilon: 1, delta: 0, stopProbability: 0.5 },
    { epsilon: 1, delta: 1e-6, stopProbability: 1 },
    { epsilon: 1, delta: 1e-6, stopProbability: 0 },
    { epsilon: 20, delta: 1, stopProbability: 0.5 },
    { epsilon: 0, delta: 1e-6, stopProbability: 0.5 },
  ])
    expect(() => boostingBudget(wrong)).toThrow(InvalidParameter);
});

it('sums the law of the number of runs', () => {
  for (const [stopProbability, cap] of [
    [0.5, 1],
    [0.3, 4],
    [0.0375, 700],
  ] as const) {
    let [runs, failing] = [0, 0];
    for (let k = 1; k <= cap; k++) {
      const p =
        k < cap ? stopProbability * (1 - stopProbability) ** (k - 1) : (1 - stopProbability) ** (k - 1);
      runs += p * k;
      failing += p * (2 ** -k + k * Math.exp(-5));
    }
    expect(meanRuns({ stopProbability, cap })).toBeCloseTo(runs, 10);
    expect(boostingFailure({ stopProbability, cap }, 5)).toBeCloseTo(failing, 12);
    const margin = scoreMargin({ stopProbability, cap }, 0.51);
    expect(boostingFailure({ stopProbability, cap }, margin ?? 0)).toBeCloseTo(0.51, 12);
  }
  expect(scoreMargin({ stopProbability: 0.5, cap: 1 }, 0.5)).toBe(null);
  const few = { stopProbability: 0.9, cap: 3 };
  const margin = scoreMargin(few, 0.9) ?? Number.NaN;
  expect(margin).toBeLessThan(1);
  expect(boostingFailure(few, margin)).toBeCloseTo(0.9, 12);
  expect(scoreMargin({ stopProbability: 0.9, cap: 1 }, 2)).toBe(0);
});
