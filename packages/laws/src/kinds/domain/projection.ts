import { defined, type Domain } from '@lethe/numerics';
import fc from 'fast-check';
import { declines } from '../../law/declines.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { sameBits } from '../curator/outcomes.js';
import {
  inEverySet,
  inexact,
  inner,
  length,
  minus,
  nearbyPoints,
  pairsAround,
  pointsAround,
  project,
  sizeOf,
} from './sets.js';

/** Sizes of a set from which on only the direction of a point tells its projection. */
const horizon = 2 ** 24;

/**
 * Points so far away that the set is small beside them, or a point, in signs of every kind: 2²⁴ times its
 * size, and so far that squares overflow.
 */
const farPairs = (domain: Domain): fc.Arbitrary<readonly [Float64Array, Float64Array]> =>
  fc
    .tuple(
      fc.array(fc.constantFrom(1, -1, 0, 0.5), { minLength: domain.dimension, maxLength: domain.dimension }),
      fc.constantFrom(horizon * sizeOf(domain), 2 ** 600),
    )
    .map(([signs, far]) => [domain.centre.map((x, j) => x + far * signs[j]), domain.centre.slice()] as const);

/** The projection is the nearest member. */
export const nearest = defineLaw<'domain'>({
  id: 'domain/nearest',
  kind: 'domain',
  tier: 'search',
  statement: '⟨x − Π(x), y − Π(x)⟩ ≤ 0 for every member y, up to rounding: no member is nearer than Π(x)',
  power:
    'an error of the projection of more than 2⁻²⁴ of the lengths involved, ' +
    'for 200 points in each dimension against a random member, the centre and a refined one',
  check: (subject, env) =>
    inEverySet(subject, env, (domain) =>
      env.forAll(
        fc.oneof({ weight: 9, arbitrary: pairsAround(domain) }, { weight: 1, arbitrary: farPairs(domain) }),
        ([x, elsewhere]) => {
          const p = project(domain, x);
          // Of points beyond the horizon the direction: their lengths have no squares.
          const beyond = Math.max(1, length(x) / (64 * horizon * sizeOf(domain)));
          const out = minus(x, p).map((entry) => entry / beyond);
          const far = length(out);
          if (!(far > 0)) return undefined;
          // The member that maximises the inequality lies in the
          // direction of x, or beyond the boundary found so far.
          const halfway = p.map((value, j) => value + out[j] / 2);
          const members = [
            project(domain, elsewhere),
            domain.centre.slice(),
            project(domain, halfway),
            project(
              domain,
              p.map((value, j) => value + (out[j] / far) * Math.min(far, sizeOf(domain))),
            ),
            project(
              domain,
              elsewhere.map((value, j) => value + 4 * out[j]),
            ),
          ];
          for (const y of members) {
            const away = minus(y, p);
            const product = inner(out, away);
            const allowed =
              inexact * (far + length(away)) * (length(p) + length(y) + sizeOf(domain) * inexact) +
              2 ** -44 * (length(x) / beyond) * (far + length(away));
            if (!(product <= allowed))
              return {
                what:
                  `the member [${Array.from(y).join(', ')}] lies on x's side of the projection ` +
                  `[${Array.from(p).join(', ')}], so that points between the two are nearer to x`,
                measured: product,
                allowed,
                input: x,
              };
          }
          return undefined;
        },
        { runs: 200 },
      ),
    ),
});

/** Projecting never increases the distance of two points. */
export const nonExpansive = defineLaw<'domain'>({
  id: 'domain/non-expansive',
  kind: 'domain',
  tier: 'search',
  statement: '‖Π(x) − Π(y)‖ ≤ ‖x − y‖, up to rounding',
  power:
    'an increase of a distance by more than 2⁻²⁴ of the lengths involved, ' +
    'for 200 pairs in each dimension, half of them close together',
  check: (subject, env) =>
    inEverySet(subject, env, (domain) =>
      env.forAll(
        fc.tuple(pairsAround(domain), fc.constantFrom(1, 1, 2 ** -4, 2 ** -8)),
        ([[x, far], share]) => {
          const y = x.map((value, j) => value + share * (far[j] - value));
          const [p, q] = [project(domain, x), project(domain, y)];
          const apart = length(minus(p, q));
          const before = length(minus(x, y));
          const allowed = before + inexact * (length(p) + length(q)) + 2 ** -44 * (length(x) + length(y));
          return apart <= allowed
            ? undefined
            : {
                what: 'the projections of two points are farther apart than the points',
                measured: apart,
                allowed: before,
                input: { x, y },
              };
        },
        { runs: 200 },
      ),
    ),
});

