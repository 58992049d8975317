import { defined, l2Ball, wholeSpace } from '@lethe/numerics';
import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import fc from 'fast-check';
import { both, firstOf } from '../../common/compare.js';
import { answered, finished } from '../../common/finished.js';
import { above, differs, first, noted } from '../../common/judging.js';
import { listOf, powers } from '../../common/inputs.js';
import { apart, dot, minus, plus } from '../../common/vectors.js';
import { exactDescentRisk, worstByChoices, worstByRecursion } from './exact-sgd.js';
import { quadratic, quadraticInputs, eachSequence, kept, type QuadraticInput } from './problems.js';
import type { OptimizerSubject } from './subject.js';

type CheckOf = (subject: OptimizerSubject) => ClaimCheck;

interface StepInput {
  readonly risk: QuadraticInput;
  readonly share: number;
  readonly size: number;
  readonly error: readonly number[];
  readonly from: readonly number[];
  readonly elsewhere: readonly number[];
}
const stepInputs = fc.record({
  risk: quadraticInputs(3),
  share: fc.integer({ min: 1, max: 8 }).map((k) => k / 8),
  size: fc.oneof(fc.constant(0), powers(-4, 4)),
  error: listOf(3, -4, 4),
  from: listOf(3, -4, 4),
  elsewhere: listOf(3, -4, 4),
});

/** One step of Algorithm 7 on a ball, and the quantities that the proof of Proposition 32 uses. */
function stepOf(subject: OptimizerSubject, { risk, share, size, error, from, elsewhere }: StepInput) {
  const { value, gradient, smoothness, convexity } = quadratic(risk);
  const domain = l2Ball({ dimension: 3, radius: 2 });
  const onto = (w: readonly number[]): Float64Array =>
    domain.projectInto(new Float64Array(3), Float64Array.from(w));
  const stepSize = share / smoothness;
  const start = onto(from.map((k) => k / 2));
  const other = onto(elsewhere.map((k) => k / 2));
  const wrong = error.map((entry) => size * entry);
  const next = finished(
    subject.weightedSgd({
      rounds: 0,
      stepSizes: [stepSize],
      weights: [1],
      domain,
      start,
      oracle: (point) => answered(plus(gradient(point), wrong)),
    }),
  );
  const seen = {
    stepSize,
    convexity,
    smoothness,
    distance: apart(start, other),
    gap: value(next) - value(other),
    inner: dot(wrong, minus(next, other)),
    moved: apart(start, next),
  };
  return {
    left: apart(next, other),
    inside: domain.contains(next, 1e-12),
    seen,
    slack:
      1e-12 *
      (1 +
        seen.distance +
        stepSize * (Math.abs(seen.gap) + Math.abs(seen.inner) + value(start) + value(other)) +
        seen.moved),
  };
}

/**
 * A step of length 1/(2β) on an isotropic quadratic without error, for which the inequality is an equality.
 */
const isotropic: StepInput = {
  risk: { eigenvalues: [1, 1, 1], direction: [0, 0, 0], centre: [0, 0, 0] },
  share: 0.5,
  size: 0,
  error: [0, 0, 0],
  from: [2, 0, 0],
  elsewhere: [0, 0, 0],
};

/** Row C41. */
export const gradientStep: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/sgd-step',
    tier: 'search',
    statement:
      'For η ≤ 1/β, any error e and any point v in the ball: ' +
      '‖w⁺ − v‖² ≤ (1 − μη)‖w − v‖² − 2η[F(w⁺) − F(v)] − 2η⟨e, w⁺ − v⟩ + (βη − 1)‖w − w⁺‖²; ' +
      'with equality on isotropic quadratics without a constraint.',
    power: 'Twice the gap, twice the contraction, or once more the length of the step.',
    run: (env) =>
      both(
        env.forAll(
          stepInputs,
          (input) => {
            const { left, inside, seen, slack } = stepOf(subject, input);
            return first(
              inside ? undefined : { what: 'w⁺ is outside the ball', measured: 1, allowed: 0 },
              above('‖w⁺ − v‖²', left, subject.gradientStepBound(seen), slack),
            );
          },
          { runs: 600, examples: [isotropic] },
        ),
        env.forAll(
          fc.constant(isotropic),
          (input) => {
            const { left, seen } = stepOf(subject, input);
            return differs('‖w⁺ − v‖² on an isotropic quadratic', left, subject.gradientStepBound(seen));
          },
          { runs: 1 },
        ),
      ),
  });

