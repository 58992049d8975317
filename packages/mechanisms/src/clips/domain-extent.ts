import {
  addUp,
  divideDown,
  divideUp,
  multiplyUp,
  nextUp,
  sqrtUp,
  subtractDown,
  subtractUp,
  sumUp,
  type Domain,
} from '@lethe/numerics';
import { domainAt, Unsupported, type DomainReference } from '@lethe/core';
import { domains } from '../domains/index.js';
import { normUp } from './norm-up.js';

/** Lengths of a bounded convex set, measured from the origin. */
export interface DomainExtent {
  /** Largest ℓ2 norm of a point, or an upper bound of it. */
  readonly farthest: number;
  /**
   * Lower bound on the radius of the largest ball around the origin inside the
   * set; if the origin is outside, minus its distance from the set.
   */
  readonly inner: number;
  /** Radius of the smallest ball that contains the set, or an upper bound of it. */
  readonly circumradius: number;
}

type Bound = number | readonly number[];
interface Ball {
  readonly radius: number;
  readonly centre?: readonly number[];
}

const spread = (bound: Bound, dimension: number): readonly number[] =>
  typeof bound === 'number' ? Array.from({ length: dimension }, () => bound) : bound;

function ball({ radius, centre = [] }: Ball): DomainExtent {
  const away = normUp(centre);
  return { farthest: addUp(away, radius), inner: subtractDown(radius, away), circumradius: radius };
}

/**
 * The vertices are `centre ± radius` on one axis; the farthest is on the axis of the largest centre entry.
 */
function crossPolytope({ radius, centre = [0] }: Ball, dimension: number): DomainExtent {
  const sizes = centre.map(Math.abs);
  const longest = sizes.indexOf(Math.max(...sizes));
  const inner = subtractDown(radius, sumUp(sizes));
  return {
    farthest: normUp(sizes.with(longest, addUp(sizes[longest], radius))),
    inner: inner <= 0 ? inner : divideDown(inner, sqrtUp(dimension)),
    circumradius: radius,
  };
}

function interval(
  { lower, upper }: { readonly lower: Bound; readonly upper: Bound },
  dimension: number,
): DomainExtent {
  const low = spread(lower, dimension);
  const high = spread(upper, dimension);
  return {
    farthest: normUp(low.map((x, j) => Math.max(Math.abs(x), Math.abs(high[j])))),
    inner: low.reduce((least, x, j) => Math.min(least, -x, high[j]), Infinity),
    circumradius: normUp(low.map((x, j) => divideUp(subtractUp(high[j], x), 2))),
  };
}

function extentOf({ name, params }: DomainReference, dimension: number): DomainExtent {
  const fields: unknown = params ?? {};
  switch (name) {
    case 'l2-ball':
      return ball(fields as Ball);
    case 'l1-ball':
      return crossPolytope(fields as Ball, dimension);
    case 'box':
      return interval(fields as { readonly lower: Bound; readonly upper: Bound }, dimension);
    case 'simplex': {
      const { total = 1 } = fields as { readonly total?: number };
      return {
        farthest: total,
        inner: -1,
        circumradius: multiplyUp(total, sqrtUp(divideUp(dimension - 1, dimension))),
      };
    }
    case 'intersection': {
      const parts = fields as { readonly domain: DomainReference; readonly ball: Ball };
      const one = extentOf(parts.domain, dimension);
      const other = ball(parts.ball);
      return {
        farthest: Math.min(one.farthest, other.farthest),
        inner: Math.min(one.inner, other.inner),
        circumradius: Math.min(one.circumradius, other.circumradius),
      };
    }
    default:
      return { farthest: Infinity, inner: Infinity, circumradius: Infinity };
  }
}

/** A set and its lengths. */
export interface BoundedDomain extends DomainExtent {
  readonly domain: Domain;
}

/**
 * The domain of a reference, with its lengths rounded to the safe side.
 *
 * @throws {Unsupported} on an unknown or unbounded set, and on one that is the origin alone.
 * @throws {InvalidParameter} on parameters that describe no set.
 */
export function boundedDomain(reference: DomainReference, dimension: number): BoundedDomain {
  const domain = domainAt(domains, reference, dimension);
  const extent = extentOf(reference, dimension);
  if (!(extent.farthest > 0 && extent.farthest < Infinity)) {
    throw new Unsupported(
      `points of the domain '${reference.name}' have norms up to ${extent.farthest}; a clip needs a ` +
        'bounded set with more than the origin in it, such as l2-ball, l1-ball, box or simplex',
      { domain: reference.name, farthest: String(extent.farthest) },
    );
  }
  // The nearest point is exact up to rounding in the unit of the set.
  const away = (): number =>
    -nextUp(
      normUp(domain.projectInto(new Float64Array(dimension), new Float64Array(dimension))) * (1 + 2 ** -40),
    );
  return { domain, ...extent, inner: extent.inner < 0 ? away() : extent.inner };
}
