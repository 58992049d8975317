import { box, l2Ball, wholeSpace, type Domain } from '@lethe/numerics';
import { InvalidParameter, Unsupported, type SolverProblem } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minus, norm } from '../../test/support/discrete-distribution.js';
import { acceleratedGradient, acceleratedGradientIterations } from './accelerated-gradient.js';

interface Quadratic {
  readonly curvature: Float64Array;
  readonly target: Float64Array;
  readonly start: Float64Array;
}
const dimension = 3;
const entry = fc.integer({ min: -300, max: 300 }).map((k) => k / 100);
const point = fc
  .array(entry, { minLength: dimension, maxLength: dimension })
  .map((xs) => Float64Array.from(xs));
/** `½ Σ a_j (x_j − b_j)²` with curvatures from 1 to 10^3. */
const quadratics: fc.Arbitrary<Quadratic> = fc.record({
  curvature: fc
    .array(fc.integer({ min: 0, max: 30 }), { minLength: dimension, maxLength: dimension })
    .map((tenths) => Float64Array.from(tenths, (t) => 10 ** (t / 10))),
  target: point,
  start: point,
});

function problemOf(
  { curvature, target, start }: Quadratic,
  domain: Domain,
  onEvaluation: (x: Float64Array) => void = () => {},
): SolverProblem {
  return {
    domain,
    start,
    strongConvexity: Math.min(...curvature),
    smoothness: Math.max(...curvature),
    valueAndGradientInto(out, x) {
      onEvaluation(x);
      let value = 0;
      for (let j = 0; j < out.length; j++) {
        out[j] = curvature[j] * (x[j] - target[j]);
        value += (out[j] * (x[j] - target[j])) / 2;
      }
      return value;
    },
  };
}

/**
 * Minimiser over the centred ball: `a_j b_j / (a_j + m)` for
 * the multiplier `m ≥ 0` that puts it on the sphere.
 */
function minimiserOnBall({ curvature, target }: Quadratic, radius: number): Float64Array {
  const at = (m: number): Float64Array => target.map((b, j) => (curvature[j] * b) / (curvature[j] + m));
  if (norm(target) <= radius) return target;
  let [low, high] = [0, 1e9];
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2;
    if (norm(at(middle)) > radius) low = middle;
    else high = middle;
  }
  return at(high);
}

const cases: readonly (readonly [string, Domain, (problem: Quadratic) => Float64Array])[] = [
  ['the whole space', wholeSpace(dimension), ({ target }) => target],
  [
    'a box',
    box({ lower: new Float64Array(dimension).fill(-1), upper: new Float64Array(dimension).fill(1.5) }),
    ({ target }) => target.map((b) => Math.min(Math.max(b, -1), 1.5)),
  ],
  ['a ball', l2Ball({ dimension, radius: 1.25 }), (problem) => minimiserOnBall(problem, 1.25)],
];

describe.each(cases)('acceleratedGradient on %s', (_name, domain, minimiser) => {
  it('is no farther from the minimiser than it certifies, after any number of iterations', () => {
    fc.assert(
      fc.property(quadratics, fc.integer({ min: 1, max: 60 }), (quadratic, iterations) => {
        const { point: found, distance } = acceleratedGradient.solve(
          { iterations },
          problemOf(quadratic, domain),
          0,
        );
        expect(domain.contains(found)).toBe(true);
        expect(norm(minus(found, minimiser(quadratic)))).toBeLessThanOrEqual(distance + 1e-13);
      }),
    );
  });

  it('certifies the tolerance after the number of iterations computed from public numbers', () => {
    fc.assert(
      fc.property(quadratics, fc.integer({ min: 1, max: 8 }), (quadratic, digits) => {
        const problem = problemOf(quadratic, domain);
        const tolerance = 10 ** -digits;
        const iterations = acceleratedGradientIterations(
          problem.smoothness / problem.strongConvexity,
          20 / tolerance,
        );
        expect(acceleratedGradient.solve({ iterations }, problem, tolerance).distance).toBeLessThanOrEqual(
          tolerance,
        );
      }),
      { numRuns: 40 },
    );
  });

  it('promises, before it sees the objective, a distance it keeps', () => {
    fc.assert(
      fc.property(quadratics, fc.integer({ min: 1, max: 400 }), (quadratic, iterations) => {
        const problem = problemOf(quadratic, domain);
        const startDistance =
          norm(minus(domain.projectInto(new Float64Array(dimension), problem.start), minimiser(quadratic))) +
          1e-9;
        const promised = acceleratedGradient.worstDistance({ iterations }, { ...problem, startDistance });
        expect(acceleratedGradient.solve({ iterations }, problem, 0).distance).toBeLessThanOrEqual(
          promised + 1e-12,
        );
      }),
    );
  });

  it('evaluates the objective a fixed number of times, inside the domain', () => {
    fc.assert(
      fc.property(quadratics, fc.integer({ min: 1, max: 30 }), (quadratic, iterations) => {
        let evaluations = 0;
        acceleratedGradient.solve(
          { iterations },
          problemOf(quadratic, domain, (x) => {
            evaluations++;
            expect(domain.contains(x, 1e-12)).toBe(true);
          }),
          1,
        );
        expect(evaluations).toBe(iterations + 1);
      }),
    );
  });
});

