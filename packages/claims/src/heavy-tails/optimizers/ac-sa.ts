import { InvalidParameter, plainLoops } from '@lethe/core';
import { box, l2Ball, type Domain } from '@lethe/numerics';
import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import fc, { type Arbitrary } from 'fast-check';
import { both, firstOf } from '../../common/compare.js';
import { answered, finished } from '../../common/finished.js';
import { above, differs, first, noted } from '../../common/judging.js';
import { listOf, powers } from '../../common/inputs.js';
import { apart, dot, minus, plus } from '../../common/vectors.js';
import { quadratic, quadraticInputs, kept, type QuadraticInput } from './problems.js';
import type { OptimizerSubject } from './subject.js';

type CheckOf = (subject: OptimizerSubject) => ClaimCheck;

const all = Array.from({ length: 1000 }, (_, t) => t + 1);

/** Row C35. */
export const acSaSchedule: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/ac-sa-schedule',
    tier: 'exact',
    statement:
      'α_t = 2/(t+1) and γ_t = 2/(t(t+1)) satisfy γ_1 = 1 and γ_t = (1 − α_t) γ_{t−1}, so that Σ α_τ/γ_τ ' +
      '= 1/γ_t; η_t = 2ηγ_t, above βα_t² for every η ≥ β; t up to 1000.',
    power: 'One weight that is off by one part in 10⁹.',
    run: (env) =>
      env.forAll(
        fc.constantFrom(1, 1.5, 2, 10),
        (ratio) => {
          const { momentumAt, productAt, proximityAt, nextProduct } = subject;
          let sum = 0;
          return first(
            differs('γ_1', productAt(1), 1),
            differs('α_1', momentumAt(1), 1),
            firstOf(
              all.map((t) => {
                sum += momentumAt(t) / productAt(t);
                return first(
                  t === 1
                    ? undefined
                    : differs(
                        `γ_${t}`,
                        productAt(t),
                        nextProduct({ momentum: momentumAt(t), before: productAt(t - 1), now: productAt(t) }),
                      ),
                  differs(`Σ α/γ up to ${t}`, sum, 1 / productAt(t)),
                  differs(`η_${t}/γ_${t}`, proximityAt(ratio, t) / productAt(t), 2 * ratio),
                  momentumAt(t) ** 2 < proximityAt(ratio, t)
                    ? undefined
                    : {
                        what: `η_${t} is not above βα_${t}²`,
                        measured: momentumAt(t) ** 2,
                        allowed: proximityAt(ratio, t),
                      },
                );
              }),
            ),
          );
        },
        { runs: 4, examples: [1, 1.5, 2, 10] },
      ),
  });

/** Row C35, as printed: fails. */
export const printedAcSaSchedule: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/ac-sa-schedule-printed',
    tier: 'exact',
    statement: 'The weights of Proposition 30 satisfy γ_t = (1 − α_t) γ_t, as printed (R3).',
    power: 'At t = 2 the left side is 1/3 and the right side 1/9.',
    run: (env) =>
      env.forAll(
        fc.constant(2),
        (t) =>
          differs(
            `γ_${t}`,
            subject.productAt(t),
            subject.printedNextProduct({
              momentum: subject.momentumAt(t),
              before: subject.productAt(t - 1),
              now: subject.productAt(t),
            }),
          ),
        { runs: 1 },
      ),
  });

/** A domain around the origin, with the minimum of a linear function on it. */
interface Shape {
  readonly domain: Domain;
  readonly least: (slope: ArrayLike<number>) => number;
}
const ballOf = (dimension: number, radius: number): Shape => ({
  domain: l2Ball({ dimension, radius }),
  least: (slope) => -radius * Math.sqrt(dot(slope, slope)),
});
const boxOf = (sides: readonly number[]): Shape => ({
  domain: box({ lower: Float64Array.from(sides, (side) => -side), upper: Float64Array.from(sides) }),
  least: (slope) => sides.reduce((sum, side, j) => sum - side * Math.abs(slope[j]), 0),
});

