import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import type { ConvergenceSubject } from './convergence-subject.js';
import { both } from '../common/compare.js';
import { above, differs, first } from '../common/judging.js';
import { dot } from '../common/vectors.js';
import { logistic, logisticInputs, pathsOf } from './logistic.js';
import {
  gradientOf,
  quadratic,
  quadraticInputs,
  riskOf,
  squared,
  stepMoments,
  type Quadratic,
} from './quadratics.js';

type CheckOf = (subject: ConvergenceSubject) => ClaimCheck;

/** Step sizes as multiples of `p_j/M_j`, from very short to twice the canonical length. */
const multiples = fc.array(
  fc.integer({ min: -4, max: 2 }).map((k) => 2 ** k),
  { minLength: 4, maxLength: 4 },
);
const stepSizesOf = ({ marginals, smoothness }: Quadratic, factors: readonly number[]): Float64Array =>
  marginals.map((p, j) => (factors[j] * p) / smoothness[j]);
/** Rounding error of cancelling terms. */
const slackOf = (...terms: readonly number[]): number =>
  1e-12 * terms.reduce((sum, term) => sum + Math.abs(term), 0);

function descentAt(
  subject: ConvergenceSubject,
  problem: Quadratic,
  stepSizes: Float64Array,
  alpha: number,
  elsewhere: number,
): { readonly left: number; readonly right: number; readonly slack: number } {
  const { hessian, smoothness, marginals, start } = problem;
  const step = stepMoments(problem, stepSizes);
  const risk = riskOf(hessian, start);
  const bound = subject.descentBound({
    gradient: gradientOf(hessian, start),
    marginals,
    stepSizes,
    smoothness,
    noise: step.noise,
  });
  const left = step.risk - elsewhere - (1 - alpha) * (risk - elsewhere);
  const right = alpha * (risk - elsewhere) + bound;
  return { left, right, slack: slackOf(step.risk, risk, elsewhere, bound) + 1e-10 * Math.abs(bound) };
}

/** Row 32: Lemma E.3. */
export const descentLemma: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/descent-lemma',
    tier: 'search',
    statement:
      'The expected risk after one step with any step sizes is at most the bound of Lemma E.3, ' +
      'with equality if the Hessian is Diag(M); with the step sizes p/M it equals the exact recursion.',
    power: 'A term of the bound that is wrong by one part in 10⁹ on separable quadratics.',
    run: (env) =>
      both(
        env.forAll(
          fc.tuple(
            quadraticInputs(),
            multiples,
            fc.integer({ min: 1, max: 9 }).map((k) => k / 10),
            fc.integer({ min: -4, max: 4 }),
          ),
          ([input, factors, alpha, elsewhere]) => {
            const problem = quadratic(subject, input);
            const { left, right, slack } = descentAt(
              subject,
              problem,
              stepSizesOf(problem, factors),
              alpha,
              elsewhere,
            );
            return above('the expected decrease', left, right, slack);
          },
          { runs: 300 },
        ),
        env.forAll(
          fc.tuple(quadraticInputs(), multiples),
          ([input, factors]) => {
            const { dimension, ...rest } = quadratic(subject, input);
            const hessian = rest.hessian.map((_, at) =>
              at % (dimension + 1) === 0 ? rest.smoothness[at % dimension] : 0,
            );
            const separable = { ...rest, dimension, hessian };
            const { left, right, slack } = descentAt(
              subject,
              separable,
              stepSizesOf(separable, factors),
              0.5,
              0,
            );
            return Math.abs(left - right) <= slack
              ? undefined
              : {
                  what: `on a separable quadratic the lemma is an equation, and ${left} is not ${right}`,
                  measured: left,
                  allowed: right,
                };
          },
          { runs: 200 },
        ),
        env.forAll(quadraticInputs(), (input) => {
          const problem = quadratic(subject, input);
          const { hessian, smoothness, sketch, params, noiseScale, start } = problem;
          const { rounds } = subject.exactQuadraticMoments({
            hessian,
            smoothness,
            sketch,
            params: params,
            noiseScale,
            start,
            innerSteps: 1,
            rounds: 1,
          });
          const { risk } = stepMoments(problem, stepSizesOf(problem, [1, 1, 1, 1]));
          const own = rounds[0].risks[1];
          return Math.abs(own - risk) <= 1e-9 * risk + slackOf(riskOf(hessian, start))
            ? undefined
            : {
                what: `the risk after one step by the recursion: ${own} is not ${risk}`,
                measured: own,
                allowed: risk,
              };
        }),
      ),
  });

type DistanceBound = ConvergenceSubject['distanceBound'];

function distanceViolation(
  bound: DistanceBound,
  problem: Quadratic,
  stepSizes: Float64Array,
): Violation | undefined {
  const { hessian, smoothness, marginals, start } = problem;
  const step = stepMoments(problem, stepSizes);
  const gradient = gradientOf(hessian, start);
  const weights = stepSizes.map((gamma) => 1 / gamma);
  const distance = squared(start, (j) => weights[j]);
  const expectedDistance = step.distance(weights);
  const right = bound({
    gradient,
    marginals,
    stepSizes,
    smoothness,
    noise: step.noise,
    distance,
    expectedDistance,
  });
  return above(
    '⟨θ − w*, ∇f(θ)⟩',
    dot(start, gradient),
    right,
    1e-11 * (distance + expectedDistance + step.noise(stepSizes)),
  );
}