/** Row C41, Eq. 48 as printed: fails. */
export const printedGradientStep: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/sgd-step-printed',
    tier: 'exact',
    statement:
      'The same with (βη − 2) for (βη − 1), as Eq. 48 prints (R5), on ½‖w‖² with η = ½ and no error.',
    power: 'From w = (1, 0, 0) the left side is 1/4 and the right side 0.',
    run: (env) =>
      env.forAll(
        fc.constant(isotropic),
        (input) => {
          const { left, seen, slack } = stepOf(subject, input);
          return above('‖w⁺ − v‖²', left, subject.printedGradientStepBound(seen), slack);
        },
        { runs: 1 },
      ),
  });

/** Row C42: Lemma 33 with the step sizes and weights, which the paper does not print. */
export const stochasticSteps: CheckOf = (subject) => {
  let most = 0;
  return defineClaimCheck({
    id: 'lowy/stochastic-steps',
    tier: 'search',
    statement:
      'The shipped step sizes are at most 1/g, the weights are non-negative, and the largest (b/Z) Σ ζ_t ' +
      's_t + a r_{T+1} that the recursion of Lemma 33 permits is at most a quarter of 32 g r_0 ' +
      'exp(−aT/2g) + 36c/(aT); up to g/a = 4096 and T = 5000.',
    power:
      'The largest value is exact: found backwards, and by trying all choices for T ≤ 7. Equal weights, ' +
      'or steps that shrink from the start, violate the lemma.',
    run: (env) =>
      noted(
        both(
          env.forAll(
            fc.record({
              a: powers(-6, 6),
              condition: fc.oneof(powers(0, 12), fc.integer({ min: 1, max: 50 })),
              rounds: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 5000 })),
              start: fc.constantFrom(0, 1, 1024),
              c: fc.constantFrom(0, 2 ** -8, 1, 256),
            }),
            ({ a, condition, rounds, start, c }) => {
              const g = a * condition;
              const { stepSizes, weights } = subject.stochasticStepSizes({
                convexity: a,
                smoothness: g,
                rounds,
              });
              const worst = worstByRecursion({ a, stepSizes, weights }, a);
              const value = worst.start * start + worst.noise * c;
              const bound = subject.stichBound({ a, c, g, start, rounds });
              if (bound > 0) most = Math.max(most, value / bound);
              return first(
                differs('the number of steps', stepSizes.length, rounds + 1),
                above('the longest step', Math.max(...stepSizes), 1 / g),
                above('0, against the least weight', 0, Math.min(...weights)),
                above('the worst value', value, bound / 4, 1e-9 * bound + 1e-300),
              );
            },
            {
              runs: 600,
              examples: [
                { a: 1, condition: 1, rounds: 400, start: 1, c: 0 },
                { a: 1, condition: 16, rounds: 4000, start: 1024, c: 0 },
                { a: 1, condition: 1, rounds: 1, start: 1, c: 1 },
              ],
            },
          ),
          env.forAll(
            fc.record({
              condition: fc.integer({ min: 1, max: 12 }),
              rounds: fc.integer({ min: 1, max: 7 }),
              start: fc.constantFrom(0, 1, 8),
              c: fc.constantFrom(0, 1, 4),
            }),
            ({ condition, rounds, start, c }) => {
              const { stepSizes, weights } = subject.stochasticStepSizes({
                convexity: 1,
                smoothness: condition,
                rounds,
              });
              const worst = worstByRecursion({ a: 1, stepSizes, weights }, 1);
              return differs(
                'the worst value, by all choices',
                worstByChoices({ a: 1, b: 2, c, gain: 0, start, stepSizes, weights }, 1),
                worst.start * start + worst.noise * c,
              );
            },
            { runs: 100 },
          ),
        ),
        () => `largest share of the bound ${most.toFixed(3)}`,
      ),
  });
};

