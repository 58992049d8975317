import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { averagedExcessRisk, recursionBound, stronglyConvexExcessRisk } from './strongly-convex-risk.js';
import { stochasticStepSizes, type WeightedSteps } from './stochastic-step-sizes.js';

interface Quadratic {
  readonly curvatures: readonly number[];
  readonly offsets: readonly number[];
  readonly variance: number;
  readonly bias: readonly number[];
}

/**
 * `E F(ŵ) − F*` of unconstrained SGD on `½ Σ a_j e_j²` with independent noise of variance Σ²/d in each
 * coordinate and a fixed bias, without sampling.
 */
function exactRisk(
  { curvatures, offsets, variance, bias }: Quadratic,
  { stepSizes, weights }: WeightedSteps,
): number {
  const Z = weights.reduce((x, y) => x + y, 0);
  return curvatures.reduce((risk, a, j) => {
    // Of iterate e and average A: means, and E e², E eA, E A².
    let mean = offsets[j];
    let square = mean ** 2;
    let average = 0;
    let cross = 0;
    let whole = 0;
    stepSizes.forEach((eta, t) => {
      const keep = 1 - eta * a;
      const shift = -eta * bias[j];
      const z = weights[t] / Z;
      const noise = eta ** 2 * (variance / curvatures.length);
      cross = keep * cross + shift * average;
      square = keep ** 2 * square + 2 * keep * shift * mean + shift ** 2 + noise;
      mean = keep * mean + shift;
      whole += 2 * z * cross + z ** 2 * square;
      cross += z * square;
      average += z * mean;
    });
    return risk + (a / 2) * whole;
  }, 0);
}

const runs = fc
  .record({
    condition: fc.constantFrom(1, 2, 10, 80),
    convexity: fc.constantFrom(0.05, 1),
    dimension: fc.constantFrom(1, 2, 10),
    rounds: fc.constantFrom(1, 2, 5, 30, 200, 1000),
    variance: fc.constantFrom(0, 1e-3, 1, 50),
    bias: fc.constantFrom(0, 1e-2, 1),
    distance: fc.constantFrom(0, 0.3, 10),
    seed: fc.integer({ min: 1, max: 1000 }),
  })
  .map(({ condition, convexity: mu, dimension: d, rounds, variance, bias, distance, seed }) => {
    const curvatures = Array.from(
      { length: d },
      (_, j) => mu * condition ** (d === 1 ? seed % 2 : j / (d - 1)),
    );
    const direction = Array.from({ length: d }, (_, j) => Math.sin(seed * (j + 1)));
    const size = Math.hypot(...direction);
    const along = (length: number): number[] => direction.map((x) => (x / size) * length);
    return {
      run: { smoothness: mu * condition, convexity: mu, diameter: distance, rounds, variance, bias },
      F: { curvatures, offsets: along(distance), variance, bias: along(-bias) },
    };
  });

describe('stronglyConvexExcessRisk', () => {
  it('bounds the exact risk on quadratics, by the corrected and by the printed formula', () => {
    fc.assert(
      fc.property(runs, ({ run, F }) => {
        const risk = exactRisk(
          F,
          stochasticStepSizes({ convexity: run.convexity, smoothness: run.smoothness, rounds: run.rounds }),
        );
        expect(risk).toBeLessThanOrEqual(stronglyConvexExcessRisk(run, 'corrected') * (1 + 1e-9));
        expect(risk).toBeLessThanOrEqual(stronglyConvexExcessRisk(run, 'printed') * (1 + 1e-9));
      }),
      { numRuns: 500 },
    );
  });

  it('is within a factor of fourteen where noise dominates, and of five where bias does', () => {
    for (const [variance, bias] of [
      [1, 0],
      [0, 1],
    ] as const) {
      const run = { smoothness: 1, convexity: 1, diameter: 1, rounds: 400, variance, bias };
      const risk = exactRisk(
        { curvatures: [1], offsets: [1], variance, bias: [bias] },
        stochasticStepSizes({ convexity: 1, smoothness: 1, rounds: 400 }),
      );
      expect(stronglyConvexExcessRisk(run, 'corrected') / risk).toBeLessThan(variance > 0 ? 14 : 5);
    }
  });

  it('has at most 6B²/μ of bias, and 2B²/μ in the long run, without assuming signs', () => {
    fc.assert(
      fc.property(fc.constantFrom(1, 3, 50), fc.constantFrom(1, 2, 10, 100, 5000), (condition, rounds) => {
        const bound = stronglyConvexExcessRisk(
          { smoothness: condition, convexity: 1, diameter: 0, rounds, variance: 0, bias: 1 },
          'corrected',
        );
        expect(bound).toBeLessThanOrEqual(6 * (1 + 1e-12));
        if (rounds >= 100 * condition) expect(bound).toBeLessThan(2.05);
      }),
    );
  });

  it('is at most a third of the printed one without bias', () => {
    fc.assert(
      fc.property(runs, ({ run }) => {
        fc.pre(run.variance > 0 || run.diameter > 0);
        expect(stronglyConvexExcessRisk({ ...run, bias: 0 }, 'corrected')).toBeLessThanOrEqual(
          stronglyConvexExcessRisk({ ...run, bias: 0 }, 'printed') / 3,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('is what the recursion allows: the numbers of two steps by hand', () => {
    // T = 1, κ = 2: steps ½, weights ½ and 1, Z = 1.5. λ_1 = 4/3;
    // λ_0 = max(2/3, 2/3) = 2/3; D = 3, B = 1, Σ² = 5, μ = 1.
    const run = { smoothness: 2, convexity: 1, diameter: 3, rounds: 1, variance: 5, bias: 1 };
    expect(recursionBound(run, stochasticStepSizes(run))).toBeCloseTo(
      (4 / 3) * 0.5 * (2 + 5) + (2 / 3) * 0.5 * (2 + 5) + (1 / 3) * 9,
      12,
    );
  });
});

describe('averagedExcessRisk', () => {
  it('bounds the exact risk of constant steps and plain averages on convex quadratics, flat directions included', () => {
    fc.assert(
      fc.property(runs, fc.constantFrom(0.1, 1), ({ run, F }, share) => {
        const stepSize = share / run.smoothness;
        const flat = {
          ...F,
          curvatures: F.curvatures.map((a, j) => (j === 0 && F.curvatures.length > 1 ? 0 : a)),
          bias: F.bias.map(() => 0),
        };
        const steps = {
          stepSizes: Array.from({ length: run.rounds + 1 }, () => stepSize),
          weights: Array.from({ length: run.rounds + 1 }, () => 1),
        };
        expect(exactRisk(flat, steps)).toBeLessThanOrEqual(
          averagedExcessRisk({
            stepSize,
            rounds: run.rounds,
            startDistance: run.diameter,
            diameter: 1,
            variance: run.variance,
            bias: 0,
          }) + 1e-12,
        );
      }),
      { numRuns: 300 },
    );
  });
});