/** The one-dimensional problem of the erratum: `f = ½ e²`, `M = P = 1`, no noise, `γ = 3/2`, from `e = 1`. */
const wrongSign = (subject: ConvergenceSubject): Quadratic =>
  quadratic(subject, { factor: [[1]], columns: [0], start: [1], noise: [0, 0], sketch: { family: 'full' } });

/** Row 33: Lemma E.4 with the sign of its proof. */
export const distanceLemma: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/distance-lemma',
    tier: 'search',
    statement:
      '⟨θ − w*, ∇f(θ)⟩ is at most the expected decrease of the squared distance in the norm of Γ⁻¹, ' +
      'plus the gradient in the signed norm of P⁻¹Γ − M⁻¹, plus the noise.',
    power: 'At the known example the bound is attained: any smaller one fails.',
    run: (env) =>
      both(
        env.forAll(
          fc.tuple(quadraticInputs(), multiples),
          ([input, factors]) => {
            const problem = quadratic(subject, input);
            return distanceViolation(subject.distanceBound, problem, stepSizesOf(problem, factors));
          },
          { runs: 300 },
        ),
        env.forAll(
          fc.constant(1.5),
          (gamma) => distanceViolation(subject.distanceBound, wrongSign(subject), Float64Array.of(gamma)),
          { runs: 1 },
        ),
      ),
  });

/** Row 33, as printed: fails. */
export const printedDistanceLemma: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/distance-lemma-printed',
    tier: 'exact',
    statement:
      'The same with M⁻¹ − P⁻¹Γ, as printed, in one dimension with M = P = 1, ' +
      'no noise and the step size 3/2.',
    power: 'At the example the left side is 1 and the right side 0.',
    run: (env) =>
      env.forAll(
        fc.constant(1.5),
        (gamma) =>
          distanceViolation(subject.printedDistanceBound, wrongSign(subject), Float64Array.of(gamma)),
        { runs: 1 },
      ),
  });

const alphas = fc.integer({ min: 1, max: 19 }).map((k) => k / 20);

/** Row 34: Lemma E.5. */
export const gapLemma: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/gap-lemma',
    tier: 'search',
    statement:
      'With step sizes p/M, Lemma E.5 bounds the expected gap after one step: ' +
      'on quadratics with noise, and on logistic losses without.',
    power:
      'A bound without the noise of the step or without the decrease of the distance. ' +
      'The lemma is not sharp: it also holds with half of that decrease.',
    run: (env) =>
      both(
        env.forAll(
          fc.tuple(quadraticInputs(), alphas),
          ([input, alpha]) => {
            const problem = quadratic(subject, input);
            const { hessian, smoothness, marginals, start } = problem;
            const gamma = marginals.map((p, j) => p / smoothness[j]);
            const step = stepMoments(problem, gamma);
            const inverse = gamma.map((size) => 1 / size);
            const stepNoise = step.noise(gamma);
            const terms = {
              gap: riskOf(hessian, start),
              distance: squared(start, (j) => inverse[j]),
              expectedDistance: step.distance(inverse),
              stepNoise,
              alpha,
            };
            return above(
              'the expected gap after a step',
              step.risk,
              subject.gapBound(terms),
              1e-11 * (terms.gap + terms.distance + terms.expectedDistance + stepNoise),
            );
          },
          { runs: 300 },
        ),
        env.forAll(fc.tuple(logisticInputs, alphas), ([input, alpha]) => {
          const problem = logistic(subject, input);
          const { value, minimiser, marginals, smoothness } = problem;
          const least = value(minimiser);
          const inverse = marginals.map((p, j) => smoothness[j] / p);
          const paths = defined(pathsOf(problem, 1));
          const away = (w: Float64Array): number =>
            squared(
              w.map((at, j) => at - minimiser[j]),
              (j) => inverse[j],
            );
          const expected = (of: (w: Float64Array) => number): number =>
            paths.reduce((sum, { probability, points }) => sum + probability * of(points[1]), 0);
          const terms = {
            gap: value(problem.start) - least,
            distance: away(problem.start),
            expectedDistance: expected(away),
            stepNoise: 0,
            alpha,
          };
          return above(
            'the expected gap after a step on a logistic loss',
            expected(value) - least,
            subject.gapBound(terms),
            1e-10 * (1 + terms.gap + terms.distance),
          );
        }),
      ),
  });

/** Row 53: the replacement of expected smoothness. */
export const expectedSmoothness: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/expected-smoothness',
    tier: 'search',
    statement:
      'With Γ = P M⁻¹, E‖Γ C ∇f‖²_M over all sets is ‖∇f‖²_{PM⁻¹}, which is at most 2 max_j p_j (f − f*).',
    power:
      'Equality to one part in 10⁹; the bound is attained where the ' +
      'Hessian is Diag(M) and all coordinates are drawn.',
    run: (env) =>
      env.forAll(
        quadraticInputs(),
        (input) => {
          const { hessian, law, marginals, smoothness, start } = quadratic(subject, input);
          const gradient = gradientOf(hessian, start);
          const mean = law.reduce(
            (sum, { coordinates, probability }) =>
              sum +
              probability *
                coordinates.reduce(
                  (inner, j) => inner + smoothness[j] * (gradient[j] / smoothness[j]) ** 2,
                  0,
                ),
            0,
          );
          const norm =
            subject.weightedNorm(
              gradient,
              marginals.map((p, j) => p / smoothness[j]),
            ) ** 2;
          return first(
            differs('the mean over sets', mean, norm),
            above('‖∇f‖² in the norm of PM⁻¹', norm, 2 * Math.max(...marginals) * riskOf(hessian, start)),
          );
        },
        { runs: 200 },
      ),
  });
