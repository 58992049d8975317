import { type Proximal } from '@lethe/numerics';
import fc from 'fast-check';
import { declines } from '../../law/declines.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { sameBits } from '../curator/outcomes.js';
import { inner, length, minus } from '../domain/sets.js';
import { inEveryDimension, points, pointsOf, proxOf, steps } from './functions.js';

const rounding = 2 ** -40;

/** The proximal point satisfies its optimality condition. */
export const optimal = defineLaw<'regulariser'>({
  id: 'regulariser/optimal',
  kind: 'regulariser',
  tier: 'search',
  statement:
    'f(y) ≥ f(p) + ⟨z − p, y − p⟩/η at p = prox(z), for every y, up to rounding: (z − p)/η is a subgradient',
  power:
    'an error of the proximal point of more than 2⁻²⁰ of the lengths involved, ' +
    'for 300 points in each dimension against random points and points near p',
  check: (subject, env) =>
    inEveryDimension(subject, ({ f, dimension }) =>
      env.forAll(
        fc.record({
          z: points(dimension),
          other: points(dimension),
          share: fc.constantFrom(1, 2 ** -6, 2 ** -12),
          eta: steps,
        }),
        ({ z, other, share, eta }) => {
          const p = proxOf(f, z, eta);
          const at = f.value(p);
          if (!Number.isFinite(at))
            return { what: `the function is ${at} at the proximal point`, input: { z, eta } };
          const out = minus(z, p);
          for (const target of [other, p.map((x, j) => x + out[j])]) {
            const y = p.map((x, j) => x + share * (target[j] - x));
            const value = f.value(y);
            if (value === Infinity) continue;
            const step = minus(y, p);
            const size = eta * (Math.abs(at) + Math.abs(value)) + (length(out) + length(p)) * length(step);
            const short = eta * at + inner(out, step) - eta * value;
            if (!(short <= rounding * size)) {
              return {
                what:
                  `at [${y.join(', ')}] the function is lower than the subgradient inequality at the ` +
                  `proximal point [${p.join(', ')}] allows`,
                measured: short,
                allowed: rounding * size,
                input: { z, eta },
              };
            }
          }
          return undefined;
        },
        { runs: 300 },
      ),
    ),
});

/** The proximal map is firmly non-expansive. */
export const firmlyNonExpansive = defineLaw<'regulariser'>({
  id: 'regulariser/firmly-non-expansive',
  kind: 'regulariser',
  tier: 'search',
  statement: '‖p − q‖² ≤ ⟨p − q, y − z⟩ for the proximal points p of y and q of z, up to rounding',
  power: 'a violation by more than 2⁻⁴⁰ of the lengths involved, for 200 pairs in each dimension',
  check: (subject, env) =>
    inEveryDimension(subject, ({ f, dimension }) =>
      env.forAll(
        fc.record({ y: points(dimension), z: points(dimension), eta: steps }),
        ({ y, z, eta }) => {
          const between = minus(proxOf(f, y, eta), proxOf(f, z, eta));
          const size = (length(y) + length(z) + length(between)) ** 2;
          const excess = inner(between, between) - inner(between, minus(y, z));
          return excess <= rounding * size
            ? undefined
            : {
                what: 'two proximal points are farther apart than firm non-expansiveness allows',
                measured: excess,
                allowed: rounding * size,
                input: { y, z, eta },
              };
        },
        { runs: 200 },
      ),
    ),
});

