import { domainAt, type Candidates, type Vector } from '@lethe/core';
import { InvalidParameter, Unsupported } from '@lethe/numerics';
import type { PublicContext } from './context.js';
import { assertVector } from './validate.js';

/** More candidates than anyone waits for; each costs a pass over the batch. */
const mostCandidates = 1e7;

/**
 * The public candidates of a choice, enumerated lazily: a list, or the points of a lattice inside a domain
 * with at most `sparsity` coordinates off its centre.
 *
 * @throws {InvalidParameter} when there is none, or a point does not fit.
 * @throws {Unsupported} for an unbounded domain, or more candidates than can be scored.
 */
export function candidatesOf(
  { dimension, registry }: Pick<PublicContext, 'dimension' | 'registry'>,
  candidates: Candidates,
): () => Iterable<Vector> {
  if (candidates.by === 'list') {
    const { points } = candidates;
    if (points.length === 0)
      throw new InvalidParameter('the list of candidates is empty; give at least one point', {
        candidates: 0,
      });
    points.forEach((point, i) => assertVector(`candidate ${i}`, point, dimension));
    return () => points;
  }
  const { spacing, sparsity } = candidates;
  if (!(spacing > 0 && Number.isFinite(spacing)))
    throw new InvalidParameter(`the lattice's spacing is ${spacing}; it must be positive and finite`, {
      spacing,
    });
  if (!Number.isSafeInteger(sparsity) || sparsity < 0)
    throw new InvalidParameter(
      `the lattice's sparsity is ${sparsity}; it must be a whole number, 0 or more`,
      { sparsity },
    );
  const domain = domainAt(registry, candidates.domain, dimension);
  if (!Number.isFinite(domain.diameter))
    throw new Unsupported(
      `a lattice in the unbounded domain '${domain.name}' has infinitely many points; bound the domain`,
      { domain: domain.name },
    );
  const reach = stepsWithin(Math.min(domain.reach ?? domain.diameter, domain.diameter), spacing);
  const size = latticeSize(dimension, sparsity, reach);
  if (!(size <= mostCandidates)) {
    throw new Unsupported(
      `the lattice has ${size} points to try, and at most ${mostCandidates} are tried; ` +
        'widen its spacing or lower its sparsity',
      { spacing, sparsity, dimension, size },
    );
  }
  function* walk(point: Vector, from: number, left: number): Generator<Vector> {
    if (domain.contains(point)) yield point.slice();
    if (left === 0) return;
    for (let j = from; j < point.length; j++) {
      const centre = point[j];
      for (let step = -reach; step <= reach; step++) {
        if (step === 0) continue;
        point[j] = centre + step * spacing;
        yield* walk(point, j + 1, left - 1);
      }
      point[j] = centre;
    }
  }
  const points = (): Generator<Vector> => walk(domain.centre.slice(), 0, sparsity);
  if (points().next().done === true)
    throw new InvalidParameter(
      `no point of the lattice lies in the domain '${domain.name}'; change its spacing`,
      { spacing, domain: domain.name },
    );
  return points;
}

/** Steps of a lattice along an axis, beyond which no point is within a distance of its centre. */
export const stepsWithin = (distance: number, spacing: number): number =>
  Math.floor((distance / spacing) * (1 + 2 ** -40));

/**
 * Points of a lattice with at most `sparsity` of `dimension` coordinates off the centre, each by at most
 * `steps` steps to either side.
 */
export function latticeSize(dimension: number, sparsity: number, steps: number): number {
  let sum = 0;
  let ways = 1;
  for (let k = 0; k <= Math.min(sparsity, dimension); k++) {
    sum += ways;
    // In this order whole numbers stay whole, as far as doubles hold them.
    ways = (ways * (dimension - k) * 2 * steps) / (k + 1);
  }
  return sum;
}
