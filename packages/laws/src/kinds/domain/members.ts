import type { Domain } from '@lethe/numerics';
import fc from 'fast-check';
import { type Violation, fails } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { inEverySet, length, minus, nearbyPoints, notFinite, pointsAround, project, sizeOf } from './sets.js';

const same = (a: Float64Array, b: Float64Array): boolean =>
  a.length === b.length && a.every((x, j) => x === b[j]);

/** Finite points at the ends of the doubles: very large or very small. */
const extremePoints = ({ dimension }: Domain): fc.Arbitrary<Float64Array> =>
  fc
    .array(
      fc.constantFrom(0, 1, -1, 1e154, -1e200, 1e300, Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, 1e-300),
      { minLength: dimension, maxLength: dimension, size: 'max' },
    )
    .map((entries) => Float64Array.from(entries));

/** Points beyond one extreme member on the line through another: in the plane of a set that lies in one. */
function beyondMembers(domain: Domain): readonly Float64Array[] {
  const last = domain.dimension - 1;
  const extreme = (axis: number): Float64Array =>
    project(domain, domain.centre.with(axis, domain.centre[axis] + 2 ** 24 * sizeOf(domain)));
  return [
    [0, last],
    [last, 0],
    [last, Math.floor(last / 2)],
  ].flatMap(([axis, other]) => {
    const [p, q] = [extreme(axis), extreme(other)];
    return [2 ** -10, 1].map((share) => p.map((x, j) => x + share * (x - q[j])));
  });
}

function atHome(domain: Domain): Violation | undefined {
  const { centre, dimension, diameter } = domain;
  const broken = notFinite('the centre', centre, dimension);
  if (broken !== undefined) return broken;
  if (!(diameter >= 0))
    return { what: `the diameter is ${diameter}; it must not be negative`, measured: diameter };
  if (!domain.contains(centre.slice()))
    return { what: 'the set does not contain its own centre', input: centre };
  const bad = [NaN, Infinity, -Infinity].find((special) =>
    Array.from({ length: dimension }, (_, j) => centre.with(j, special)).some(
      (point) => domain.contains(point) || domain.contains(point, 1),
    ),
  );
  return bad === undefined
    ? undefined
    : { what: `it contains a point with a coordinate ${bad}`, input: centre.with(0, bad) };
}

/** Membership and projection agree, and a second projection changes nothing. */
export const idempotent = defineLaw<'domain'>({
  id: 'domain/idempotent',
  kind: 'domain',
  tier: 'search',
  statement:
    'a projected point passes contains, and a point passes contains exactly when its projection is the ' +
    'point itself, bit for bit',
  power:
    'any bit, for 120 points in each of up to four dimensions, at distances of 1e-12 to 1e12 times the ' +
    'size of the set, at the ends of the doubles, and on lines through extreme members',
  check: (subject, env) =>
    inEverySet(subject, env, (domain) => {
      const home = atHome(domain);
      if (home !== undefined) return fails(1, home);
      return env.forAll(
        fc.oneof(
          { weight: 5, arbitrary: pointsAround(domain) },
          { weight: 1, arbitrary: extremePoints(domain) },
        ),
        (point) => {
          const nearest = project(domain, point);
          const broken = notFinite('a projected point', nearest, domain.dimension);
          if (broken !== undefined) return broken;
          if (!domain.contains(nearest))
            return {
              what: `the projection [${Array.from(nearest).join(', ')}] is not in the set`,
              input: point,
            };
          if (!same(project(domain, nearest), nearest))
            return {
              what: `projecting [${Array.from(nearest).join(', ')}] a second time moves it`,
              input: point,
            };
          if (domain.contains(point) && !same(nearest, point))
            return {
              what: `a point that passes contains is moved to [${Array.from(nearest).join(', ')}]`,
              input: point,
            };
          if (!domain.contains(point) && same(nearest, point))
            return { what: 'a point that does not pass contains is its own projection', input: point };
          return undefined;
        },
        { runs: 120, examples: beyondMembers(domain) },
      );
    }),
});

/** Distance from the set over the largest violation of an inequality, for one dimension: at most so much. */
const sharpest = 200;

/** A larger tolerance accepts more points. */
export const tolerance = defineLaw<'domain'>({
  id: 'domain/tolerance',
  kind: 'domain',
  tier: 'search',
  statement:
    'contains is monotone in the tolerance: a larger tolerance accepts every point ' +
    'that a smaller one accepts; members pass with any tolerance, ' +
    'points near the set with a tolerance many times their distance, and points farther from the set than ' +
    'it is wide with no tolerance that is a small part of their distance',
  power:
    'any of 60 points in each dimension, each with four tolerances around its distance from the set; a ' +
    'tolerance that counts 1000 times as much, in up to three dimensions',
  check: (subject, env) =>
    inEverySet(subject, env, (domain) =>
      env.forAll(
        fc.tuple(nearbyPoints(domain), fc.integer({ min: -20, max: 6 })),
        ([point, exponent]) => {
          // Inequalities are in the units of the coordinates: points
          // near the set violate each of them only slightly.
          const far = length(minus(point, project(domain, point)));
          const ample = 64 * domain.dimension * far;
          if (!domain.contains(point, ample))
            return {
              what: `the point lies ${far} from the set and does not pass contains with tolerance ${ample}`,
              input: point,
            };
          // A sharp corner lets points far out violate each inequality only slightly.
          const small = far / (sharpest * domain.dimension);
          if (far > sizeOf(domain) && domain.contains(point, small))
            return {
              what: `the point lies ${far} from the set and passes contains with tolerance ${small}`,
              measured: far,
              allowed: sharpest * domain.dimension * small,
              input: point,
            };
          const unit = (length(minus(point, project(domain, point))) || sizeOf(domain)) * 2 ** exponent;
          const tolerances = [0, unit, 2 * unit, 8 * unit];
          const passes = tolerances.map((allowed) => domain.contains(point, allowed));
          if (domain.contains(point) && passes.includes(false))
            return {
              what: `a member does not pass contains with tolerance ${tolerances[passes.indexOf(false)]}`,
              input: point,
            };
          const lost = passes.findIndex((is, i) => i > 0 && passes[i - 1] && !is);
          return lost < 0
            ? undefined
            : {
                what:
                  'the point passes contains with tolerance ' +
                  `${tolerances[lost - 1]} and not with ${tolerances[lost]}`,
                input: point,
              };
        },
        { runs: 60 },
      ),
    ),
});

/** The members form a convex set. */
export const convex = defineLaw<'domain'>({
  id: 'domain/convex',
  kind: 'domain',
  tier: 'search',
  statement: 'every point between two members is a member, up to rounding',
  power: 'a segment that leaves the set by more than 1e-9 of its size, 120 segments in each dimension',
  check: (subject, env) =>
    inEverySet(subject, env, (domain) =>
      env.forAll(
        fc.tuple(nearbyPoints(domain), nearbyPoints(domain), fc.integer({ min: 1, max: 7 })),
        ([one, other, eighths]) => {
          const [p, q] = [project(domain, one), project(domain, other)];
          const between = p.map((x, j) => x + ((q[j] - x) * eighths) / 8);
          const out = length(minus(between, project(domain, between)));
          const allowed = 2 ** -30 * (length(p) + length(q) + sizeOf(domain));
          return out <= allowed
            ? undefined
            : {
                what: `a point between two members lies ${out} outside`,
                measured: out,
                allowed,
                input: { members: [p, q], between },
              };
        },
        { runs: 120 },
      ),
    ),
});
