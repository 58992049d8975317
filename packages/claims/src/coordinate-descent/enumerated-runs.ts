import { dot } from '../common/vectors.js';
import { gradientOf, type Quadratic } from './quadratics.js';

/** The final distribution of a run, as a Gaussian mixture with one component per sequence of sets. */
export interface EnumeratedRun {
  /** `E f(w^t) − f*` for `t = 1 … T`. */
  readonly averages: readonly number[];
  /** `E f(θ^k) − f*` for `k = 0 … K`, in each round. */
  readonly risks: readonly (readonly number[])[];
  /** Variance of `f(w^T)`. */
  readonly variance: number;
}

/** The error as an affine function of the noise: its mean, and the coefficients of each draw by rows. */
interface Affine {
  readonly mean: Float64Array;
  readonly draws: readonly Float64Array[];
}
interface Branch {
  readonly probability: number;
  readonly theta: Affine;
  readonly total: Affine;
}

/**
 * Algorithm 1 on a quadratic by enumeration of all sequences of sets; for each it is an affine function of
 * Gaussians. It is independent of the second-moment recursion. Running time: (number of sets)^(K T).
 */
export function enumeratedRun(
  problem: Pick<Quadratic, 'hessian' | 'smoothness' | 'law' | 'noiseScale' | 'start'>,
  innerSteps: number,
  rounds: number,
): EnumeratedRun {
  const { hessian, start } = problem;
  const zero: Affine = { mean: start.map(() => 0), draws: [] };
  let branches: readonly Branch[] = [{ probability: 1, theta: { mean: start, draws: [] }, total: zero }];
  const risks: number[][] = [];
  const averages: number[] = [];
  const expected = (of: (branch: Branch) => number): number =>
    branches.reduce((sum, branch) => sum + branch.probability * of(branch), 0);
  for (let round = 0; round < rounds; round++) {
    const seen = [expected(({ theta }) => riskOf(hessian, theta))];
    for (let k = 0; k < innerSteps; k++) {
      branches = branches.flatMap((branch) =>
        problem.law.map((set) => {
          const theta = stepped(problem, branch.theta, set.coordinates);
          return {
            probability: branch.probability * set.probability,
            theta,
            total: added(branch.total, theta),
          };
        }),
      );
      seen.push(expected(({ theta }) => riskOf(hessian, theta)));
    }
    branches = branches.map(({ probability, total }) => ({
      probability,
      theta: scaled(total, 1 / innerSteps),
      total: zero,
    }));
    risks.push(seen);
    averages.push(expected(({ theta }) => riskOf(hessian, theta)));
  }
  return {
    risks,
    averages,
    variance:
      expected(({ theta }) => varianceOf(hessian, theta) + riskOf(hessian, theta) ** 2) -
      averages[rounds - 1] ** 2,
  };
}

function stepped(
  { hessian, smoothness, noiseScale }: Pick<Quadratic, 'hessian' | 'smoothness' | 'noiseScale'>,
  { mean, draws }: Affine,
  coordinates: ArrayLike<number>,
): Affine {
  const move = (e: Float64Array): Float64Array => {
    const gradient = gradientOf(hessian, e);
    const next = e.slice();
    for (let i = 0; i < coordinates.length; i++)
      next[coordinates[i]] -= gradient[coordinates[i]] / smoothness[coordinates[i]];
    return next;
  };
  const fresh = Array.from(coordinates, (j) =>
    mean.map((_, i) => (i === j ? -noiseScale(coordinates) / smoothness[j] : 0)),
  );
  return { mean: move(mean), draws: [...draws.map(move), ...fresh] };
}

const added = (a: Affine, b: Affine): Affine => ({
  mean: b.mean.map((x, i) => x + a.mean[i]),
  draws: b.draws.map((draw, k) => (k < a.draws.length ? draw.map((x, i) => x + a.draws[k][i]) : draw)),
});
const scaled = ({ mean, draws }: Affine, factor: number): Affine => ({
  mean: mean.map((x) => x * factor),
  draws: draws.map((draw) => draw.map((x) => x * factor)),
});

/** `E ½ eᵀA e`. */
const riskOf = (hessian: Float64Array, { mean, draws }: Affine): number =>
  [mean, ...draws].reduce((sum, e) => sum + dot(e, gradientOf(hessian, e)), 0) / 2;
/** Variance of `½ eᵀA e`: `½ tr((AΣ)²) + mᵀAΣA m` with `Σ` the sum of the squares of the draws. */
function varianceOf(hessian: Float64Array, { mean, draws }: Affine): number {
  const sloped = draws.map((draw) => gradientOf(hessian, draw));
  return (
    draws.reduce((sum, draw) => sum + sloped.reduce((inner, slope) => inner + dot(draw, slope) ** 2, 0), 0) /
      2 +
    sloped.reduce((sum, slope) => sum + dot(mean, slope) ** 2, 0)
  );
}