/** Coordinate projections agree with the projection of the whole vector. */
export const coordinate = defineLaw<'domain'>({
  id: 'domain/coordinate',
  kind: 'domain',
  tier: 'search',
  statement:
    'where coordinate is declared, coordinate(j, x_j) is entry j of the projection of x; ' +
    'where unconstrained is declared, the projection is x itself',
  power: 'any bit of one coordinate, 200 points in each dimension',
  check: (subject, env) =>
    inEverySet(subject, env, (domain) =>
      env.forAll(
        pointsAround(domain),
        (x) => {
          const p = project(domain, x);
          const { coordinate: one } = domain;
          const wrong = one === undefined ? -1 : p.findIndex((value, j) => !Object.is(value, one(j, x[j])));
          if (wrong >= 0)
            return {
              what:
                `coordinate ${wrong} of the projection is ${p[wrong]}; coordinate(${wrong}, ` +
                `…) says ${defined(one)(wrong, x[wrong])}`,
              input: x,
            };
          return domain.unconstrained === true && !sameBits(p, x)
            ? { what: 'unconstrained is true, and the projection moves a point', input: x }
            : undefined;
        },
        { runs: 200 },
      ),
    ),
});

/** Output arrays: which are written and which must not change. */
export const inPlace = defineLaw<'domain'>({
  id: 'domain/in-place',
  kind: 'domain',
  tier: 'search',
  statement:
    'projectInto writes to out and returns it, also when out is the point itself; ' +
    'it changes nothing else and stores no reference to an array',
  power: 'any bit, 80 pairs of points in each dimension',
  check: (subject, env) =>
    inEverySet(subject, env, (domain) =>
      env.forAll(
        fc.tuple(pointsAround(domain), nearbyPoints(domain)),
        ([x, other]): Violation | undefined => {
          const home = domain.centre.slice();
          const once = project(domain, x);
          const point = x.slice();
          const out = new Float64Array(x.length).fill(NaN);
          if (domain.projectInto(out, point) !== out)
            return { what: 'projectInto does not return the array to write to', input: x };
          if (!sameBits(point, x))
            return {
              what: 'projectInto changes the point it projects, although out is another array',
              input: x,
            };
          if (!sameBits(out, once)) return { what: 'two projections of the same point differ', input: x };
          const same = x.slice();
          if (domain.projectInto(same, same) !== same || !sameBits(same, once))
            return {
              what:
                `projected in place, the point becomes [${Array.from(same).join(', ')}]; ` +
                `into another array, [${Array.from(once).join(', ')}]`,
              input: x,
            };
          point.fill(7);
          out.fill(7);
          same.fill(7);
          project(domain, other);
          const { plugin, params, registry } = subject;
          if (!sameBits(domain.centre, home))
            return { what: 'projecting changes the centre of the set', input: x };
          if (!sameBits(project(domain, x), once))
            return {
              what: 'the projection of a point changes after another point was projected',
              input: { x, other },
            };
          return sameBits(project(plugin.build(params, domain.dimension, registry), x), once)
            ? undefined
            : { what: 'the projection of a set built twice differs', input: x };
        },
        { runs: 80 },
      ),
    ),
});

/** Points without a projection are refused before anything is written. */
export const refuses = defineLaw<'domain'>({
  id: 'domain/refuses',
  kind: 'domain',
  tier: 'search',
  statement:
    'a point with a NaN or infinite coordinate, or of another length, ' +
    'is refused with InvalidParameter; out is then unchanged',
  power: 'certain for each of 20 invalid points in each dimension and three wrong lengths',
  check: (subject, env) =>
    inEverySet(subject, env, (domain) =>
      env.forAll(
        fc.tuple(
          nearbyPoints(domain),
          fc.nat(domain.dimension - 1),
          fc.constantFrom(NaN, Infinity, -Infinity),
        ),
        ([point, at, special]) => {
          const { dimension } = domain;
          const spoilt = point.with(at, special);
          return (
            refused(domain, `a point with a coordinate ${special}`, spoilt, dimension) ??
            refused(domain, 'a point with one coordinate too few', point.slice(1), dimension) ??
            refused(
              domain,
              'a point with one coordinate too many',
              Float64Array.of(...point, 0),
              dimension,
            ) ??
            refused(domain, 'an output array with one coordinate too many', point, dimension + 1) ??
            declines(
              () => domain.contains(point.slice(1)),
              'contains of a point with one coordinate too few',
              point,
            )
          );
        },
        { runs: 20 },
      ),
    ),
});

function refused(domain: Domain, what: string, point: Float64Array, length_: number): Violation | undefined {
  const out = new Float64Array(length_).fill(0.625);
  const same = point.slice();
  return (
    declines(() => domain.projectInto(out, point), what, point) ??
    (out.every((x) => x === 0.625)
      ? undefined
      : { what: `${what} is refused after out was written to`, input: point }) ??
    (length_ !== point.length ||
    declines(() => domain.projectInto(same, same), `${what}, in place,`, point) === undefined
      ? undefined
      : { what: `${what} is not refused in place`, input: point }) ??
    (same.every((x, j) => Object.is(x, point[j]))
      ? undefined
      : { what: `${what} is refused in place after it was written to`, input: point })
  );
}
