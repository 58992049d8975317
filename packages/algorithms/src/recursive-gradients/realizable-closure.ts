import { likelyRisk, type AcceleratedRun, type LikelyErrors } from './risk-bounds.js';

/** A realizable problem: the minimiser of the population risk over the whole space is in the domain. */
export interface RealizableRun extends Omit<AcceleratedRun, 'clipNorm' | 'zScale'> {
  /** `L` */
  readonly lipschitz: number;
}

/**
 * Bounds on the differences of all records at steps `0 … T − 1`, for runs of mirror scale 1/2 whose errors
 * are bounded: gradients are short where the risk is small, since `‖∇F‖² ≤ 2M(F − F*)` for a realizable
 * problem. With a clip norm that is at least the largest nothing is cut, so that the bounds on the errors
 * hold, by induction.
 *
 * @see Lemmas 6 and 7, with numbers in place of `c_DP`.
 */
export function neededClips(run: RealizableRun, errors: LikelyErrors): Float64Array {
  const { rounds, beta, smoothness: M, lipschitz: L, diameter: D } = run;
  const needs = new Float64Array(rounds);
  needs[0] = L;
  let gradient = Math.min(L, M * D);
  for (let t = 1; t < rounds; t++) {
    const moved =
      (t / (t + 2)) * ((gradient + errors.sampling / Math.sqrt(t)) / beta) +
      errors.noise / (t + 2) +
      (2 * D) / (t + 2);
    needs[t] = L + (t + 1) * M * moved;
    gradient = Math.min(L, Math.sqrt(2 * M * likelyRisk(run, errors, t)) + (2 * M * D) / (t + 2));
  }
  return needs;
}

/**
 * The least clip norm for which the induction of {@link neededClips} closes, to a part in 10⁹.
 *
 * @param errorsAt - The errors at a clip norm; they grow with it.
 * @returns `null` where none up to `most` does.
 */
export function closingClip(
  run: RealizableRun,
  errorsAt: (clipNorm: number) => LikelyErrors,
  most: number,
): number | null {
  let clipNorm = run.lipschitz;
  for (let i = 0; i < 200; i++) {
    const need = neededClips(run, errorsAt(clipNorm)).reduce((largest, one) => Math.max(largest, one), 0);
    if (need <= clipNorm) return clipNorm;
    // What is needed at a clip norm that is too small is too small, too.
    clipNorm = need * (1 + 1e-9);
    if (!(clipNorm <= most)) return null;
  }
  return null;
}
