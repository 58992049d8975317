import { l2Ball, wholeSpace } from '@lethe/numerics';
import { type Solution, type SolverProblem } from '@lethe/core';
import fc from 'fast-check';
import { distance as distanceBetween } from '../../engines/norms.js';
import { fails, type Finding, type Violation, takesNothing } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';
import { objectives, solvable, type Objective, type Solvable } from './objectives.js';

type Check = (found: Solution, solvable: Solvable) => Violation | undefined;

const solve = (
  { plugin, params }: Subject<'solver'>,
  problem: SolverProblem,
  tolerance: number,
): Solution | undefined => {
  const { value } = attempt(() => plugin.solve(params, problem, tolerance)) as { readonly value?: Solution };
  return value;
};

/**
 * Solves objectives with known minimisers; those refused with a typed error are left out, but not all may be.
 */
function solvingAll(subject: Subject<'solver'>, env: LawEnv, check: Check): Finding {
  let solved = 0;
  const finding = env.forAll(
    objectives,
    (objective): Violation | undefined => {
      const known = solvable(objective);
      const found = solve(subject, known.problem, known.resolution);
      if (found === undefined) return undefined;
      solved++;
      if (
        !(found.point instanceof Float64Array) ||
        found.point.length !== known.minimiser.length ||
        !found.point.every(Number.isFinite)
      )
        return {
          what:
            `its point is [${Array.from(found.point).join(', ')}]; ` +
            `it must be ${known.minimiser.length} finite numbers`,
        };
      if (!(found.distance >= 0))
        return { what: `it certifies a distance of ${found.distance}`, measured: found.distance };
      return check(found, known);
    },
    { runs: 250, examples: tellingObjectives },
  );
  return finding.verdict === 'holds' && solved === 0
    ? takesNothing('it refuses every objective', finding.samples)
    : finding;
}

/**
 * Objectives with tight certificates: the least curvature along
 * the start, flat far away, and a target beyond the boundary.
 */
const tellingObjectives: readonly Objective[] = (['quadratic', 'bent', 'chain'] as const).flatMap((shape) =>
  [1, 4, 100, 1e5].flatMap((condition) =>
    ['whole space', 'ball'].map((domain): Objective => ({
      domain,
      shape,
      radius: 1,
      strongConvexity: 1,
      condition,
      shares: [0, 0.5, 1],
      mirror: [1, 1, 1],
      target: [2, 0, 0],
      slope: 1,
      start: [-3, 1, 0],
    })),
  ),
);

/** An objective with a kink at its minimiser, for solvers that accept non-smooth ones. */
function kinked(subject: Subject<'solver'>): Finding | undefined {
  const centre = [2, -0.5, 0.25];
  const minimiser = Float64Array.of(1, 0, 0);
  for (const domain of [wholeSpace(3), l2Ball({ dimension: 3, radius: 4 })])
    for (const start of [
      [-3, 1, 0],
      [1, 1, 1],
    ]) {
      const found = solve(
        subject,
        {
          domain,
          start: Float64Array.from(start),
          strongConvexity: 1,
          smoothness: Infinity,
          valueAndGradientInto(out, x) {
            let value = 0;
            for (let j = 0; j < 3; j++) {
              const step = x[j] - centre[j];
              out[j] = step + Math.sign(x[j]);
              value += step ** 2 / 2 + Math.abs(x[j]);
            }
            return value;
          },
        },
        1e-3,
      );
      const away = found === undefined ? 0 : distanceBetween('l2', found.point, minimiser);
      if (found !== undefined && !(away <= found.distance + 1e-12))
        return fails(1, {
          what:
            `with an objective that is not smooth, the point is ${away} from the minimiser; ` +
            `it certifies ${found.distance}`,
          measured: away,
          allowed: found.distance,
          input: { domain: domain.name, start },
        });
    }
  return undefined;
}

/** The certified distance is correct. */
export const certifiedDistance = defineLaw<'solver'>({
  id: 'solver/certified-distance',
  kind: 'solver',
  tier: 'search',
  statement: 'the point is at most `distance` from the minimiser, up to the rounding of the gradients',
  power:
    'a certificate too small on any of 274 objectives with known minimisers, whatever tolerance is asked ' +
    'for, condition numbers 1 to 10⁶, on five kinds of sets; errors below 2⁻⁴⁴ √d (1 + κ) of ' +
    'their size are ignored',
  check: (subject, env) =>
    kinked(subject) ??
    solvingAll(subject, env, (found, { problem, minimiser, resolution }) => {
      // Whatever is asked for, half of what it came to included.
      const half = found.distance > 0 && found.distance < Infinity ? found.distance / 2 : Infinity;
      const hurried = half < Infinity ? solve(subject, problem, half) : undefined;
      for (const [{ point, distance }, asked] of [
        [found, ''],
        ...(hurried === undefined ? [] : [[hurried, `, asked for ${half},`] as const]),
      ] as const) {
        const away = distanceBetween('l2', point, minimiser);
        if (!(away <= distance + resolution))
          return {
            what: `the point is ${away} from the minimiser; it certifies ${distance}`,
            measured: away,
            allowed: distance,
            witness: `minimiser [${Array.from(minimiser).join(', ')}]${asked}`,
          };
      }
      return undefined;
    }),
});

