import fc from 'fast-check';
import { vectorOf, type Row } from '../../arbitraries/vectors.js';
import { distance, normOf } from '../../engines/norms.js';
import { defineLaw } from '../../law/law.js';
import type { Violation } from '../../law/finding.js';
import { clipped, lengthsOf, named, radiusOf, roundingOf, tiniest } from './apply.js';
import { inUnit } from './in-unit.js';
import { usable } from './moment-bounds.js';
import { anyVectorsFor, scaleOf, vectorsFor } from './vectors.js';

/** Clipping twice is clipping once. */
export const idempotent = defineLaw({
  id: 'clip/idempotent',
  kind: 'clip',
  tier: 'search',
  onClaim: true,
  statement: 'clipping a clipped vector changes nothing beyond rounding, (2n + 16)·2^-53 of the radius',
  power: 'any change beyond rounding on one of 300 vectors',
  check: (subject, env) =>
    env.forAll(
      anyVectorsFor(subject),
      (vector): Violation | undefined => {
        const once = clipped(subject, vector);
        const twice = clipped(subject, [...once]);
        const measured = distance('linf', once, twice);
        const allowed = roundingOf(vector.length) * radiusOf(subject) + tiniest;
        return measured <= allowed
          ? undefined
          : {
              what: `clipping a second time moves an entry by ${measured}`,
              measured,
              allowed,
              input: vector,
            };
      },
      { runs: 300 },
    ),
});

/** Clipping never increases the distance of two vectors. */
export const nonExpansive = defineLaw({
  id: 'clip/non-expansive',
  kind: 'clip',
  tier: 'search',
  onClaim: true,
  statement: 'clipping never increases the distance of two vectors in the declared norm, beyond rounding',
  power: 'an expansion by 1 % on one of 600 pairs: near, opposite, on one ray, or unrelated',
  check(subject, env) {
    const { norm } = subject.plugin;
    const radius = radiusOf(subject);
    const scale = scaleOf(subject);
    const pairs = fc.constantFrom(...lengthsOf(subject, 17)).chain((dimension) => {
      const vector = vectorOf({ dimension, scale, norm });
      const step = vectorOf({ dimension, scale: scale / 16, norm });
      return fc.oneof(
        { weight: 2, arbitrary: fc.tuple(vector, vector) },
        {
          weight: 3,
          arbitrary: fc.tuple(vector, step).map(([y, by]): [Row, Row] => [y, y.map((x, j) => x + by[j])]),
        },
        {
          weight: 1,
          arbitrary: fc
            .tuple(vector, fc.constantFrom(-1, 0.5, 1.01, 2, 100))
            .map(([y, by]): [Row, Row] => [y, y.map((x) => x * by)]),
        },
      );
    });
    return env.forAll(
      pairs,
      ([y, z]): Violation | undefined => {
        const measured = distance(norm, clipped(subject, y), clipped(subject, z));
        const allowed =
          distance(norm, y, z) +
          2 * roundingOf(y.length) * Math.min(radius, normOf(norm, y) + normOf(norm, z)) +
          y.length * tiniest;
        return measured <= allowed
          ? undefined
          : {
              what:
                `two vectors ${named(norm)} ${distance(norm, y, z)} apart ` +
                `are ${measured} apart once clipped`,
              measured,
              allowed,
              input: [y, z],
            };
      },
      { runs: 600 },
    );
  },
});

