import type { Domain } from '@lethe/numerics';
import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import fc from 'fast-check';
import { both, exceeds, firstOf } from '../../common/compare.js';
import { tenTo } from '../../common/inputs.js';
import { minus, norm } from '../../common/vectors.js';
import { sizes } from './discrete-distributions.js';
import { clipped } from './release.js';
import type { OracleSubject } from './subject.js';

const dimension = 3;
const points = fc.array(sizes, { minLength: dimension, maxLength: dimension });
const radii = tenTo(-2, 2);
const inner = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, entry, j) => sum + entry * b[j], 0);

/** `W`: balls, boxes and simplices that contain the origin or a point near it. */
const domains = fc.oneof(
  radii.map((radius) => ({ name: 'l2-ball', params: { radius } })),
  radii.map((upper) => ({ name: 'box', params: { lower: -upper / 3, upper } })),
  radii.map((total) => ({ name: 'simplex', params: { total } })),
);

/**
 * Conditions of a projection of `y`: it is in the set, idempotent, and has no acute angle to any point of the
 * set.
 */
function projects(
  set: Pick<Domain, 'projectInto'>,
  contains: (point: Float64Array) => boolean,
  y: readonly number[],
  others: readonly (readonly number[])[],
): Violation | undefined {
  const project = (point: ArrayLike<number>): Float64Array =>
    set.projectInto(new Float64Array(dimension), Float64Array.from(point));
  const out = project(y);
  const again = project(out);
  if (!contains(out)) return { what: 'a projection is not in the set' };
  return firstOf([
    exceeds({ what: 'what a second projection moves', got: norm(minus(again, out)), most: 1e-9 * norm(out) }),
    ...others.map((other) => {
      const x = project(other);
      const size =
        (norm(y) + norm(other) + norm(x)) * (norm(minus(y, out)) + norm(minus(x, out)) + 1e-3 * norm(x));
      return firstOf([
        exceeds({
          what: 'the product with the way to another point of the set',
          got: inner(minus(out, x), minus(out, y)),
          most: 1e-7 * size,
        }),
        exceeds({
          what: 'the distance of two projections',
          got: norm(minus(out, x)),
          most: norm(minus(y, other)) + 1e-8 * (norm(y) + norm(other)),
        }),
      ]);
    }),
  ]);
}

/** Row C1. */
export const projections = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/projections',
    tier: 'search',
    statement:
      'the clip, a domain, a domain cut by a ball and proximal maps are projections: results lie in the ' +
      'set, projection is idempotent and non-expansive, and angles to the set are obtuse; the clip does ' +
      'not change vectors inside the ball, bit for bit',
    power:
      'a relative error of 1e-9 of the clip on 300 pairs of vectors with entries from 1e-150 to 1e150; ' +
      '1e-7 of angles and 1e-8 of distances on 200 cut domains and 200 proximal maps in three dimensions',
    run: (env) =>
      both(
        () =>
          env.forAll(
            fc.record({ x: points, y: points, radius: radii, unit: fc.constantFrom(1, 1e-150, 1e147) }),
            ({ x, y, radius, unit }) => {
              const [a, b] = [x, y].map((z) => z.map((entry) => entry * unit));
              const r = radius * unit;
              const out = clipped(subject, r, a);
              const length = norm(a.map((entry) => entry / unit));
              const inside = length <= radius * (1 - 1e-12);
              return firstOf([
                exceeds({ what: 'the norm of a clipped vector', got: norm(out), most: r }),
                clipped(subject, r, out).every((entry, j) => Object.is(entry, out[j]))
                  ? undefined
                  : { what: 'a second clip changes the vector' },
                !inside || out.every((entry, j) => Object.is(entry, a[j]))
                  ? undefined
                  : { what: 'a vector inside the ball is changed' },
                inside || length <= radius * (1 + 1e-12)
                  ? undefined
                  : exceeds({
                      what: 'how far a clipped vector is from its own direction',
                      got: norm(
                        minus(
                          out,
                          a.map((entry) => entry * (radius / length)),
                        ),
                      ),
                      most: 1e-9 * r,
                    }),
                exceeds({
                  what: 'the distance of two clipped vectors',
                  got: norm(minus(out, clipped(subject, r, b))),
                  most: norm(minus(a, b)) + 1e-12 * r,
                }),
              ]);
            },
            {
              runs: 300,
              examples: [
                { x: [0, 0, 0], y: [1, 0, 0], radius: 1, unit: 1 },
                { x: [1, 0, 0], y: [-1, 0, 0], radius: 1, unit: 1 },
                { x: [0.1, 0.9, 0], y: [5, 5, 5], radius: 1, unit: 1e147 },
              ],
            },
          ),
        () =>
          env.forAll(
            fc.record({
              domain: domains,
              ball: radii,
              centre: points,
              y: points,
              others: fc.array(points, { minLength: 3, maxLength: 3 }),
            }),
            ({ domain: reference, ball, centre, y, others }) => {
              const domain = subject.buildDomain(reference, dimension);
              const middle = domain.projectInto(new Float64Array(dimension), Float64Array.from(centre));
              const cut = subject.intersectBall(domain, { centre: middle, radius: ball });
              const inBall = (point: Float64Array): boolean =>
                norm(minus(point, middle)) <= ball * (1 + 1e-9) + 1e-12 * norm(middle);
              return (
                projects(domain, (point) => domain.contains(point), y, others) ??
                projects(cut, (point) => domain.contains(point) && inBall(point), y, others)
              );
            },
            { runs: 200 },
          ),
        () =>
          env.forAll(
            fc.record({
              name: fc.constantFrom('l1', 'group', 'l2-squared'),
              strength: tenTo(-1, 1),
              eta: tenTo(-1, 1),
              z: points,
              others: fc.array(points, { minLength: 3, maxLength: 3 }),
            }),
            ({ name, strength, eta, z, others }) => {
              const proximal = subject.buildProximal(
                { name, params: name === 'group' ? { strength, groups: [[0, 2], [1]] } : { strength } },
                dimension,
              );
              const at = (point: readonly number[]): Float64Array =>
                proximal.proxInto(new Float64Array(dimension), Float64Array.from(point), eta);
              const out = at(z);
              const objective = (y: ArrayLike<number>): number =>
                eta * proximal.value(Float64Array.from(y)) + norm(minus(y, z)) ** 2 / 2;
              const least = objective(out);
              return firstOf(
                others.flatMap((other) => [
                  // The objective is strongly convex: at any other point it exceeds its minimum by at least
                  // half the squared distance.
                  exceeds({
                    what:
                      'the proximal objective at its minimiser, ' +
                      'with half the squared distance to another point',
                    got: least + norm(minus(other, out)) ** 2 / 2,
                    most: objective(other),
                    slack: 1e-9,
                  }),
                  exceeds({
                    what: 'the distance of two proximal points',
                    got: norm(minus(at(other), out)),
                    most: norm(minus(other, z)) + 1e-12 * (norm(z) + norm(other)),
                  }),
                ]),
              );
            },
            { runs: 200 },
          ),
      ),
  });