interface RunInput {
  readonly eigenvalues: readonly number[];
  readonly offsets: readonly number[];
  readonly direction: readonly number[];
  readonly noise: readonly number[];
  readonly bias: number;
  readonly size: number;
  readonly rounds: number;
}
const runInputs = (dimension: number, longest: number) =>
  fc.record({
    eigenvalues: fc.array(powers(-4, 2), { minLength: dimension, maxLength: dimension }),
    offsets: listOf(dimension, -4, 4),
    direction: listOf(dimension, -3, 3),
    noise: listOf(dimension, 0, 4),
    bias: fc.constantFrom(0, 0.25, 4),
    size: fc.constantFrom(0, 0.5, 8),
    rounds: fc.integer({ min: 1, max: longest }),
  });

const problemOf = ({ eigenvalues, offsets, direction, noise, bias, size, rounds }: RunInput) => {
  const length = Math.hypot(...direction) || 1;
  const convexity = Math.min(...eigenvalues);
  const smoothness = Math.max(...eigenvalues);
  const variances = noise.map((k) => size ** 2 * k);
  const pushed = direction.map((entry) => (bias * entry) / length);
  const run = {
    smoothness,
    convexity,
    diameter: Math.hypot(...offsets),
    rounds,
    variance: variances.reduce((sum, one) => sum + one, 0),
    bias: Math.hypot(...pushed),
  };
  return { eigenvalues, offsets, bias: pushed, variances, run };
};

