import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import type { Row } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';
import { fails, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { clipped, lengthsOf, radiusOf, tiniest, unit } from './apply.js';
import { alsoElsewhere } from '../../law/other-params.js';
import { anyVectorsFor, scaleOf, vectorsFor } from './vectors.js';

/** Norms around a radius, including the radius and its neighbouring doubles. */
const normsAround = (scale: number): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(scale, scale * (1 + 2 ** -52), scale * (1 - 2 ** -53), 0) },
    {
      weight: 2,
      arbitrary: fc
        .integer({ min: 3, max: 50 })
        .chain((k) => fc.constantFrom(scale * (1 + 2 ** -k), scale * (1 - 2 ** -k))),
    },
    { weight: 3, arbitrary: fc.integer({ min: -64, max: 64 }).map((k) => scale * 2 ** (k / 8)) },
    { weight: 2, arbitrary: fc.integer({ min: -300, max: 300 }).map((k) => 10 ** k) },
    { weight: 1, arbitrary: fc.constantFrom(Number.MAX_VALUE, 5e-324, 1e160, 1e-160) },
  );

/** Finite vectors of finite norm whose entries add up to more than the largest double. */
const overflowing = (subject: Subject<'clip'>): readonly Row[] =>
  lengthsOf(subject)
    .filter((length) => length > 1)
    .flatMap((length) =>
      [1, -1].map((sign): Row =>
        Array.from({ length }, () => (sign * Number.MAX_VALUE) / (1.2 * Math.sqrt(length))),
      ),
    );

/** The declared factor is the factor applied. */
export const factorLaw = defineLaw({
  id: 'clip/factor',
  kind: 'clip',
  tier: 'search',
  statement:
    'a clip that declares a factor multiplies every vector by the factor of its norm, in the norm of the ' +
    'clip: linear models use the factor alone, so the two must agree, at the radius too',
  power:
    'a disagreement by 10^-13 of the result on one of 500 vectors, or a factor that leaves a norm above ' +
    'the radius on one of 500 norms',
  exempt: ({ plugin }) => (plugin.factor === null ? 'the clip declares no factor' : undefined),
  elsewhere: 0,
  check: (given, env) =>
    alsoElsewhere(given, (subject, effort) => {
      const { plugin, params } = subject;
      const radius = radiusOf(subject);
      const factor = (norm: number): number => defined(plugin.factor)(params, norm);
      const bounded = env.forAll(
        normsAround(scaleOf(subject)),
        (norm): Violation | undefined => {
          const f = factor(norm);
          if (!Number.isFinite(f))
            return { what: `the factor of norm ${norm} is ${f}`, measured: f, input: norm };
          const measured = Math.abs(f) * norm;
          const allowed = radius * (1 + 16 * unit) + tiniest * Math.max(1, norm);
          return measured <= allowed
            ? undefined
            : {
                what:
                  `the factor ${f} leaves a vector of norm ${norm} with norm ` +
                  `${measured}; the radius is ${radius}`,
                measured,
                allowed,
                input: norm,
              };
        },
        { runs: 500 * effort },
      );
      if (bounded.verdict === 'fails') return bounded;
      return env.forAll(
        anyVectorsFor(subject),
        (vector): Violation | undefined => {
          const norm = normOf(plugin.norm, vector);
          if (!(norm < Infinity)) return undefined;
          const result = clipped(subject, vector);
          const slack = (4 * vector.length + 64) * unit;
          // The norm is known up to rounding, and the factor may be discontinuous.
          const near = [norm, norm * (1 - slack), norm * (1 + slack)].map(factor);
          const agrees = (f: number): boolean =>
            result.every(
              (x, j) =>
                Math.abs(x - f * vector[j]) <= slack * Math.abs(f) * norm + 2 * tiniest * Math.max(1, norm),
            );
          if (near.some(agrees)) return undefined;
          const size = normOf(plugin.norm, result);
          return {
            what:
              `a vector of norm ${norm} becomes one of norm ${size}; ` +
              `the factor ${near[0]} would make it ${near[0] * norm}`,
            measured: size,
            allowed: near[0] * norm,
            input: vector,
          };
        },
        { runs: 500 * effort, examples: overflowing(subject) },
      );
    }),
});

/** A clip with isProjection has the factor of the projection. */
export const projection = defineLaw({
  id: 'clip/projection',
  kind: 'clip',
  tier: 'search',
  statement:
    'a clip with isProjection has norm l2 and the factor min(1, radius/norm): ' +
    'the fused kernel replaces its code',
  power: 'a relative error of 10^-15 in the factor on one of 500 norms',
  exempt: ({ plugin }) => (plugin.isProjection ? undefined : 'isProjection is false'),
  check(subject, env) {
    const { plugin, params } = subject;
    const radius = radiusOf(subject);
    if (plugin.factor === null)
      return fails(1, {
        what: 'isProjection is true and factor is null; the projection is a scaling by min(1, radius/norm)',
        input: params,
      });
    if (plugin.norm !== 'l2')
      return fails(1, {
        what:
          `isProjection is true and the norm is ${plugin.norm}; ` +
          'the kernel that replaces the clip projects in l2',
        input: params,
      });
    return env.forAll(
      normsAround(scaleOf(subject)),
      (norm): Violation | undefined => {
        const measured = defined(plugin.factor)(params, norm);
        const allowed = norm <= radius ? 1 : radius / norm;
        return Math.abs(measured - allowed) <= 16 * unit * allowed + 4 * tiniest
          ? undefined
          : {
              what: `the factor of norm ${norm} is ${measured}; that of the projection is ${allowed}`,
              measured,
              allowed,
              input: norm,
            };
      },
      { runs: 500 },
    );
  },
});

/** The projection does not change vectors inside the ball. */
export const leavesInsideAlone = defineLaw({
  id: 'clip/leaves-inside-alone',
  kind: 'clip',
  tier: 'search',
  statement: 'a clip with isProjection does not change any bit of a vector whose norm is at most the radius',
  power: 'any change of one of 400 vectors inside the ball',
  exempt: ({ plugin }) => (plugin.isProjection ? undefined : 'isProjection is false'),
  check(subject, env) {
    const radius = radiusOf(subject);
    return env.forAll(
      vectorsFor(subject),
      (vector): Violation | undefined => {
        if (!(normOf('l2', vector) <= radius * (1 - (vector.length + 8) * unit))) return undefined;
        const result = clipped(subject, vector);
        return result.every((x, j) => x === vector[j])
          ? undefined
          : {
              what:
                `a vector of norm ${normOf('l2', vector)}, inside the ball of radius ${radius}, ` +
                `became [${result.slice(0, 8).join(', ')}]`,
              input: vector,
            };
      },
      { runs: 800 },
    );
  },
});
