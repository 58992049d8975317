import { defined, norm2 } from '@lethe/numerics';
import { each } from '../common/each.js';
import type { SparseGradientsSubject } from './subject.js';

/** Lattice points with at most `entries` coordinates off zero, in the ball of that radius. */
export function latticePoints(
  dimension: number,
  spacing: number,
  entries: number,
  radius: number,
): readonly Float64Array[] {
  const steps = Math.floor(radius / spacing);
  let found: readonly (readonly number[])[] = [[]];
  for (let j = 0; j < dimension; j++)
    found = found.flatMap((point) => each(2 * steps + 1, (k) => [...point, (k - steps) * spacing]));
  return found
    .map((point) => Float64Array.from(point))
    .filter(
      (point) => point.filter((x) => x !== 0).length <= entries && norm2(point) <= radius * (1 + 1e-12),
    );
}

/** Probabilities of a choice by average losses `risks` of `n` records, whose losses differ by at most `B`. */
export const choiceOf =
  ({ exponential }: Pick<SparseGradientsSubject, 'exponential'>) =>
  (risks: readonly number[], records: number, range: number, epsilon: number): Float64Array =>
    defined(
      exponential.probabilities(
        {},
        Float64Array.from(risks, (risk) => (-risk * records) / range),
        epsilon,
      ),
    );
