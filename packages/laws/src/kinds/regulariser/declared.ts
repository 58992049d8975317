import fc from 'fast-check';
import { fails, holds, type Finding } from '../../law/finding.js';
import { searchEach } from '../../law/search-each.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import { inner, minus } from '../domain/sets.js';
import { inEveryDimension, points, pointsOf, proxOf, steps, type InDimension } from './functions.js';

const rounding = 2 ** -36;

/** Coordinate maps agree with the proximal map of the whole vector. */
export const separable = defineLaw<'regulariser'>({
  id: 'regulariser/separable',
  kind: 'regulariser',
  tier: 'search',
  statement:
    'where coordinate is declared, coordinate(j, z_j, ' +
    'η) is entry j of the proximal point of z, up to rounding; a step of 0 moves no point of the domain',
  power: 'a relative error of 2⁻³⁶ in one coordinate, 200 points in each dimension',
  check: (subject, env) =>
    inEveryDimension(subject, ({ f, dimension }) => {
      const { coordinate } = f;
      if (coordinate === undefined) return holds(0);
      return env.forAll(
        fc.record({ z: points(dimension), eta: steps }),
        ({ z, eta }) => {
          const still = z.findIndex(
            (x, at) => !(Math.abs(coordinate(at, x, 0) - x) <= rounding * Math.abs(x)),
          );
          if (still >= 0 && f.domain?.contains(z) !== false)
            return {
              what:
                `coordinate(${still}, …) with a step of 0 moves ${z[still]} to ` +
                `${coordinate(still, z[still], 0)}`,
              input: { z, eta: 0 },
            };
          const p = proxOf(f, z, eta);
          const j = p.findIndex(
            (x, at) =>
              !(Math.abs(x - coordinate(at, z[at], eta)) <= rounding * (Math.abs(x) + Math.abs(z[at]))),
          );
          return j < 0
            ? undefined
            : {
                what:
                  `coordinate ${j} of the proximal point is ${p[j]}; coordinate(${j}, ` +
                  `…) says ${coordinate(j, z[j], eta)}`,
                input: { z, eta },
              };
        },
        { runs: 200 },
      );
    }),
});

/** The declarations that optimizers use are true. */
export const declared = defineLaw<'regulariser'>({
  id: 'regulariser/declared',
  kind: 'regulariser',
  tier: 'search',
  statement:
    'ridge, lasso, flat and domain are correct: the value is ½ Σ strength (y − centre)², ' +
    'or strength · ‖y‖₁; second differences vanish; it is finite exactly on the domain',
  power:
    'a relative error of 2⁻³⁶ of a value, a curvature at most of 100 Gaussian points, ' +
    'a point on the wrong side of the boundary, in each dimension',
  check: (subject, env) =>
    inEveryDimension(subject, (given) =>
      searchEach([ridge, lasso, flat, domain], (search) => search(given, env)),
    ),
});

const differs = (value: number, wanted: number, size: number): boolean =>
  !(Math.abs(value - wanted) <= rounding * size);

function ridge({ f, dimension }: InDimension, env: LawEnv): Finding {
  if (f.ridge === undefined) return holds(0);
  const { strength, centre } = f.ridge;
  return env.forAll(
    points(dimension),
    (y) => {
      const away = minus(y, centre);
      const wanted =
        inner(
          strength.map((one, j) => one * away[j]),
          away,
        ) / 2;
      const bad =
        strength.length !== dimension ||
        centre.length !== dimension ||
        !strength.every((one) => one > 0) ||
        differs(f.value(y), wanted, wanted);
      return bad
        ? { what: `the function is ${f.value(y)}; the ridge it declares is ${wanted}`, input: y }
        : undefined;
    },
    { runs: 100 },
  );
}

function lasso({ f, dimension }: InDimension, env: LawEnv): Finding {
  const { lasso: strength } = f;
  if (strength === undefined) return holds(0);
  return env.forAll(
    points(dimension),
    (y) => {
      const wanted = strength * y.reduce((sum, x) => sum + Math.abs(x), 0);
      return !(strength > 0) || differs(f.value(y), wanted, wanted)
        ? { what: `the function is ${f.value(y)}; the lasso it declares is ${wanted}`, input: y }
        : undefined;
    },
    { runs: 100 },
  );
}

/**
 * Kinks are rare at Gaussian points: if half of the second differences are not zero, the function is curved.
 */
function flat({ f, dimension }: InDimension, env: LawEnv): Finding {
  if (f.flat !== true) return holds(0);
  const random = env.random(`normal points in dimension ${dimension}`);
  const tries = 100;
  let curved = 0;
  for (let k = 0; k < tries; k++) {
    const y = random.gaussianInto(new Float64Array(dimension));
    const direction = random.gaussianInto(new Float64Array(dimension));
    const at = (sign: number): number => f.value(y.map((x, j) => x + sign * 2 ** -8 * direction[j]));
    const [before, here, after] = [at(-1), at(0), at(1)];
    const second = before + after - 2 * here;
    if (Number.isFinite(second) && differs(second, 0, Math.abs(before) + Math.abs(here) + Math.abs(after)))
      curved++;
  }
  return 2 * curved <= tries
    ? holds(tries)
    : fails(tries, {
        what: `flat is true, but the function is curved at ${curved} of ${tries} normal points`,
        measured: curved,
        allowed: tries / 2,
      });
}

function domain(given: InDimension, env: LawEnv): Finding {
  const { f, dimension } = given;
  const { domain: set } = f;
  return env.forAll(
    fc.oneof(points(dimension), pointsOf(given)),
    (y) => {
      const finite = f.value(y) < Infinity;
      const inside = set === undefined || set.contains(y);
      return finite === inside
        ? undefined
        : {
            what:
              `the function is ${f.value(y)} at a point that is ${inside ? 'in' : 'outside'} ` +
              (set === undefined ? 'R^dimension, where a function without a domain is finite' : 'its domain'),
            input: y,
          };
    },
    { runs: 100 },
  );
}
