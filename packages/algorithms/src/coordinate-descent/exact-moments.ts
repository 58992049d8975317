import { InvalidParameter, parseOrThrow, Unsupported, type ParamsOf, type Sketch } from '@lethe/core';
import {
  requireCounts,
  requireLength,
  requireNonNegative,
  requirePositiveVectors,
} from '../common/require.js';

/** Algorithm 1 on `f(w) = ½ (w − w*)ᵀ A (w − w*)`, with steps `1/M_j`. */
export interface QuadraticRun<S extends Sketch> {
  /** `A`, symmetric, `dimension²` entries by rows. */
  readonly hessian: ArrayLike<number>;
  /** `M_j`. */
  readonly smoothness: ArrayLike<number>;
  readonly sketch: S;
  readonly params: ParamsOf<S>;
  /** Standard deviation `σ_U` of the noise on a set of coordinates. */
  readonly noiseScale: (coordinates: Uint32Array) => number;
  /** `w⁰ − w*`. */
  readonly start: ArrayLike<number>;
  readonly innerSteps: number;
  readonly rounds: number;
}
/** Exact expectations of a run. */
export interface QuadraticMoments {
  /** Of each round: `E f(θ^k) − f*` for `k = 0 … K`, and that of the average. */
  readonly rounds: readonly { readonly risks: readonly number[]; readonly average: number }[];
  /** `N = E‖C σ_S 1‖²_{PM⁻¹}` of one step. */
  readonly stepNoise: number;
  /** `N′ = E‖C σ_S 1‖²_{P²M⁻¹}`. */
  readonly riskNoise: number;
}

/**
 * What Algorithm 1 does on average to a quadratic, without a sample: second moments of the error, step by
 * step, in O(dimension³) each. With `Γ = PM⁻¹` and `P̂` the probabilities of pairs,
 * `V ↦ V − ΓAV − VAΓ + M⁻¹(P̂ ∘ AVA)M⁻¹ + noise`.
 *
 * @throws {Unsupported} when the sketch has too many sets to list.
 * @throws {InvalidParameter} for lengths that do not fit, numbers that are not finite, an asymmetric Hessian
 * or counts below 1.
 */
export function exactQuadraticMoments<S extends Sketch>({
  hessian,
  smoothness,
  sketch,
  params,
  noiseScale,
  start,
  innerSteps,
  rounds,
}: QuadraticRun<S>): QuadraticMoments {
  const d = smoothness.length;
  const A = Float64Array.from(hessian);
  requireCounts({ innerSteps, rounds });
  requirePositiveVectors(d, { smoothness });
  requireLength(d, 'start', start);
  requireLength(d * d, 'hessian', A);
  for (let i = 0; i < d; i++)
    for (let j = 0; j <= i; j++)
      if (A[i * d + j] !== A[j * d + i] || !Number.isFinite(A[i * d + j]))
        throw new InvalidParameter(`the hessian is not symmetric and finite at (${i}, ${j})`, { i, j });
  const { pairs, noise, stepNoise, riskNoise } = stepMoments(sketch, params, smoothness, noiseScale);
  const gains = Float64Array.from({ length: d }, (_, j) => pairs[j * d + j] / smoothness[j]);
  const risk = (V: Float64Array): number => A.reduce((sum, entry, at) => sum + (entry * V[at]) / 2, 0);
  const done: { risks: number[]; average: number }[] = [];
  let V = Float64Array.from({ length: d * d }, (_, at) => start[Math.floor(at / d)] * start[at % d]);
  for (let round = 0; round < rounds; round++) {
    const risks = [risk(V)];
    const total = new Float64Array(d * d);
    // Σ_{k ≤ l} E[e_k e_lᵀ].
    let crossed = new Float64Array(d * d);
    for (let k = 1; k <= innerSteps; k++) {
      const AV = product(A, V, d);
      const AVA = product(AV, A, d);
      const before = V;
      const crossedA = product(crossed, A, d);
      const crossedBefore = crossed;
      V = before.map((entry, at) => {
        const i = Math.floor(at / d);
        const j = at % d;
        return (
          entry -
          gains[i] * AV[at] -
          gains[j] * AV[j * d + i] +
          (pairs[at] * AVA[at]) / smoothness[i] / smoothness[j] +
          (i === j ? noise[i] : 0)
        );
      });
      // An antisymmetric part, from rounding, would grow exponentially:
      // the recursion takes A V for the transpose of V A.
      for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) V[j * d + i] = V[i * d + j];
      crossed = V.map((entry, at) => entry + crossedBefore[at] - crossedA[at] * gains[at % d]);
      for (let at = 0; at < d * d; at++)
        total[at] += crossed[at] + crossed[(at % d) * d + Math.floor(at / d)] - V[at];
      risks.push(risk(V));
    }
    V = total.map((entry) => entry / innerSteps / innerSteps);
    done.push({ risks, average: risk(V) });
  }
  return { rounds: done, stepNoise, riskNoise };
}

/**
 * `P̂`; the variances that noise adds to each coordinate in a step; `N` and `N′`: all by listing the sets.
 */
function stepMoments<S extends Sketch>(
  sketch: S,
  params: ParamsOf<S>,
  smoothness: ArrayLike<number>,
  noiseScale: (coordinates: Uint32Array) => number,
) {
  const d = smoothness.length;
  const checked = parseOrThrow(sketch.params, params, `sketch '${sketch.name}'`);
  const list = sketch.enumerate(checked, d);
  if (list === null)
    throw new Unsupported(
      `the sets of sketch '${sketch.name}' in ${d} dimensions are too many to list; take fewer dimensions`,
      { sketch: sketch.name, dimension: d },
    );
  const pairs = new Float64Array(d * d);
  const noise = new Float64Array(d);
  for (const {
    drawn: { coordinates },
    probability,
  } of list) {
    if (coordinates.length === 0) continue;
    const scale = noiseScale(coordinates);
    requireNonNegative({ noiseScale: scale });
    for (const i of coordinates) {
      noise[i] += probability * (scale / smoothness[i]) ** 2;
      for (const j of coordinates) pairs[i * d + j] += probability;
    }
  }
  const riskNoise = noise.reduce((sum, variance, j) => sum + variance * smoothness[j], 0);
  const stepNoise = noise.reduce(
    (sum, variance, j) => sum + (variance * smoothness[j]) / pairs[j * d + j],
    0,
  );
  return { pairs, noise, stepNoise, riskNoise };
}

function product(a: Float64Array, b: Float64Array, d: number): Float64Array<ArrayBuffer> {
  const out = new Float64Array(d * d);
  for (let i = 0; i < d; i++)
    for (let k = 0; k < d; k++) for (let j = 0; j < d; j++) out[i * d + j] += a[i * d + k] * b[k * d + j];
  return out;
}