/** The record of a run: `w_0 … w_T`, the points queried, the answers, and the output. */
interface Seen {
  readonly iterates: readonly Float64Array[];
  readonly aggregates: readonly Float64Array[];
  readonly points: readonly Float64Array[];
  readonly answers: readonly Float64Array[];
  readonly result: Float64Array;
}

/** Runs one round more than requested, so that every iterate is observed. */
function seenRun(
  subject: OptimizerSubject,
  {
    domain,
    start,
    rounds,
    eta,
  }: { readonly domain: Domain; readonly start: Float64Array; readonly rounds: number; readonly eta: number },
  answer: (point: Float64Array, t: number) => Float64Array,
): Seen {
  const iterates: Float64Array[] = [];
  const aggregates: Float64Array[] = [];
  const points: Float64Array[] = [];
  const answers: Float64Array[] = [];
  const run = (many: number) =>
    finished(
      subject.acSa({
        rounds: many,
        eta,
        domain,
        start,
        oracle: (point, t) => {
          if (many > rounds) points.push(kept(point));
          const told = answer(kept(point), t);
          if (many > rounds) answers.push(told);
          return answered(told);
        },
        ...(many > rounds
          ? {
              loops: plainLoops(([{ w, aggregate }]) => {
                iterates.push(kept(w as Float64Array));
                aggregates.push(kept(aggregate as Float64Array));
              }),
            }
          : {}),
      }),
    );
  run(rounds + 1);
  if (iterates.length !== rounds + 1)
    throw new InvalidParameter(
      `acSa began ${iterates.length} of ${rounds + 1} rounds by its loops; the checks see its iterates ` +
        'by them: count by loops.rounds, and declare w and aggregate as its state',
      { begun: iterates.length, rounds: rounds + 1 },
    );
  return { iterates, aggregates, points, answers, result: run(rounds) };
}

/** Row C36. */
export const acSaStep: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/ac-sa-step',
    tier: 'search',
    statement:
      'On balls and boxes every iterate of Algorithm 5 minimises α_t⟨g, w⟩ + (η_t/2)‖w_{t−1} − w‖² on ' +
      'the domain, by the first-order optimality condition; it queries the gradient at (1 − α_t) w^ag + ' +
      'α_t w and averages with α_t.',
    power: 'A step that is off by one part in 10⁸, no projection, or one onto a larger set.',
    run: (env) =>
      env.forAll(
        fc.tuple(
          fc.boolean(),
          listOf(3, 1, 8),
          fc.array(listOf(3, -6, 6), { minLength: 5, maxLength: 5 }),
          powers(-3, 4),
        ),
        ([round, sides, answers, eta]) => {
          const { domain, least } = round ? ballOf(3, sides[0] / 4) : boxOf(sides.map((k) => k / 4));
          const start = domain.projectInto(new Float64Array(3), Float64Array.of(1, -0.5, 0.25));
          const { iterates, aggregates, points, result } = seenRun(
            subject,
            { domain, start, rounds: 4, eta },
            (_, t) => Float64Array.from(answers[t - 1]),
          );
          const near = (
            what: string,
            one: ArrayLike<number>,
            other: ArrayLike<number>,
          ): Violation | undefined => above(what, Math.sqrt(apart(one, other)), 1e-12);
          return first(
            near('the result, from the last average', result, aggregates[4]),
            ...[1, 2, 3, 4].map((t) => {
              const alpha = subject.momentumAt(t);
              const mix = (one: Float64Array, other: Float64Array): Float64Array =>
                plus(
                  one.map((entry) => (1 - alpha) * entry),
                  other.map((entry) => alpha * entry),
                );
              const pull = minus(iterates[t], iterates[t - 1]).map(
                (entry, j) => alpha * answers[t - 1][j] + subject.proximityAt(eta, t) * entry,
              );
              return first(
                domain.contains(iterates[t], 1e-12)
                  ? undefined
                  : { what: `w_${t} is outside the domain`, measured: 1, allowed: 0 },
                above(
                  `⟨the slope at w_${t}, w_${t}⟩ over its least value on the domain`,
                  dot(pull, iterates[t]) - least(pull),
                  1e-9 * (1 + eta + Math.sqrt(dot(pull, pull))),
                ),
                near(
                  `the point asked about in round ${t}, from the mixture`,
                  points[t - 1],
                  mix(aggregates[t - 1], iterates[t - 1]),
                ),
                near(`w_${t}^ag, from the mixture`, aggregates[t], mix(aggregates[t - 1], iterates[t])),
              );
            }),
          );
        },
        { runs: 150 },
      ),
  });

