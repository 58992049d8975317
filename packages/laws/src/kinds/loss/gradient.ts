import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import {
  along,
  directionsOf,
  gradientAt,
  inner,
  margins,
  moved,
  norm,
  points,
  recordAt,
  stiffnessNear,
  valueAt,
  withoutLabels,
  withoutShape,
  type At,
  valueRounding,
} from './points.js';

const steps = fc.integer({ min: -16, max: 3 });
const settings = (subject: Subject<'loss'>): fc.Arbitrary<readonly [At, readonly number[], number]> =>
  fc
    .tuple(
      points(subject),
      fc.oneof(fc.constantFrom(...directionsOf(subject)), fc.constant('x' as const)),
      steps,
    )
    .map(([at, direction, power]) => {
      if (direction !== 'x') return [at, direction, 2 ** power] as const;
      return [
        at,
        at.x.some((value) => value !== 0) ? along(subject, at.x, 1 / norm(at.x)) : directionsOf(subject)[0],
        2 ** power,
      ] as const;
    });

/**
 * How far computed values may be off: what the contract allows the
 * values themselves, and what rounding the point does to them.
 */
function rounding(subject: Subject<'loss'>, at: At, places: readonly (readonly number[])[]): number {
  const record = recordAt(subject, at);
  return places.reduce(
    (sum, w) =>
      sum +
      valueRounding * (1 + Math.abs(valueAt(subject, w, record))) +
      2 ** -46 * norm(gradientAt(subject, w, record)) * norm(w),
    0,
  );
}

/** The gradient is the derivative. */
export const gradient = defineLaw<'loss'>({
  id: 'loss/gradient',
  kind: 'loss',
  tier: 'search',
  statement:
    'gradientInto is a (sub)gradient of value: of a convex loss no value lies below a tangent, ' +
    'at steps from 2⁻¹⁶ to 8 both ways; of a smooth one differences converge to it; ' +
    'of one that is smooth on bounded sets they are as near to it as the stated constant says',
  power:
    'a gradient off by one part in 10⁴ in any direction, ' +
    'at margins from −10⁴ to 10⁴ and 600 points over many scales',
  exempt: (subject) => withoutLabels(subject) ?? withoutShape(subject),
  check: (subject, env) => {
    if (subject.plugin.capabilities.convex === true) return tangents(subject, env);
    if (subject.plugin.capabilities.smooth === true) return differences(subject, env);
    return tangentParabolas(subject, env);
  },
});

function tangents(subject: Subject<'loss'>, env: LawEnv) {
  return env.forAll(
    settings(subject),
    ([at, direction, size]): Violation | undefined => {
      const record = recordAt(subject, at);
      const here = valueAt(subject, at.w, record);
      const slope = inner(gradientAt(subject, at.w, record), direction);
      for (const step of [size, -size]) {
        const there = moved(at.w, direction, step);
        const value = valueAt(subject, there, record);
        const tangent = here + step * slope;
        const allowed = tangent - rounding(subject, at, [at.w, there]) - 2 ** -46 * Math.abs(step * slope);
        if (!(value >= allowed))
          return {
            what:
              `the loss is ${value} at a step of ${step} along [${direction.join(', ')}], below its ` +
              `tangent, which is ${tangent} there: the gradient is not one, or the loss is not convex`,
            measured: value,
            allowed: tangent,
            input: at,
          };
      }
      return undefined;
    },
    {
      runs: 600,
      examples: margins(subject).flatMap((at) =>
        [2 ** -12, 1].map((size) => [at, directionsOf(subject)[0], size] as const),
      ),
    },
  );
}

function differences(subject: Subject<'loss'>, env: LawEnv) {
  return env.forAll(
    settings(subject),
    ([at, direction]): Violation | undefined => {
      const record = recordAt(subject, at);
      const slope = inner(gradientAt(subject, at.w, record), direction);
      const quotient = (step: number): number =>
        (valueAt(subject, moved(at.w, direction, step), record) -
          valueAt(subject, moved(at.w, direction, -step), record)) /
        (2 * step);
      const [coarse, fine] = [quotient(2 ** -12), quotient(2 ** -13)];
      const noise = rounding(subject, at, [at.w, at.w]) * 2 ** 13;
      // The derivative of a smooth function lies within a few times of what halving the step changes.
      const allowed = 8 * Math.abs(coarse - fine) + noise + 1e-6 * (Math.abs(slope) + Math.abs(fine)) + 1e-6;
      return Math.abs(fine - slope) <= allowed
        ? undefined
        : {
            what:
              `differences of the loss along [${direction.join(', ')}] come to ${fine}; ` +
              `its gradient says ${slope}`,
            measured: Math.abs(fine - slope),
            allowed,
            input: at,
          };
    },
    { runs: 600, examples: margins(subject).map((at) => [at, directionsOf(subject)[0], 1] as const) },
  );
}

/**
 * A loss lies between the parabolas that touch it at a point and
 * bend as much as is stated of the records and iterates around.
 */
