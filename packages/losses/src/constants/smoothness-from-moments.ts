import { InvalidParameter, type Fact } from '@lethe/core';
import { multiplyUp, normalQuantileBounds } from '@lethe/numerics';
import type { ReleasedMoments } from './squared-features.js';

/** For {@link smoothnessFromMoments}. */
export interface MomentsOptions extends ReleasedMoments {
  /** Largest second derivative of the loss in the margin, from `lossCurvature`. */
  readonly curvature: number;
  /** Probability with which all the constants hold, within (0, 1). */
  readonly confidence: number;
}

/** Covers the rounding of a mean of up to a hundred million records, and of the products here. */
const slack = 2 ** -24;

/**
 * Smoothness constants of single coordinates from second moments that were released with Gaussian noise:
 * `h·(m_j + z·σ_j)`, where `z` leaves every coordinate its share of what `confidence` lacks, and never more
 * than `h·B_j²`. Core's `componentSmoothness` makes of them constants for steps along several coordinates,
 * which hold whenever these do.
 *
 * Privacy never rests on them: they are no facts about every record, and a plan that reads them costs what it
 * says even where noise made them too small; then only its utility bound is lost. `confidence` is over the
 * noise alone, whatever the records.
 *
 * @returns the fact `coordinateSmoothness`, with provenance `released`; each is positive.
 * @throws {InvalidParameter} when lengths disagree, or a number is outside its domain.
 */
export function smoothnessFromMoments({
  moments,
  noise,
  largest,
  curvature,
  confidence,
}: MomentsOptions): Readonly<Record<string, Fact>> {
  const columns = moments.length;
  const fits =
    columns > 0 &&
    noise.length === columns &&
    largest.length === columns &&
    moments.every(Number.isFinite) &&
    noise.every((sigma) => sigma >= 0 && Number.isFinite(sigma)) &&
    largest.every((most) => most > 0 && Number.isFinite(most));
  if (!fits)
    throw new InvalidParameter(
      'moments, noise and largest need as many finite entries, at least one; noise may not be negative ' +
        `and largest is positive; got ${columns}, ${noise.length} and ${largest.length} entries`,
      { moments: columns, noise: noise.length, largest: largest.length },
    );
  if (!(curvature > 0 && Number.isFinite(curvature)))
    throw new InvalidParameter(`curvature is ${curvature}; it must be positive and finite`, { curvature });
  if (!(confidence > 0 && confidence < 1))
    throw new InvalidParameter(`confidence is ${confidence}; it must be between 0 and 1, such as 0.99`, {
      confidence,
    });
  const quantile = Math.max(0, -normalQuantileBounds((1 - confidence) / columns).lower);
  const each = Array.from(moments, (moment, j) => {
    const most = largest[j];
    const upper = Math.max(0, moment) + quantile * noise[j] + slack * most;
    return multiplyUp(curvature, Math.min(upper, most));
  });
  const value = each.reduce((most, one) => Math.max(most, one));
  return { coordinateSmoothness: { value, each, scope: 'population', provenance: 'released' } };
}