interface PathInput {
  readonly risk: QuadraticInput;
  readonly rounds: number;
  readonly ratio: number;
  readonly size: number;
  readonly errors: readonly (readonly number[])[];
  readonly elsewhere: readonly number[];
}
const dimension = 3;
const longest = 20;
const pathInputs: Arbitrary<PathInput> = fc.record({
  risk: quadraticInputs(dimension, { flat: true }),
  rounds: fc.integer({ min: 1, max: longest }),
  ratio: fc.constantFrom(1, 1.25, 2, 16),
  size: fc.oneof(fc.constant(0), powers(-6, 5)),
  errors: fc.array(listOf(dimension, -4, 4), { minLength: longest, maxLength: longest }),
  elsewhere: listOf(dimension, -8, 8),
});
const alike = (errors: readonly number[]): PathInput['errors'] =>
  Array.from({ length: longest }, () => errors);
const hardRuns: readonly PathInput[] = [
  // A long run, ill-conditioned and without errors.
  {
    risk: { eigenvalues: [8, 0.125, 0.125], direction: [1, 2, 0], centre: [-0.5, 0.25, 0] },
    rounds: longest,
    ratio: 1,
    size: 0,
    errors: alike([0, 0, 0]),
    elsewhere: [-4, 2, 0],
  },
  // Nearly linear, with an error that keeps the run at its start.
  {
    risk: { eigenvalues: [0.125, 0.125, 0.125], direction: [0, 0, 0], centre: [64, 0, 0] },
    rounds: longest,
    ratio: 4096,
    size: 1,
    errors: alike([8, 0, 0]),
    elsewhere: [4, 0, 0],
  },
];

function pathViolation(
  subject: OptimizerSubject,
  { risk, rounds, ratio, size, errors, elsewhere }: PathInput,
): Violation | undefined {
  const { value, gradient, smoothness } = quadratic(risk);
  const eta = ratio * (smoothness || 1);
  const { domain } = ballOf(dimension, 1);
  const onto = (w: ArrayLike<number>): Float64Array =>
    domain.projectInto(new Float64Array(dimension), Float64Array.from(w));
  const start = onto([0.5, -0.5, 0.5]);
  const errorAt = (t: number): Float64Array =>
    Float64Array.from(errors[(t - 1) % longest], (entry) => size * entry);
  const { iterates, result } = seenRun(subject, { domain, start, rounds, eta }, (point, t) =>
    plus(gradient(point), errorAt(t)),
  );
  return firstOf(
    [onto(risk.centre), onto(elsewhere.map((k) => k / 4)), onto(elsewhere.map((k) => -k)), start].map((w) => {
      const seen = Array.from({ length: rounds }, (_, t) => ({
        inner: dot(errorAt(t + 1), minus(w, iterates[t])),
        norm: Math.sqrt(dot(errorAt(t + 1), errorAt(t + 1))),
      }));
      const bound = subject.acSaPathwiseBound({
        rounds,
        eta,
        smoothness,
        startDistance: Math.sqrt(apart(start, w)),
        errors: seen,
      });
      const whole = subject.acSaPathwiseBound({
        rounds,
        eta,
        smoothness,
        startDistance: Math.sqrt(apart(start, w)),
        errors: seen,
        factor: 1,
      });
      const slack = 1e-11 * (1 + smoothness + eta) * (1 + size * rounds);
      return first(
        above('F(w_T^ag) − F(w)', value(result) - value(w), bound, slack),
        above('the bound with half of the last term', bound, whole, slack),
      );
    }),
  );
}

