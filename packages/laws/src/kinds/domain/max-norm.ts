import type { Domain } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { normOf } from '../../engines/norms.js';
import { inEverySet, minus, nearbyPoints, project, sizeOf } from './sets.js';

/** Rounds of alternating projections. */
const rounds = 40;

/**
 * A point of the set and of the cube of half side `r` around `x`, up to `rounding`; undefined where none is
 * found.
 */
function meeting(domain: Domain, x: Float64Array, r: number, rounding: number): Float64Array | undefined {
  let member = project(domain, x);
  for (let k = 0; k < rounds; k++) {
    const inCube = member.map((value, j) => Math.min(Math.max(value, x[j] - r), x[j] + r));
    if (normOf('linf', minus(member, inCube)) <= rounding) return member;
    member = project(domain, inCube);
  }
  return undefined;
}

/** The nearest point in the maximum norm; for sets that have one. */
export const nearestInMaxNorm = defineLaw<'domain'>({
  id: 'domain/nearest-in-max-norm',
  kind: 'domain',
  tier: 'search',
  statement:
    'nearestInMaxNormInto writes a member, leaves members as they are, ' +
    'and no member is nearer in the maximum norm',
  power:
    'a distance 2 % too large, where alternating projections onto the set and a cube meet within 40 ' +
    'rounds, for 100 points in each dimension',
  check: (subject, env) =>
    inEverySet(subject, env, (domain) =>
      env.forAll(
        nearbyPoints(domain),
        (x): Violation | undefined => {
          const { nearestInMaxNormInto: nearest } = domain;
          if (nearest === undefined) return undefined;
          const found = nearest.call(domain, new Float64Array(domain.dimension), x.slice());
          const shown = `[${Array.from(found).join(', ')}]`;
          if (!domain.contains(found)) return { what: `${shown} is not in the set`, input: x };
          const far = normOf('linf', minus(found, x));
          if (domain.contains(x))
            return far === 0 ? undefined : { what: `a member is moved to ${shown}`, input: x, measured: far };
          const rounding = 2 ** -30 * (sizeOf(domain) + normOf('linf', x));
          if (far <= 2 ** 10 * rounding) return undefined;
          const nearer = meeting(domain, x, 0.98 * far, rounding);
          if (nearer === undefined) return undefined;
          return {
            what: `the member [${Array.from(nearer).join(', ')}] is nearer in the maximum norm than ${shown}`,
            measured: far,
            allowed: normOf('linf', minus(nearer, x)),
            input: x,
          };
        },
        { runs: 100 },
      ),
    ),
});