/** Row C43: Proposition 32. */
export const stronglyConvexBound: CheckOf = (subject) => {
  let most = 0;
  let largest = 0;
  return defineClaimCheck({
    id: 'lowy/strongly-convex-bound',
    tier: 'search',
    statement:
      'On quadratics in 1 and 10 dimensions under noise and constant bias, the exact risk of the weighted ' +
      'average is within the shipped bound and within that of Proposition 32; that risk equals the mean ' +
      'over all runs of the shipped descent with two-point noise; the shipped bound is the largest value ' +
      'that the corrected recursion permits, and at most 32βD² exp(−T/2κ) + 72Σ²/(μT) + (6 + 4κ/T)B²/μ.',
    power:
      'The shipped bound to one part in 10⁹ for T ≤ 7, a bound without noise or bias for any T, and ' +
      'every flaw of the descent that changes a mean risk.',
    run: (env) =>
      noted(
        both(
          env.forAll(
            fc.oneof(runInputs(1, 400), runInputs(10, 400)),
            (input) => {
              const { run, ...descent } = problemOf(input);
              const { stepSizes, weights } = subject.stochasticStepSizes({
                convexity: run.convexity,
                smoothness: run.smoothness,
                rounds: run.rounds,
              });
              const { average } = exactDescentRisk({ ...descent, stepSizes }, weights);
              const { smoothness: beta, convexity: mu, rounds, bias } = run;
              const corrected = subject.stronglyConvexExcessRisk(run, 'corrected');
              const proved =
                32 * beta * run.diameter ** 2 * Math.exp((-rounds * mu) / (2 * beta)) +
                (72 * run.variance) / (mu * rounds) +
                ((6 + (4 * beta) / (mu * rounds)) * bias ** 2) / mu;
              if (proved > 0) largest = Math.max(largest, corrected / proved);
              if (corrected > 0) most = Math.max(most, average / corrected);
              return first(
                above('the exact risk', average, corrected),
                above(
                  'the exact risk, by Proposition 32',
                  average,
                  subject.stronglyConvexExcessRisk(run, 'printed'),
                ),
                above('the shipped bound', corrected, proved),
              );
            },
            { runs: 400 },
          ),
          env.forAll(
            runInputs(1, 400),
            (input) => {
              const { run, ...descent } = problemOf(input);
              const { stepSizes, weights } = subject.stochasticStepSizes({
                convexity: run.convexity / 2,
                smoothness: run.smoothness,
                rounds: run.rounds,
              });
              return above(
                'the exact risk with the steps of the printed recursion',
                exactDescentRisk({ ...descent, stepSizes }, weights).average,
                subject.stronglyConvexExcessRisk(run, 'printed'),
              );
            },
            { runs: 200 },
          ),
          env.forAll(
            runInputs(2, 7),
            (input) => {
              const { run } = problemOf(input);
              const { smoothness: beta, convexity: mu, rounds, variance, bias, diameter } = run;
              const { stepSizes, weights } = subject.stochasticStepSizes({
                convexity: mu,
                smoothness: beta,
                rounds,
              });
              const worst = worstByChoices(
                {
                  a: mu,
                  b: 1,
                  c: 2 * variance,
                  gain: (2 * bias ** 2) / mu,
                  start: diameter ** 2,
                  stepSizes,
                  weights,
                },
                0,
              );
              return differs(
                'the shipped bound, against all choices',
                subject.stronglyConvexExcessRisk(run, 'corrected'),
                worst,
              );
            },
            { runs: 150 },
          ),
          env.forAll(
            runInputs(2, 4),
            (input) => {
              const { run, ...descent } = problemOf(input);
              const { stepSizes, weights } = subject.stochasticStepSizes({
                convexity: run.convexity,
                smoothness: run.smoothness,
                rounds: run.rounds,
              });
              const steps = run.rounds + 1;
              let average = 0;
              let asked = 0;
              eachSequence(4, steps, (outcome) => {
                asked = 0;
                const w = finished(
                  subject.weightedSgd({
                    rounds: run.rounds,
                    stepSizes,
                    weights,
                    domain: wholeSpace(2),
                    start: Float64Array.from(descent.offsets),
                    oracle: (point, t) => {
                      asked++;
                      return answered(
                        Float64Array.from(
                          point,
                          (entry, j) =>
                            descent.eigenvalues[j] * entry +
                            descent.bias[j] +
                            (Math.floor(outcome[t] / (j + 1)) % 2 === 0 ? 1 : -1) *
                              Math.sqrt(descent.variances[j]),
                        ),
                      );
                    },
                  }),
                );
                average +=
                  w.reduce((sum, entry, j) => sum + descent.eigenvalues[j] * entry * entry, 0) /
                  (2 * 4 ** steps);
              });
              return first(
                differs('the number of gradients', asked, steps),
                differs(
                  'the mean risk over all outcomes',
                  average,
                  exactDescentRisk({ ...descent, stepSizes }, weights).average,
                  1e-8,
                ),
              );
            },
            { runs: 25 },
          ),
        ),
        () =>
          `largest share: exact risk of the shipped bound ${most.toFixed(3)}, shipped bound of the ` +
          `closed form ${largest.toFixed(3)}`,
      ),
  });
};

/** Row C43, R4 as printed: fails. */
export const printedBatches: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/strongly-convex-batches-printed',
    tier: 'exact',
    statement:
      'Algorithm 6, which runs t = 0 … T with ⌊n/T⌋ records each, ' +
      'uses at most n records (R4); here n = 10, T = 5.',
    power: 'There are 6 batches of 2.',
    run: (env) =>
      env.forAll(
        fc.constant({ records: 10, rounds: 5 }),
        ({ records, rounds }) => {
          const seen: Float64Array[] = [];
          finished(
            subject.weightedSgd({
              rounds,
              stepSizes: Array.from({ length: rounds + 1 }, () => 0.5),
              weights: Array.from({ length: rounds + 1 }, () => 1),
              domain: wholeSpace(1),
              start: Float64Array.of(1),
              oracle: (point) => {
                seen.push(kept(point));
                return answered(kept(point));
              },
            }),
          );
          return above('the records used', seen.length * Math.floor(records / rounds), records);
        },
        { runs: 1 },
      ),
  });