/** Row C37: Eq. 42. */
export const acSaPathwise: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/ac-sa-pathwise',
    tier: 'search',
    statement:
      'For any errors of the gradient, any convex quadratic on a ball, any η ≥ β and any w in the ball, ' +
      'Eq. 42 bounds F(w_T^ag) − F(w), even with half of its last term.',
    power:
      'Gradients at the iterate, η_t one round off, ' +
      'and a bound without either of its two terms in the error.',
    run: (env) =>
      env.forAll(pathInputs, (input) => pathViolation(subject, input), { runs: 600, examples: hardRuns }),
  });

/** Row C38: the sum behind Eq. 30b. */
export const acSaNoiseSum: CheckOf = (subject) => {
  let most = 0;
  return defineClaimCheck({
    id: 'lowy/ac-sa-noise-sum',
    tier: 'exact',
    statement:
      'γ_T Σ 2α_t²/(γ_t(η_t − βα_t²)) is at most 4(T+2)/(3η), the noise term of Eq. 30b, for T up to 400 ' +
      'and η/β in {2, 3, 10, 1000}; the term for the starting point is γ_T η_1 D²/2, and the term for ' +
      'the bias is γ_T Σ (α_t/γ_t) B D.',
    power: 'A noise term that is a hundredth smaller; of the others, one part in 10⁹.',
    run: (env) =>
      noted(
        env.forAll(
          fc.constantFrom(2, 3, 10, 1000),
          (eta) => {
            const { momentumAt, productAt, proximityAt, acSaExcessRisk } = subject;
            let sum = 0;
            let weights = 0;
            return firstOf(
              all.slice(0, 400).map((T) => {
                sum += (2 * momentumAt(T) ** 2) / (productAt(T) * (proximityAt(eta, T) - momentumAt(T) ** 2));
                weights += momentumAt(T) / productAt(T);
                const none = { rounds: T, eta, error: 0, bias: 0, diameter: 0 };
                const noise = acSaExcessRisk({ ...none, error: 1 });
                most = Math.max(most, (productAt(T) * sum) / noise);
                return first(
                  above(`the sum up to ${T} at η = ${eta}β`, productAt(T) * sum, noise),
                  differs(
                    'the term of the start',
                    acSaExcessRisk({ ...none, diameter: 3 }),
                    (productAt(T) * proximityAt(eta, 1) * 9) / 2,
                  ),
                  differs(
                    'the term of the bias',
                    acSaExcessRisk({ ...none, diameter: 3, bias: 0.5 }) -
                      acSaExcessRisk({ ...none, diameter: 3 }),
                    productAt(T) * weights * 1.5,
                  ),
                );
              }),
            );
          },
          { runs: 4, examples: [2, 3, 10, 1000] },
        ),
        () => `largest share of the bound ${most.toFixed(4)}`,
      ),
  });
};

/** A risk on `[−1, 1]`: `½β(w − ½)² + aw`. */
const lineRisk = (beta: number, a: number) => {
  const value = (w: number): number => (beta / 2) * (w - 0.5) ** 2 + a * w;
  const minimiser = beta === 0 ? -Math.sign(a) : Math.max(-1, Math.min(1, 0.5 - a / beta));
  return {
    gradient: (w: number): number => beta * (w - 0.5) + a,
    excess: (w: number): number => value(w) - value(minimiser),
  };
};

function lineRun(
  subject: OptimizerSubject,
  {
    beta,
    a,
    rounds,
    eta,
  }: { readonly beta: number; readonly a: number; readonly rounds: number; readonly eta: number },
  error: (t: number, w: number) => number,
): number {
  const { gradient, excess } = lineRisk(beta, a);
  const { domain } = ballOf(1, 1);
  return excess(
    finished(
      subject.acSa({
        rounds,
        eta,
        domain,
        start: Float64Array.of(-1),
        oracle: (point, t) => answered(Float64Array.of(gradient(point[0]) + error(t, point[0]))),
      }),
    )[0],
  );
}