/**
 * A violation unless worstDistance is a number for all constants: a comparison with NaN would be meaningless.
 */
function promiseIsNone({ plugin, params }: Subject<'solver'>): Finding | undefined {
  for (const strongConvexity of [1e-9, 1, 1e6])
    for (const condition of [1, 1 + 2 ** -52, 2, 1e6, 1e12])
      for (const startDistance of [0, 1e-12, 1, 1e100]) {
        const promise = { strongConvexity, smoothness: strongConvexity * condition, startDistance };
        const { value } = attempt(() => plugin.worstDistance(params, promise)) as { readonly value?: number };
        if (value !== undefined && !(value >= 0))
          return fails(1, {
            what: `worstDistance is ${value}; it must be a number, and not negative`,
            measured: value,
            input: promise,
          });
      }
  return undefined;
}

/**
 * Least worst-case distance of any method after so many gradients, over smooth strongly convex objectives on
 * the whole space of any dimension, in units of the start's: `1/√(1 + qA_N)`, `q = 1/κ`, `A_0 = 0`,
 * `(1 − q)² A_(k+1) = (1 + q)A_k + 2(1 + √((1 + A_k)(1 + qA_k)))`.
 *
 * @see Taylor and Drori 2023, Theorem 3, which attains it; Drori and Taylor 2022, Corollary 4, below which no
 * method is.
 */
function leastDistance(condition: number, gradients: number): number {
  const q = 1 / condition;
  if (q === 1) return gradients === 0 ? 1 : 0;
  let a = 0;
  for (let k = 0; k < gradients; k++) {
    // Nearer than doubles tell.
    if (q * a > 2 ** 80) return 0;
    a = ((1 + q) * a + 2 * (1 + Math.sqrt((1 + a) * (1 + q * a)))) / (1 - q) ** 2;
  }
  return 1 / Math.sqrt(1 + q * a);
}

/** A violation where worstDistance promises more than any method with so many evaluations can do. */
function promisesTooMuch({ plugin, params }: Subject<'solver'>): Finding | undefined {
  const evaluations = attempt(() => plugin.evaluations?.(params)) as { readonly value?: number };
  if (evaluations.value === undefined || !(evaluations.value < 1e6)) return undefined;
  for (const condition of [1.25, 2, 10, 100, 1e4, 1e8]) {
    const promise = { strongConvexity: 1, smoothness: condition, startDistance: 1 };
    const { value } = attempt(() => plugin.worstDistance(params, promise)) as { readonly value?: number };
    const least = leastDistance(condition, evaluations.value);
    if (value !== undefined && value < least * (1 - 1e-9))
      return fails(1, {
        what:
          `worstDistance is ${value} at condition ${condition}; no method is sure to be nearer than ` +
          `${least} after ${evaluations.value} gradients`,
        measured: value,
        allowed: least,
        input: promise,
      });
  }
  return undefined;
}

/**
 * The a-priori bound of a solver holds for every objective: a sensitivity depends on it. Decided are what
 * objectives attain, and what no method can promise. Whether a bound was to be twice as large is not, since
 * the smaller one may be true: the proof for `accelerated-gradient` holds with 4/3 in place of 2 (a projected
 * step is a 2/3-averaged map), and of 50 000 objectives on the line none has a certificate above a tenth of
 * the bound.
 */
export const worstDistance = defineLaw<'solver'>({
  id: 'solver/worst-distance',
  kind: 'solver',
  tier: 'search',
  statement:
    'for every objective with these constants, both the certified ' +
    'distance and the true one are at most worstDistance, which promises no more than any method can',
  power:
    'a violation on any of 274 objectives, condition numbers 1 to 10⁶; bounds below 2⁻⁴⁴ √d (1 + κ) of ' +
    'the size of the points are ignored',
  check: (subject, env) =>
    promiseIsNone(subject) ??
    promisesTooMuch(subject) ??
    solvingAll(
      subject,
      env,
      (
        { point, distance },
        { problem: { strongConvexity, smoothness }, minimiser, startDistance, resolution },
      ) => {
        const promised = subject.plugin.worstDistance(subject.params, {
          strongConvexity,
          smoothness,
          startDistance,
        });
        if (!(promised >= 0))
          return {
            what: `worstDistance is ${promised}; it must not be negative, nor NaN`,
            measured: promised,
          };
        const away = distanceBetween('l2', point, minimiser);
        if (!(distance <= promised + resolution))
          return {
            what:
              `it certifies ${distance}; worstDistance is ${promised} for ` +
              `a start at most ${startDistance} away`,
            measured: distance,
            allowed: promised,
          };
        return away <= promised + resolution
          ? undefined
          : {
              what:
                `the point is ${away} from the minimiser; worstDistance is ${promised} for a start at ` +
                `most ${startDistance} away`,
              measured: away,
              allowed: promised,
            };
      },
    ),
});