/** Row C44: the choices of Theorem 34. */
export const stronglyConvexChoices: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/strongly-convex-choices',
    tier: 'search',
    statement:
      'With T of Theorem 34, βD² exp(−T/4κ) ≤ (r_k²/μ)/(n + (ε²n²/d)^((k−1)/k)), and exp(−T/2κ) for the ' +
      'shipped schedule; the clip norm is r_k(ε²n²/(dT))^(1/2k); T + 1 batches fit; the rate printed for ' +
      'these numbers is the explicit bound, up to the rounding of batches.',
    power:
      'A number of rounds that is smaller by more than one; ' +
      'one part in 10⁹ of the clip norm; an exponent of the bound.',
    run: (env) =>
      env.forAll(
        fc.record({
          bits: fc.integer({ min: 4, max: 22 }),
          dimension: fc.integer({ min: 1, max: 1000 }),
          epsilon: powers(-3, 3),
          order: fc.constantFrom(2, 2.5, 3, 4, 8),
          moment: powers(-3, 6),
          thinner: powers(-4, 0),
          diameter: powers(-3, 3),
          convexity: powers(-6, 3),
          condition: powers(0, 6),
          name: fc.constantFrom('printed' as const, 'corrected' as const),
        }),
        ({
          bits,
          dimension: d,
          epsilon,
          order: k,
          moment,
          thinner,
          diameter: D,
          convexity: mu,
          condition,
          name,
        }) => {
          const n = 2 ** bits;
          const beta = mu * condition;
          const secondMoment = thinner * moment;
          const spread = (epsilon * n) ** 2 / d;
          const {
            rounds: T,
            batches,
            batchSize,
            clipNorm,
            noise,
            variance,
            bias,
            printedBound,
            excessRisk,
          } = subject.smoothStronglyConvexSchedule(
            {
              slots: n,
              dimension: d,
              smoothness: beta,
              convexity: mu,
              diameter: D,
              order: k,
              moment,
              secondMoment,
              epsilon,
            },
            name,
          );
          const forgotten = name === 'printed' ? 4 : 2;
          const uneven = (n / (batchSize * T)) ** 2;
          const run = { smoothness: beta, convexity: mu, diameter: D, rounds: T, variance, bias };
          const start = 32 * beta * D ** 2 * Math.exp(-T / (4 * condition));
          const explicit =
            start +
            uneven *
              ((((288 + 2 / (k - 1) ** 2) * moment ** 2) / mu) *
                ((d * T) / (epsilon * n) ** 2) ** ((k - 1) / k) +
                (72 * secondMoment ** 2) / (mu * n));
          return first(
            T === n - 1
              ? undefined
              : above(
                  'what is left of the start',
                  beta * D ** 2 * Math.exp(-T / (forgotten * condition)),
                  moment ** 2 / mu / (n + spread ** ((k - 1) / k)),
                ),
            T === 1 || T === n - 1
              ? undefined
              : above(
                  'what would be left one round earlier, from below',
                  moment ** 2 / mu / (n + spread ** ((k - 1) / k)),
                  beta * D ** 2 * Math.exp(-(T - 1) / (forgotten * condition)),
                ),
            differs('the number of batches', batches, T + 1),
            above('the records used', batches * batchSize, n),
            differs('C', clipNorm, moment * (spread / T) ** (1 / (2 * k))),
            differs('σ', noise, (2 * clipNorm) / (batchSize * epsilon)),
            name === 'printed'
              ? above('the printed bound', defined(printedBound), explicit)
              : differs('the bound', excessRisk, subject.stronglyConvexExcessRisk(run, 'corrected')),
            firstOf([
              above('the bias', bias, moment ** k / ((k - 1) * clipNorm ** (k - 1))),
              above('the variance', variance, d * noise ** 2 + secondMoment ** 2 / batchSize),
            ]),
          );
        },
        { runs: 600 },
      ),
  });
