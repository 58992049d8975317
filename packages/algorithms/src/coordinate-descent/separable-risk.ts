import { defined } from '@lethe/numerics';
import { requireCounts, requireNonNegativeVectors, requirePositiveVectors } from '../common/require.js';

/** One round on `f(w) = ½ Σ_j curvature_j (w_j − w*_j)²`, coordinate by coordinate. */
export interface SeparableRun {
  /** Second derivatives, at least 0. */
  readonly curvature: ArrayLike<number>;
  /** `M_j`; steps are `1/M_j`. */
  readonly smoothness: ArrayLike<number>;
  /** `p_j`. */
  readonly marginals: ArrayLike<number>;
  /** Standard deviation of the noise in coordinate `j` when it is drawn. */
  readonly noiseScale: ArrayLike<number>;
  /** `|w⁰_j − w*_j|`. */
  readonly offsets: ArrayLike<number>;
  readonly innerSteps: number;
}

/**
 * Exact expected excess risk of the average of one round on a separable
 * quadratic, in O(steps) for every kind of coordinate there is.
 *
 * @throws {InvalidParameter} for lengths that do not fit, or numbers outside their domain.
 */
export function separableRisk({
  curvature,
  smoothness,
  marginals,
  noiseScale,
  offsets,
  innerSteps,
}: SeparableRun): number {
  const d = smoothness.length;
  requireCounts({ innerSteps });
  requirePositiveVectors(d, { smoothness, marginals });
  requireNonNegativeVectors(d, { curvature, noiseScale, offsets });
  const known = new Map<string, number>();
  let risk = 0;
  for (let j = 0; j < d; j++) {
    const [c, M, p, s, r] = [curvature[j], smoothness[j], marginals[j], noiseScale[j], offsets[j]];
    const key = [c, M, p, s, r].join();
    if (!known.has(key))
      known.set(
        key,
        (c / 2) * averageSquare({ h: c / M, p, noise: p * (s / M) ** 2, start: r * r, innerSteps }),
      );
    risk += defined(known.get(key));
  }
  return risk;
}

/** `E ē²` of the average `ē` of `e_1 … e_K`: each step multiplies by `1 − h` with probability `p`. */
function averageSquare({
  h,
  p,
  noise,
  start,
  innerSteps,
}: {
  readonly h: number;
  readonly p: number;
  readonly noise: number;
  readonly start: number;
  readonly innerSteps: number;
}): number {
  const keep = 1 - p * (2 * h - h * h);
  const mean = 1 - p * h;
  let square = start;
  let crossed = 0;
  let total = 0;
  for (let k = 1; k <= innerSteps; k++) {
    square = keep * square + noise;
    crossed = mean * crossed + square;
    total += 2 * crossed - square;
  }
  return total / innerSteps / innerSteps;
}