describe('acceleratedGradient', () => {
  it('certifies within a factor of the truth where the bound is sharp', () => {
    // One direction of least curvature: ‖x⁺ − x*‖ = (1 − λ/L)‖y − x*‖ against the bound's √(1 − λ/L)‖y − x*‖.
    const quadratic = {
      curvature: Float64Array.of(1, 1.01, 4),
      target: new Float64Array(3),
      start: Float64Array.of(1, 0, 0),
    };
    const { point: found, distance } = acceleratedGradient.solve(
      { iterations: 1 },
      problemOf(quadratic, wholeSpace(3)),
      0,
    );
    expect(distance / norm(found)).toBeLessThan(1 / Math.sqrt(1 - 1 / 4) + 0.2);
  });

  it('is exact after one step when the curvature is the same everywhere', () => {
    const quadratic = {
      curvature: Float64Array.of(3, 3, 3),
      target: Float64Array.of(1, 2, 3),
      start: new Float64Array(3),
    };
    const { point: found, distance } = acceleratedGradient.solve(
      { iterations: 1 },
      problemOf(quadratic, wholeSpace(3)),
      0,
    );
    expect(norm(minus(found, quadratic.target))).toBeLessThan(1e-14);
    expect(distance).toBeLessThan(1e-13);
  });

  it('reduces the error at the accelerated rate, not the plain one', () => {
    const quadratic = {
      curvature: Float64Array.of(1, 30, 1000),
      target: new Float64Array(3),
      start: Float64Array.of(1, 1, 1),
    };
    const { point: found } = acceleratedGradient.solve(
      { iterations: 250 },
      problemOf(quadratic, wholeSpace(3)),
      0,
    );
    // Plain gradient descent would be left with (1 − 1/1000)^250 ≈ 0.78.
    expect(norm(found)).toBeLessThan(0.01);
  });

  it('certifies nothing when gradients are not finite, without an error that could tell', () => {
    const problem: SolverProblem = {
      ...problemOf(
        { curvature: Float64Array.of(1, 2, 3), target: new Float64Array(3), start: Float64Array.of(9, 0, 0) },
        l2Ball({ dimension: 3, radius: 1 }),
      ),
      valueAndGradientInto: (out) => {
        out.fill(Number.NaN);
        return 0;
      },
    };
    expect(acceleratedGradient.solve({ iterations: 5 }, problem, 1)).toEqual({
      point: Float64Array.of(1, 0, 0),
      distance: Infinity,
    });
  });

  it('keeps what it certified before gradients stopped being finite', () => {
    const quadratic = {
      curvature: Float64Array.of(1, 2, 3),
      target: new Float64Array(3),
      start: Float64Array.of(1, 1, 1),
    };
    const sound = problemOf(quadratic, wholeSpace(3));
    let evaluations = 0;
    const spoilt: SolverProblem = {
      ...sound,
      valueAndGradientInto: (out, x) =>
        ++evaluations > 3 ? (out.fill(Infinity), Infinity) : sound.valueAndGradientInto(out, x),
    };
    expect(acceleratedGradient.solve({ iterations: 9 }, spoilt, 1)).toEqual(
      acceleratedGradient.solve({ iterations: 2 }, sound, 1),
    );
  });

  it('refuses what it cannot solve', () => {
    const problem = problemOf(
      { curvature: Float64Array.of(1, 2, 3), target: new Float64Array(3), start: new Float64Array(3) },
      wholeSpace(3),
    );
    const solve = (change: Partial<SolverProblem>) => () =>
      acceleratedGradient.solve({ iterations: 1 }, { ...problem, ...change }, 1);
    for (const strongConvexity of [0, -1, Number.NaN, Infinity])
      expect(solve({ strongConvexity })).toThrow(InvalidParameter);
    for (const smoothness of [0.5, Number.NaN]) expect(solve({ smoothness })).toThrow(InvalidParameter);
    expect(solve({ smoothness: Infinity })).toThrow(Unsupported);
    expect(solve({ start: new Float64Array(2) })).toThrow(InvalidParameter);
    expect(solve({ start: Float64Array.of(0, Number.NaN, 0) })).toThrow(InvalidParameter);
    for (const iterations of [0, 1.5, Number.NaN])
      expect(() => acceleratedGradient({ iterations })).toThrow(InvalidParameter);
    for (const bad of [0, 0.9, Number.NaN, Infinity])
      expect(() => acceleratedGradientIterations(bad, 10)).toThrow(InvalidParameter);
    for (const bad of [0, -1, Number.NaN, Infinity])
      expect(() => acceleratedGradientIterations(10, bad)).toThrow(InvalidParameter);
  });
});
