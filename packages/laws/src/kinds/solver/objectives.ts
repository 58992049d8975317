import { box, l1Ball, l2Ball, simplex, wholeSpace, type Domain } from '@lethe/numerics';
import { type SolverProblem, type Vector } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import { normOf } from '../../engines/norms.js';

const domains: { readonly [name: string]: (dimension: number, radius: number) => Domain } = {
  'whole space': wholeSpace,
  ball: (dimension, radius) => l2Ball({ dimension, radius }),
  box: (dimension, radius) =>
    box({
      lower: new Float64Array(dimension).fill(-radius),
      upper: new Float64Array(dimension).fill(radius / 2),
    }),
  simplex: (dimension, total) => simplex({ dimension, total }),
  'l1 ball': (dimension, radius) => l1Ball({ dimension, radius }),
};

/** An objective as plain numbers. Lengths are in units of `radius`. */
export interface Objective {
  readonly domain: keyof typeof domains;
  /**
   * `quadratic`: constant curvature; `bent`: steep near the minimiser
   * and flat beyond; `chain`: coupled neighbouring coordinates.
   */
  readonly shape: 'quadratic' | 'bent' | 'chain';
  readonly radius: number;
  readonly strongConvexity: number;
  readonly condition: number;
  /** Curvatures between the two constants, as shares in [0, 1] on a logarithmic scale, along rotated axes. */
  readonly shares: readonly number[];
  /** Normal vector of the reflection that rotates the axes. */
  readonly mirror: readonly number[];
  /** The minimiser is the projection of this point, */
  readonly target: readonly number[];
  /** where the objective decreases towards the target with this slope, in units of the strong convexity. */
  readonly slope: number;
  readonly start: readonly number[];
}

/** An objective with a known minimiser over its domain. */
export interface Solvable {
  readonly problem: SolverProblem;
  readonly minimiser: Vector;
  /** From the start to the minimiser. */ readonly startDistance: number;
  /** Resolution of doubles at this scale, the condition number included. */ readonly resolution: number;
}

const entries = (dimension: number): Arbitrary<readonly number[]> =>
  fc.array(
    fc.integer({ min: -12, max: 12 }).map((k) => k / 4),
    { minLength: dimension, maxLength: dimension, size: 'max' },
  );

/**
 * Objectives in 1 to 5 dimensions, sometimes in 17, with condition
 * numbers from 1 to 10⁶, at three scales, on five kinds of sets.
 */
export const objectives: Arbitrary<Objective> = fc
  .oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 5 }) }, { weight: 1, arbitrary: fc.constant(17) })
  .chain((dimension) =>
    fc.record({
      domain: fc.constantFrom(...Object.keys(domains)),
      shape: fc.constantFrom('quadratic', 'bent', 'chain'),
      radius: fc.constantFrom(1, 1e-3, 1e3),
      strongConvexity: fc.constantFrom(1, 0.01, 30),
      condition: fc
        .oneof(
          { weight: 7, arbitrary: fc.nat(12) },
          { weight: 1, arbitrary: fc.integer({ min: 13, max: 24 }) },
        )
        .map((k) => 10 ** (k / 4)),
      shares: fc.array(
        fc.integer({ min: 0, max: 4 }).map((k) => k / 4),
        { minLength: dimension, maxLength: dimension, size: 'max' },
      ),
      mirror: entries(dimension),
      target: entries(dimension),
      slope: fc.constantFrom(0, 1, 5),
      start: entries(dimension),
    }),
  );

/**
 * `F(x) = φ(x − x*) + ⟨g, x − x*⟩` with `∇φ(0) = 0`, `x* = Π(target)` and `g = slope · λ (x* − target)`.
 * Since `⟨x* − target, y − x*⟩ ≥ 0` on the set, `x*` is the minimiser for any set and curvature.
 */
export function solvable({
  domain: name,
  shape,
  radius,
  strongConvexity,
  condition,
  shares,
  mirror,
  target,
  slope,
  start,
}: Objective): Solvable {
  const dimension = target.length;
  const smoothness = strongConvexity * condition;
  const domain = domains[name](dimension, radius);
  const scaled = (point: readonly number[]): Float64Array => Float64Array.from(point, (x) => x * radius);
  const aim = scaled(target);
  const minimiser = domain.projectInto(new Float64Array(dimension), aim);
  const pull = minimiser.map((x, j) => slope * strongConvexity * (x - aim[j]));
  const curvatures = shares.map((share) => strongConvexity * condition ** share);
  const size = normOf('l2', mirror);
  const rotated = (vector: Float64Array): Float64Array => {
    const along = size === 0 ? 0 : (2 * vector.reduce((sum, x, j) => sum + x * mirror[j], 0)) / size ** 2;
    return vector.map((x, j) => x - along * mirror[j]);
  };
  const width = radius / 8;
  /** Writes `∇φ(t)` and returns `φ(t)`. */
  const quadratic = (out: Vector, t: Vector): number => {
    if (shape === 'chain') {
      let value = 0;
      for (let j = 0; j < t.length; j++) {
        out[j] =
          strongConvexity * t[j] +
          ((smoothness - strongConvexity) / 4) * (2 * t[j] - (t[j - 1] ?? 0) - (t[j + 1] ?? 0));
        value += (out[j] * t[j]) / 2;
      }
      return value;
    }
    const local = rotated(t);
    let value = 0;
    const slopes = local.map((x, j) => {
      const near = Math.min(Math.max(x, -width), width);
      const extra = curvatures[j] - strongConvexity;
      if (shape === 'quadratic') {
        value += (curvatures[j] * x * x) / 2;
        return curvatures[j] * x;
      }
      value += (strongConvexity * x * x) / 2 + extra * near * (x - near / 2);
      return strongConvexity * x + extra * near;
    });
    out.set(rotated(slopes));
    return value;
  };
  const begin = scaled(start);
  const away = begin.map((x, j) => x - minimiser[j]);
  const reach = normOf('l2', minimiser) + normOf('l2', begin) + normOf('l2', pull) / strongConvexity + radius;
  return {
    minimiser,
    startDistance: normOf('l2', away),
    // Resolution demanded by the curator: it refuses smaller tolerances.
    resolution: 2 ** -44 * Math.sqrt(dimension) * reach * (1 + condition),
    problem: {
      domain,
      strongConvexity,
      smoothness,
      start: begin,
      valueAndGradientInto(out, x) {
        const t = x.map((value, j) => value - minimiser[j]);
        let value = quadratic(out, t);
        for (let j = 0; j < out.length; j++) {
          out[j] = out[j] + pull[j];
          value += pull[j] * t[j];
        }
        return value;
      },
    },
  };
}