/** Points stay in the domain, outside which the objective may be undefined; for solvers that claim it. */
export const feasible = defineLaw<'solver'>({
  id: 'solver/feasible',
  kind: 'solver',
  tier: 'search',
  onClaim: true,
  statement: 'the point, and every point at which the objective is evaluated, lies in the domain',
  power: 'any point outside by more than 1e-12 of its size, 274 objectives',
  check: (subject, env) =>
    env.forAll(
      objectives,
      (objective) => {
        const { problem, resolution } = solvable(objective);
        let outside: Float64Array | undefined;
        const found = solve(
          subject,
          {
            ...problem,
            valueAndGradientInto(out, x) {
              if (!problem.domain.contains(x, 2 ** -40 * objective.radius)) outside ??= x.slice();
              return problem.valueAndGradientInto(out, x);
            },
          },
          resolution,
        );
        if (outside !== undefined)
          return {
            what: `it evaluates the objective at [${Array.from(outside).join(', ')}], outside the domain`,
          };
        return found === undefined || problem.domain.contains(found.point)
          ? undefined
          : { what: `the point [${Array.from(found.point).join(', ')}] is not in the domain` };
      },
      { runs: 250, examples: tellingObjectives },
    ),
});

const twoObjectives = fc
  .tuple(objectives, objectives, fc.constantFrom(0, 1e-9, 1))
  .map(([one, other, tolerance]) => ({
    one,
    tolerance,
    other: {
      ...one,
      shape: other.shape,
      shares: one.shares.map((share, j) => other.shares[j] ?? share),
      target: one.target.map((x, j) => other.target[j] ?? x),
      slope: other.slope,
    },
  }));

/** Time and messages do not depend on the data. */
export const publicEffort = defineLaw<'solver'>({
  id: 'solver/public-effort',
  kind: 'solver',
  tier: 'search',
  statement:
    'the number of evaluations depends on public numbers alone: domain, start, constants and tolerance; ' +
    'it is at most what the solver says',
  power:
    'one evaluation more than it says, and any difference within 120 pairs of objectives, and from one ' +
    'whose start is the minimiser',
  check: (subject, env) =>
    env.forAll(
      twoObjectives,
      ({ one, other, tolerance }): Violation | undefined => {
        const effort = (objective: Objective): number | undefined => {
          let evaluations = 0;
          const { problem } = solvable(objective);
          const found = solve(
            subject,
            {
              ...problem,
              valueAndGradientInto: (out, x) => {
                evaluations++;
                return problem.valueAndGradientInto(out, x);
              },
            },
            tolerance * objective.radius,
          );
          return found === undefined ? undefined : evaluations;
        };
        const solvedAtStart = { ...one, target: one.start, slope: 0 };
        const efforts = [one, other, solvedAtStart].map(effort);
        const most = subject.plugin.evaluations?.(subject.params) ?? Infinity;
        const above = efforts.find((count) => !((count ?? 0) <= most));
        if (above !== undefined)
          return { what: `it evaluates the objective ${above} times; it says ${most} at most` };
        if (efforts.every((count) => count === efforts[0])) return undefined;
        const [first, second, third] = efforts.map((count) =>
          count === undefined ? 'a typed error' : `${count} evaluations`,
        );
        return {
          what:
            `objectives that share domain, start, constants and tolerance take ${first}, ` +
            `${second} and, started at its minimiser, ${third}`,
          input: { one, other, tolerance },
        };
      },
      { runs: 120 },
    ),
});

/** A solver is deterministic and has no memory. */
export const deterministic = defineLaw<'solver'>({
  id: 'solver/deterministic',
  kind: 'solver',
  tier: 'search',
  statement:
    'equal problems have equal solutions, bit for bit, whatever was solved before; ' +
    'start and earlier points are not modified',
  power: 'any bit, for 60 pairs of objectives',
  check: (subject, env) =>
    env.forAll(
      fc.tuple(objectives, objectives),
      ([one, other]) => {
        const { problem, resolution } = solvable(one);
        const begin = problem.start.slice();
        const first = solve(subject, problem, resolution);
        if (!problem.start.every((x, j) => Object.is(x, begin[j])))
          return { what: 'it changes the start of its problem' };
        if (first === undefined) return undefined;
        const kept = first.point.slice();
        solve(subject, solvable(other).problem, resolution);
        if (!first.point.every((x, j) => Object.is(x, kept[j])))
          return { what: 'solving another problem changes the point of the first solution' };
        first.point.fill(NaN);
        const again = solve(subject, solvable(one).problem, resolution);
        return again !== undefined &&
          Object.is(again.distance, first.distance) &&
          again.point.every((x, j) => Object.is(x, kept[j]))
          ? undefined
          : {
              what:
                `the same problem is solved by [${Array.from(kept).join(', ')}] and then by ` +
                `[${again === undefined ? 'a typed error' : Array.from(again.point).join(', ')}]`,
            };
      },
      { runs: 60 },
    ),
});