/** Row C39: Proposition 30 in expectation. */
export const acSaExpectation: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/ac-sa-expectation',
    tier: 'exact',
    statement:
      'The mean excess risk over all 2^T runs with a bias and noise ±Σ, smaller after a favourable past, ' +
      'is within the bound on quadratic and linear risks; so is the excess risk after 2000 rounds of ' +
      'constant bias against a linear risk, and for a linear risk without any error at η near 0.',
    power:
      'A bound without its noise term, or without BD: ' +
      'the run of constant bias loses more than the rest of the bound.',
    run: (env) =>
      both(
        env.forAll(
          fc.record({
            beta: fc.constantFrom(0, 0.5, 5),
            a: fc.constantFrom(-1, -0.25, -0.02),
            bias: fc.constantFrom(0, 0.3),
            size: fc.constantFrom(0.1, 2),
            rounds: fc.integer({ min: 1, max: 7 }),
            adaptive: fc.boolean(),
          }),
          ({ beta, a, bias, size, rounds, adaptive }) => {
            const error = Math.hypot(size, bias);
            const eta = Math.max(2 * beta, (rounds ** 1.5 * error) / 2);
            let expected = 0;
            for (let outcome = 0; outcome < 2 ** rounds; outcome++) {
              // The assumptions bound only the conditional mean and second moment, so the size of the noise
              // may depend on the past of the run.
              expected +=
                lineRun(
                  subject,
                  { beta, a, rounds, eta },
                  (t, w) =>
                    bias + (adaptive && w > 0 ? 0.5 : 1) * ((outcome >> (t - 1)) % 2 === 1 ? size : -size),
                ) /
                2 ** rounds;
            }
            return above(
              'the expected excess risk',
              expected,
              subject.acSaExcessRisk({ rounds, eta, error, bias, diameter: 2 }),
            );
          },
          { runs: 120, examples: [{ beta: 0, a: -1, bias: 0, size: 2, rounds: 1, adaptive: false }] },
        ),
        env.forAll(
          fc.constant(0.3),
          (bias) => {
            const rounds = 2000;
            const eta = (rounds ** 1.5 * bias) / 2;
            return above(
              'the excess risk under a constant bias',
              lineRun(subject, { beta: 0, a: -0.299, rounds, eta }, () => bias),
              subject.acSaExcessRisk({ rounds, eta, error: bias, bias, diameter: 2 }),
            );
          },
          { runs: 1 },
        ),
        env.forAll(
          fc.constantFrom(1, 1e-3, 1e-9),
          (eta) =>
            above(
              'the excess risk without errors',
              lineRun(subject, { beta: 0, a: -0.25, rounds: 4, eta }, () => 0),
              subject.acSaExcessRisk({ rounds: 4, eta, error: 0, bias: 0, diameter: 2 }),
            ),
          { runs: 3, examples: [1, 1e-3, 1e-9] },
        ),
        // The bound at the tightest η must pay for what noise alone
        // does: a step so long that only the sign of the answer counts.
        env.forAll(
          fc.integer({ min: 1, max: 6 }),
          (k) => {
            const size = 2 ** k;
            const eta = 2 ** -k;
            const expected = [size, -size].reduce(
              (sum, noise) => sum + lineRun(subject, { beta: 0, a: -1, rounds: 1, eta }, () => noise) / 2,
              0,
            );
            return above(
              'the expected excess risk of one long step',
              expected,
              subject.acSaExcessRisk({ rounds: 1, eta, error: size, bias: 0, diameter: 2 }),
            );
          },
          { runs: 6 },
        ),
      ),
  });

/** Row C39, R45 as printed: fails. */
export const printedDiameter: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/ac-sa-diameter-printed',
    tier: 'exact',
    statement:
      'The bound of Proposition 30 holds with D for the distance from the start ' +
      'to the minimiser, as its hypothesis reads (R45): for F(w) = w on [−1, ' +
      '1] from its minimiser −1, with a bias of −2, T = 200 and η = 5000.',
    power: 'The run loses 1.01, and the printed bound at D = 0 is 0.22; at the diameter it is more than 4.',
    run: (env) =>
      env.forAll(
        fc.constant({ rounds: 200, eta: 5000 }),
        ({ rounds, eta }) =>
          above(
            'the excess risk from the minimiser',
            lineRun(subject, { beta: 0, a: 1, rounds, eta }, () => -2),
            subject.acSaExcessRisk({ rounds, eta, error: 2, bias: 2, diameter: 0 }, 'printed'),
          ),
        { runs: 1 },
      ),
  });
