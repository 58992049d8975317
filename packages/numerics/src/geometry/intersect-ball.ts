import { InvalidParameter } from '../errors.js';
import { bisectBracket } from '../search/bisect.js';
import { findRoot } from '../search/find-root.js';
import type { Domain } from './domain.js';
import { distance2, l2Ball, type L2Ball } from './l2-ball.js';
import { projectionOf } from './projection.js';
import { projectOntoMeetingSphere } from './two-balls.js';
import { requireLength } from './vectors.js';

/** A ball to intersect with. */
export interface Ball {
  readonly centre: Float64Array;
  readonly radius: number;
}

const isBall = (domain: Domain): domain is L2Ball => domain.name === 'l2-ball';

/**
 * Projection when both constraints are active. The nearest point is `Π_W(c + t (point − c))` for the largest
 * `t` in [0, 1] at which it is in the ball around `c` (`1/t − 1` is the ball's multiplier), and its distance
 * from `c` grows with `t`. The bracket of `t` ends at a width that moves the result by less than
 * `2^-52 · radius`, since `Π_W` is non-expansive.
 */
function searchInto(out: Float64Array, point: Float64Array, domain: Domain, ball: L2Ball): void {
  const { centre, radius } = ball;
  const at = (t: number): Float64Array => {
    for (let index = 0; index < out.length; index++) out[index] = (1 - t) * centre[index] + t * point[index];
    return domain.projectInto(out, out);
  };
  const excess = (t: number): number => distance2(at(t), centre) - radius;
  if (excess(0) >= 0) return;
  const tolerance = 2 ** -52 * Math.min(1, radius / distance2(point, centre));
  const rough = findRoot(excess, 0, 1, { tolerance, maximumProbes: 60 });
  const { lower, upper } = bisectBracket(excess, rough.lower, rough.upper, { tolerance });
  if (!ball.contains(at(upper))) at(lower);
}

/**
 * The intersection of a domain with the ball `‖x − centre‖₂ ≤ radius`.
 *
 * Exact cases first: a point of both sets, or a projection onto one set that lies in the other. Otherwise two
 * balls have a closed form; other domains (also intersections) use a search over the ball's multiplier with
 * about 10 projections onto the domain. The result always satisfies `contains` of both sets. Its error is a
 * few units in the last place of the radius in well-conditioned cases, and of order 2^-26 of the radius if
 * the boundaries are nearly tangent.
 *
 * @throws {InvalidParameter} unless the ball is valid, of the domain's dimension, and meets the domain.
 */
export function intersectBall(domain: Domain, { centre, radius }: Ball): Domain {
  const { dimension } = domain;
  requireLength('centre', centre, dimension);
  const ball = l2Ball({ centre, radius });
  const nearest = domain.projectInto(new Float64Array(dimension), centre);
  if (!ball.contains(nearest)) {
    const distance = distance2(nearest, centre);
    throw new InvalidParameter(
      `the ball of radius ${radius} does not meet the ${domain.name}, ` +
        `which is ${distance} away from its centre`,
      { radius, distance },
    );
  }
  const contains = (point: Float64Array, tolerance?: number): boolean =>
    domain.contains(point, tolerance) && ball.contains(point, tolerance);
  return {
    name: 'intersection',
    dimension,
    diameter: Math.min(domain.diameter, ball.diameter),
    centre: nearest,
    contains,
    projectInto: projectionOf(dimension, contains, (out, point) => {
      const target = point.slice();
      if (ball.contains(domain.projectInto(out, target))) return out;
      if (domain.contains(ball.projectInto(out, target))) return out;
      if (isBall(domain) && projectOntoMeetingSphere(out, target, domain, ball)) return out;
      searchInto(out, target, domain, ball);
      return out;
    }),
  };
}