/** Clipping does not depend on the unit of the vectors. */
export const scaleEquivariant = defineLaw({
  id: 'clip/scale-equivariant',
  kind: 'clip',
  tier: 'search',
  onClaim: true,
  statement:
    'with the parameter radius (or radii) and the vector multiplied by c, ' +
    'the result is multiplied by c; the bias bound too, and the variance bound by c²',
  power: 'a dependence on the unit of 10^-14 of a result, or of 10^-9 of a bound, for c from 2^-40 to 2^40',
  exempt: ({ params }) => (inUnit(params, 1) === null ? 'it has no parameter radius or radii' : undefined),
  check(subject, env) {
    const { plugin, params } = subject;
    const radius = radiusOf(subject);
    const exponent = fc.integer({ min: -40, max: 40 });
    return env.forAll(
      fc.tuple(vectorsFor(subject, 17), exponent, fc.constantFrom(2, 3, 4)),
      ([vector, k, order]): Violation | undefined => {
        const by = 2 ** k;
        const parsed = plugin.params.safeParse(inUnit(params, by));
        if (!parsed.success) return undefined;
        const there = { ...subject, params: parsed.data };
        const expected = clipped(subject, vector).map((x) => x * by);
        const measured = distance(
          'linf',
          clipped(
            there,
            vector.map((x) => x * by),
          ),
          expected,
        );
        const allowed =
          by * (roundingOf(vector.length) * Math.min(radius, normOf('l2', vector)) + vector.length * tiniest);
        if (!(measured <= allowed))
          return {
            what: `scaled by ${by}, vector and radius, the result is off by ${measured}`,
            measured,
            allowed,
            input: { vector, by },
          };
        const value = radius ** order;
        const there2 = value * by ** order;
        if (!usable({ order, value }) || !usable({ order, value: there2 })) return undefined;
        const ratios: readonly [string, number, number][] = [
          [
            'bias',
            plugin.biasBound(parsed.data, { order, value: there2 }) / by,
            plugin.biasBound(params, { order, value }),
          ],
          [
            'variance',
            plugin.varianceBound(parsed.data, { order, value: there2 }) / by ** 2,
            plugin.varianceBound(params, { order, value }),
          ],
        ];
        const bad = ratios.find(([, a, b]) => !(Math.abs(a - b) <= 1e-9 * Math.abs(b)));
        return (
          bad && {
            what:
              `the ${bad[0]} bound at moment (radius)^${order} is ${bad[2]}, ` +
              `and ${bad[1]} of the new unit where the unit is ${by} times larger`,
            measured: bad[1],
            allowed: bad[2],
            input: { by, order },
          }
        );
      },
      { runs: 200 },
    );
  },
});

/** The clip in other units makes c·clip(z/c) of z. */
export const scaled = defineLaw({
  id: 'clip/scaled',
  kind: 'clip',
  tier: 'search',
  statement:
    'in units that are c times as small it makes c·clip(z/c) of z, and its radius is c times as large; a c ' +
    'that its schema does not take is none',
  power: 'an error of 10⁻¹³ of the radius at one of 200 vectors and c, powers of two from 2⁻⁴⁰ to 2⁴⁰',
  exempt: ({ plugin }) => (plugin.scaled === undefined ? 'it has no other units' : undefined),
  check(subject, env) {
    const { plugin, params } = subject;
    const radius = radiusOf(subject);
    return env.forAll(
      fc.tuple(vectorsFor(subject, 17), fc.integer({ min: -40, max: 40 })),
      ([vector, k]): Violation | undefined => {
        const by = 2 ** k;
        const parsed = plugin.params.safeParse(plugin.scaled?.(params, by));
        if (!parsed.success) return undefined;
        const there = { ...subject, params: parsed.data };
        const other = radiusOf(there);
        if (!(Math.abs(other - by * radius) <= 1e-12 * by * radius))
          return {
            what: `scaled by ${by} the radius is ${other}; it was ${radius}`,
            measured: other,
            allowed: by * radius,
            input: { by },
          };
        const expected = clipped(subject, vector).map((x) => x * by);
        const found = clipped(
          there,
          vector.map((x) => x * by),
        );
        const measured = distance('linf', found, expected);
        const allowed = by * (2 * roundingOf(vector.length) * radius + vector.length * tiniest);
        return measured <= allowed
          ? undefined
          : {
              what: `scaled by ${by} the result is off by ${measured}`,
              measured,
              allowed,
              input: { vector, by },
            };
      },
      { runs: 200 },
    );
  },
});