function tangentParabolas(subject: Subject<'loss'>, env: LawEnv) {
  return env.forAll(
    settings(subject),
    ([at, direction, size]): Violation | undefined => {
      const record = recordAt(subject, at);
      const here = valueAt(subject, at.w, record);
      const slope = inner(gradientAt(subject, at.w, record), direction);
      const length = norm(direction);
      for (const step of [size, -size, 2 ** -12, -(2 ** -12)]) {
        const stiffness = stiffnessNear(subject, at, Math.abs(step) * length);
        if (stiffness === undefined) continue;
        const there = moved(at.w, direction, step);
        const value = valueAt(subject, there, record);
        const tangent = here + step * slope;
        const off = Math.abs(value - tangent);
        const allowed =
          (stiffness / 2) * (step * length) ** 2 * (1 + 1e-9) +
          2 * rounding(subject, at, [at.w, there]) +
          2 ** -46 * Math.abs(step * slope);
        if (!(off <= allowed))
          return {
            what:
              `the loss is ${value} at a step of ${step} along [${direction.join(', ')}], its tangent ` +
              `${tangent}: by the smoothness ${stiffness} that is stated they differ by ${allowed} at most`,
            measured: off,
            allowed,
            input: at,
          };
      }
      return undefined;
    },
    {
      runs: 600,
      examples: margins(subject).flatMap((at) =>
        [2 ** -12, 1].map((size) => [at, directionsOf(subject)[0], size] as const),
      ),
    },
  );
}

/** A convex loss is convex. */
export const convexity = defineLaw<'loss'>({
  id: 'loss/convexity',
  kind: 'loss',
  tier: 'search',
  statement: 'between two points a convex loss lies below the chord, up to rounding',
  power: 'a chord passed by one part in 10¹², at 600 pairs of points over many scales',
  exempt: (subject) =>
    withoutLabels(subject) ??
    (subject.plugin.capabilities.convex === true ? undefined : 'it is not said to be convex'),
  check: (subject, env) =>
    env.forAll(
      settings(subject),
      ([at, direction, size]): Violation | undefined => {
        const record = recordAt(subject, at);
        const ends = [moved(at.w, direction, size), moved(at.w, direction, -size)] as const;
        const middle = valueAt(subject, at.w, record);
        const chord = (valueAt(subject, ends[0], record) + valueAt(subject, ends[1], record)) / 2;
        return middle <= chord + rounding(subject, at, [at.w, ...ends])
          ? undefined
          : {
              what:
                `halfway between two points ${2 * size} apart along [${direction.join(', ')}] the loss ` +
                `is ${middle}; their mean is ${chord}`,
              measured: middle,
              allowed: chord,
              input: at,
            };
      },
      {
        runs: 600,
        examples: margins(subject).flatMap((at) =>
          [0.5, 4].map((size) => [at, directionsOf(subject)[0], size] as const),
        ),
      },
    ),
});

/** The linear form of a model equals its loss. */
export const linearForm = defineLaw<'loss'>({
  id: 'loss/linear-form',
  kind: 'loss',
  tier: 'search',
  statement:
    'for a linear model, value is linear.value at the margin and ' +
    'gradientInto is linear.slope there times the features',
  power: 'any difference beyond rounding, at 300 points over many scales',
  exempt: (subject) =>
    withoutLabels(subject) ?? (subject.plugin.linear === null ? 'it has no linear form' : undefined),
  check: (subject, env) =>
    env.forAll(
      points(subject),
      (at): Violation | undefined => {
        const {
          plugin: { linear },
          params,
        } = subject;
        const record = recordAt(subject, at);
        const margin = inner(at.w, at.x);
        const [value, slope, gradientHere] = [
          defined(linear).value(params, margin, at.label),
          defined(linear).slope(params, margin, at.label),
          gradientAt(subject, at.w, record),
        ];
        // Margins may be summed in another order: both sides of the margin by what that changes.
        const wobble = 2 ** -48 * norm(at.w) * norm(at.x);
        const slopes = [margin - wobble, margin + wobble].map((m) =>
          defined(linear).slope(params, m, at.label),
        );
        const off = Math.max(...gradientHere.map((entry, j) => Math.abs(entry - slope * at.x[j])));
        const allowed =
          (Math.max(...slopes.map((other) => Math.abs(other - slope))) + 2 ** -44 * Math.abs(slope)) *
          norm(at.x);
        if (!(off <= allowed))
          return {
            what:
              `the gradient is [${gradientHere.join(', ')}]; ` +
              `slope ${slope} times the features differs from it`,
            measured: off,
            allowed,
            input: at,
          };
        const difference = Math.abs(valueAt(subject, at.w, record) - value);
        const room =
          2 * Math.abs(slope) * wobble +
          Math.max(...slopes.map(Math.abs)) * wobble +
          2 ** -44 * Math.abs(value) +
          wobble * wobble;
        return difference <= room
          ? undefined
          : {
              what:
                `the loss is ${valueAt(subject, at.w, record)}; ` +
                `linear.value at the margin ${margin} is ${value}`,
              measured: difference,
              allowed: room,
              input: at,
            };
      },
      { runs: 300, examples: margins(subject) },
    ),
});
