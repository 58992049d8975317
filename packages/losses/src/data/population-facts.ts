import { defined } from '@lethe/numerics';
import { sineLinkGrowth } from '../sine-link.js';
import { momentsOfSigns } from './balanced-signs.js';
import { momentsOf, type Moments } from './distribution.js';
import { momentsOfEntry } from './multivariate-t.js';
import { momentsOnSphere } from './sphere.js';
import type { ParsedSyntheticSpec } from './synthetic-spec.js';

/** Properties of the population, in closed form. */
export interface PopulationFacts {
  /**
   * Moments of one feature entry, or of those of each column where they differ; `E[x xᵀ]` has `second` on its
   * diagonal and products of means beside it. With a `rank`, of one factor. For groups,
   * before they are moved.
   */
  readonly feature: Moments | readonly Moments[];
  /** Moments of the additive noise; `null` for a response without. */
  readonly noise: Moments | null;
  /**
   * Least positive and largest eigenvalue of `E[x xᵀ]`, whose rank is `rank`; `null` where it does not
   * exist, and for groups.
   * Of the squared loss they are the Polyak–Łojasiewicz constant (and at full rank that of strong convexity)
   * and the smoothness of the population risk.
   */
  readonly spectrum: { readonly least: number; readonly largest: number; readonly rank: number } | null;
  /**
   * A minimiser of the population risk: of ½(w·x − y)² for a linear response and of the sine link for its own
   * (second moments finite, noise of mean zero), of log(1 + exp(−y w·x)) for a logistic one (features of
   * finite mean absolute value), of the softmax loss for softmax, where it is one of many. `null` where that
   * fails, for a sign and for groups. The only one at full rank.
   *
   * With balanced signs the mean record of the data themselves is 0 too, exactly.
   */
  readonly optimum: Float64Array | null;
  /**
   * Least population risk ½E[noise²] of the squared loss, or of the sine link; `null` without a closed form.
   */
  readonly minimalRisk: number | null;
  /** μ with `μ(F − F*) ≤ ½‖∇F‖²` for the population risk of the same loss; `null` if it is unknown. */
  readonly growth: number | null;
}

/** Facts about the population that a description draws from. */
export function populationFacts(
  { features, columns, rank, response }: ParsedSyntheticSpec,
  weights: Float64Array,
): PopulationFacts {
  let feature: Moments | readonly Moments[];
  if (features.law === 'balanced-signs') feature = momentsOfSigns(features);
  else if (features.law === 'multivariate-t') feature = momentsOfEntry(features);
  else if (features.law === 'sphere') feature = momentsOnSphere(features, rank ?? columns);
  else feature = momentsOf(features);
  const noise = 'noise' in response ? momentsOf(response.noise) : null;
  const spectrum = response.kind === 'groups' ? null : spectrumOf([feature].flat(), rank ?? columns);
  const hasOptimum =
    noise !== null
      ? spectrum !== null && noise.second < Infinity && noise.mean === 0
      : (response.kind === 'logistic' || response.kind === 'softmax') &&
        [feature].flat().every(({ mean }) => mean !== null);
  const isRegression = noise !== null && hasOptimum && spectrum !== null;
  const growthOf = () => {
    if (isRegression) {
      if (response.kind === 'sine-link')
        return sineLinkGrowth({ amplitude: response.amplitude, leastEigenvalue: spectrum.least });
      return spectrum.least;
    }
    return null;
  };
  return {
    feature,
    noise,
    spectrum,
    optimum: hasOptimum ? weights.slice() : null,
    minimalRisk: isRegression ? noise.second / 2 : null,
    growth: growthOf(),
  };
}

/**
 * Independent entries of one law have
 * `E[x xᵀ] = variance·I + mean²·11ᵀ`; where columns differ,
 * their means are 0.
 */
function spectrumOf(moments: readonly Moments[], rank: number): PopulationFacts['spectrum'] {
  if (moments.some(({ mean, second }) => mean === null || second === Infinity)) return null;
  const [first] = moments as readonly [Moments];
  const seconds = moments.map(({ second }) => second);
  const square = defined(first.mean) ** 2;
  if (moments.length > 1) return { least: Math.min(...seconds), largest: Math.max(...seconds), rank };
  const variance = first.second - square;
  // So near to a constant that nothing of the difference is left.
  if (variance !== 0 && !(variance > 1e-9 * square)) return null;
  return {
    least: rank === 1 || variance === 0 ? variance + rank * square : variance,
    largest: variance + rank * square,
    rank: variance === 0 ? 1 : rank,
  };
}