/** The function is convex. */
export const convex = defineLaw<'regulariser'>({
  id: 'regulariser/convex',
  kind: 'regulariser',
  tier: 'search',
  statement: 'f is convex on the segment between any two points where it is finite, up to rounding',
  power: 'a point above its chord by more than 2⁻⁴⁰ of the values, 200 segments in each dimension',
  check: (subject, env) =>
    inEveryDimension(subject, (given) =>
      env.forAll(
        fc.record({
          a: pointsOf(given),
          b: pointsOf(given),
          share: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        }),
        ({ a, b, share }) => {
          const [left, right] = [given.f.value(a), given.f.value(b)];
          if (!(left < Infinity && right < Infinity)) return undefined;
          const middle = given.f.value(a.map((x, j) => (1 - share) * x + share * b[j]));
          const chord = (1 - share) * left + share * right;
          // A point between two boundary points may leave the set by rounding.
          if (middle === Infinity && given.f.domain !== undefined) return undefined;
          const allowed = rounding * (Math.abs(left) + Math.abs(right));
          return middle - chord <= allowed
            ? undefined
            : {
                what: `between two points the function is ${middle}; the chord is at ${chord}`,
                measured: middle - chord,
                allowed,
                input: { a, b, share },
              };
        },
        { runs: 200 },
      ),
    ),
});

/** Output arrays: which are written and which must not change. */
export const inPlace = defineLaw<'regulariser'>({
  id: 'regulariser/in-place',
  kind: 'regulariser',
  tier: 'search',
  statement:
    'proxInto writes to out and returns it, also when out is the point itself; ' +
    'it changes nothing else and stores no reference to an array',
  power: 'any bit, 60 pairs of points in each dimension',
  check: (subject, env) =>
    inEveryDimension(subject, ({ f, dimension }) =>
      env.forAll(
        fc.record({ z: points(dimension), other: points(dimension), eta: steps }),
        ({ z, other, eta }): Violation | undefined => {
          const once = proxOf(f, z, eta);
          const point = z.slice();
          const out = new Float64Array(dimension).fill(NaN);
          if (f.proxInto(out, point, eta) !== out)
            return { what: 'proxInto does not return the array to write to', input: z };
          if (!sameBits(point, z))
            return { what: 'proxInto changes its point, although out is another array', input: z };
          if (!sameBits(out, once)) return { what: 'the same point has two proximal points', input: z };
          const same = z.slice();
          if (f.proxInto(same, same, eta) !== same || !sameBits(same, once))
            return { what: 'in place the proximal point differs', input: z };
          out.fill(7);
          same.fill(7);
          proxOf(f, other, eta);
          return sameBits(proxOf(f, z, eta), once)
            ? undefined
            : {
                what: 'the proximal point of a point changes after a call for another point',
                input: { z, other },
              };
        },
        { runs: 60 },
      ),
    ),
});

/** Invalid points and steps are refused before anything is written. */
export const refuses = defineLaw<'regulariser'>({
  id: 'regulariser/refuses',
  kind: 'regulariser',
  tier: 'search',
  statement:
    'a point with a NaN or infinite coordinate, an out of another length, ' +
    'and a step that is not positive and finite throw InvalidParameter; out is then unchanged',
  power: 'certain for each of 30 invalid points and steps in each dimension',
  check: (subject, env) =>
    inEveryDimension(subject, ({ f, dimension }) =>
      env.forAll(
        fc.record({
          z: points(dimension),
          at: fc.nat(dimension - 1),
          special: fc.constantFrom(NaN, Infinity, -Infinity),
          step: fc.constantFrom(0, -1, NaN, Infinity),
          eta: steps,
        }),
        ({ z, at, special, step, eta }) =>
          refused(f, `a point with a coordinate ${special}`, z.with(at, special), eta, dimension) ??
          refused(f, `a step of ${step}`, z, step, dimension) ??
          refused(f, 'an output array with one coordinate too many', z, eta, dimension + 1) ??
          declines(
            () => f.value(z.with(at, special)),
            `the value at a point with a coordinate ${special}`,
            z,
          ),
        { runs: 30 },
      ),
    ),
});

function refused(
  f: Proximal,
  what: string,
  z: Float64Array,
  eta: number,
  room: number,
): Violation | undefined {
  const out = new Float64Array(room).fill(0.625);
  return (
    declines(() => f.proxInto(out, z.slice(), eta), what, { z, eta }) ??
    (out.every((x) => x === 0.625)
      ? undefined
      : { what: `${what} is refused after out was written to`, input: { z, eta } })
  );
}
