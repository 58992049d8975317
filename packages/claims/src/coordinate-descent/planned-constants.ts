import { largestEigenvalueUp } from '@lethe/mechanisms';
import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import fc from 'fast-check';
import { both } from '../common/compare.js';
import { above, differs, first } from '../common/judging.js';
import {
  componentSmoothnessOf,
  lawOf,
  lengthsMoved,
  plannedIn,
  plannedRun,
  radiusAlong,
  scenarios,
  type Extra,
  type Planned,
  type Scenario,
} from './planned-runs.js';
import { distancesViolation, partsCases, partsViolation } from './planned-parts.js';
import type { RunsSubject } from './runs-subject.js';
import type { DrawnSet } from './sketch-inputs.js';

type CheckOf = (subject: RunsSubject) => ClaimCheck;

/** Distances from the start, and strengths of a ridge. */
const terms = fc.record({
  offsets: fc.array(
    fc.integer({ min: 0, max: 40 }).map((k) => k / 8),
    { minLength: 4, maxLength: 4 },
  ),
  strengths: fc.array(
    fc.integer({ min: 1, max: 16 }).map((k) => k / 4),
    { minLength: 4, maxLength: 4 },
  ),
  isRidge: fc.boolean(),
});
type Terms = typeof terms extends fc.Arbitrary<infer T> ? T : never;

/** `E[square_S Σ_{j ∈ S} weight_j]`. */
const overSets = (
  law: readonly DrawnSet[],
  square: (coordinates: readonly number[]) => number,
  weight: (j: number) => number,
): number =>
  law.reduce((all, { coordinates, probability }) => {
    const set = Array.from(coordinates);
    return set.length === 0
      ? all
      : all + probability * square(set) * set.reduce((sum, j) => sum + weight(j), 0);
  }, 0);

const dimensionOf = ({ bounds }: Scenario): number => bounds.length;
const extraOf = (scenario: Scenario, { offsets, strengths, isRidge }: Terms): Extra => ({
  facts: Object.fromEntries(
    offsets.slice(0, dimensionOf(scenario)).map((offset, j) => [`startDistance.${j}`, offset]),
  ),
  ...(isRidge
    ? {
        regulariser: {
          name: 'l2-squared',
          params: { strength: strengths.slice(0, dimensionOf(scenario)) },
        },
      }
    : {}),
});

/** Constants of the theorem, from their definitions, at a plan's `M` and multiplier. */
function constantsOf(subject: RunsSubject, scenario: Scenario, plan: Planned) {
  const { smoothness: M, noiseMultiplier } = plan;
  const { law, marginals } = lawOf(subject, scenario, componentSmoothnessOf(scenario.bounds));
  const square = (set: readonly number[]): number => radiusAlong(scenario, M, set) ** 2;
  const perUnit = (noiseMultiplier * (lengthsMoved(scenario.adjacency) / scenario.records)) ** 2;
  const noise = overSets(law, square, (j) => 1 / (marginals[j] * M[j]));
  const riskNoise = overSets(law, square, (j) => 1 / M[j]);
  const ratios = M.map((constant, j) => constant / marginals[j]);
  return { ratios, noise, riskNoise, stepNoise: perUnit * noise, stepRiskNoise: perUnit * riskNoise };
}

/** `(Σ weights_j r_j²)`. */
const weighed = ({ offsets }: Terms, weights: readonly number[]): number =>
  weights.reduce((sum, weight, j) => sum + weight * offsets[j] ** 2, 0);

/**
 * `λ_max(M^{−½} H M^{−½})` of the Hessian at the worst records,
 * at the corners of their bounds, and at `w = 0`.
 */
function steepness({ bounds }: Scenario, smoothness: readonly number[], ridge: readonly number[]): number {
  const d = bounds.length;
  return largestEigenvalueUp(
    Float64Array.from({ length: d * d }, (_, at) => {
      const i = Math.floor(at / d);
      const j = at % d;
      const curvature = (bounds[i] * bounds[j]) / 4 + (i === j ? (ridge[i] ?? 0) : 0);
      return curvature / Math.sqrt(smoothness[i] * smoothness[j]);
    }),
  );
}

/** Row 58. */
export const plannedConstants: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/planned-constants',
    tier: 'search',
    statement:
      "The constants of a plan are the problem's: M bounds the Hessian of every data set within the " +
      'bounds, and is attained; max M/p, Σ_S² and E[L_S² Σ 1/M_j] are those of the sketch; N and N′ ' +
      'those of the noise of a step; R, Δ₀ and κ those of the facts; the bound of one round is R²/(2K) + ' +
      '(N + N′)/2, as printed R²/K + N; K and T are those of Theorem 4.2. With M along the parts of a ' +
      'partition the bound has the curvature between parts; probabilities by distances have the least R².',
    power: 'A relative error of 1e-6 of any of them, for the three optimizers with every sketch.',
    run: (env) =>
      both(
        env.forAll(
          fc.tuple(scenarios(['exact', 'theorem', 'theorem']), terms),
          ([scenario, given]) => {
            const plan = plannedIn(plannedRun(subject, scenario, extraOf(scenario, given)));
            const ridge = given.isRidge ? given.strengths.slice(0, dimensionOf(scenario)) : [];
            const M = componentSmoothnessOf(scenario.bounds).map((constant, j) => constant + (ridge[j] ?? 0));
            const { ratios, noise, riskNoise, stepNoise, stepRiskNoise } = constantsOf(
              subject,
              scenario,
              plan,
            );
            const steepest = Math.max(...ratios);
            return first(
              ...M.map((constant, j) => differs(`M of coordinate ${j}`, plan.smoothness[j], constant)),
              above('λ_max of M^{−½} ∇²f M^{−½}', steepness(scenario, plan.smoothness, ridge), 1),
              given.isRidge
                ? undefined
                : differs('λ_max of M^{−½} ∇²f M^{−½}', steepness(scenario, plan.smoothness, ridge), 1, 1e-6),
              differs('max M/p', plan.constants.smoothness, steepest, 1e-6),
              differs('Σ_S²', plan.constants.noise, noise, 1e-6),
              differs('E[L_S² Σ 1/M_j]', plan.constants.riskNoise, riskNoise, 1e-6),
              differs('N', plan.stepNoise, stepNoise, 1e-6),
              differs('N′', plan.riskNoise, stepRiskNoise, 1e-6),
              differs('R²', (plan.schedule.distance ?? Number.NaN) ** 2, weighed(given, ratios), 1e-6),
              differs('Δ₀', plan.schedule.gap ?? Number.NaN, weighed(given, M) / 2, 1e-6),
              given.isRidge
                ? differs('κ', plan.schedule.condition ?? Number.NaN, steepest / Math.min(...ridge), 1e-6)
                : undefined,
              boundViolation(scenario, given, plan, { ratios, stepNoise, stepRiskNoise }),
            );
          },
          { runs: 60 },
        ),
        env.forAll(
          fc.tuple(scenarios(['theorem']), terms, fc.integer({ min: 3, max: 12 })),
          ([scenario, given, far]) => lengthViolation(subject, { ...scenario, records: 40 }, given, 2 ** far),
          { runs: 40 },
        ),
        env.forAll(
          partsCases,
          (given) => first(partsViolation(subject, given), distancesViolation(subject, given)),
          { runs: 30 },
        ),
      ),
  });

/** The bounds of one round, where the theory covers the run. */
function boundViolation(
  { rounds, innerSteps, adjacency, clip }: Scenario,
  given: Terms,
  { utility, printedBound }: Planned,
  {
    ratios,
    stepNoise,
    stepRiskNoise,
  }: { readonly ratios: readonly number[]; readonly stepNoise: number; readonly stepRiskNoise: number },
): Violation | undefined {
  const isCovered = adjacency !== 'add-remove' && clip === null;
  if (!isCovered)
    return clip === 2 && adjacency !== 'add-remove'
      ? undefined
      : differs('the bound', Number(utility !== null), 0);
  if (rounds > 1 || given.isRidge) return undefined;
  const distance = weighed(given, ratios);
  return first(
    differs(
      'the bound',
      utility?.bound ?? Number.NaN,
      distance / (2 * innerSteps) + (stepNoise + stepRiskNoise) / 2,
      1e-6,
    ),
    differs('the printed bound', printedBound ?? Number.NaN, distance / innerSteps + stepNoise, 1e-6),
  );
}

const shares = { printed: 1, minimiser: 12, sharp: 24 } as const;

/** `K` and `T` that are left to the plan, with the noise of Theorem 4.1; distances times `far`. */
function lengthViolation(
  subject: RunsSubject,
  scenario: Scenario,
  given: Terms,
  far: number,
): Violation | undefined {
  const { epsilon, delta, records } = scenario;
  const cost = -Math.log(delta) / (records * epsilon) ** 2;
  const distant = { ...given, offsets: given.offsets.map((offset) => far * (offset + 1)) };
  const extra = extraOf(scenario, distant);
  const planWith = (params: Readonly<Record<string, unknown>>): Planned =>
    plannedIn(
      plannedRun(subject, scenario, {
        ...extra,
        params: { rounds: undefined, innerSteps: undefined, ...params },
      }),
    );
  const convex = (['printed', 'minimiser', 'sharp'] as const).map((rule) => {
    const plan = planWith({ rule });
    const { ratios, noise } = constantsOf(subject, scenario, plan);
    const real = Math.sqrt(weighed(distant, ratios) / (shares[rule] * noise * cost));
    return first(
      above(`K by the rule '${rule}'`, Math.abs(plan.innerSteps - Math.max(1, real)), 0.5 + 1e-6 * real),
      differs(`T by the rule '${rule}'`, plan.rounds, 1),
    );
  });
  if (!given.isRidge) return first(...convex);
  const plan = planWith({ schedule: 'strongly-convex' });
  const { ratios, noise } = constantsOf(subject, scenario, plan);
  const condition = Math.max(...ratios) / Math.min(...given.strengths.slice(0, dimensionOf(scenario)));
  const gap = weighed(distant, [...plan.smoothness]) / 2;
  const halvings = Math.log2(gap / ((1 + condition) * noise * cost));
  return first(
    ...convex,
    above('K of a restart', Math.abs(plan.innerSteps - (2 * (1 + condition) + 0.5)), 0.5 + 1e-6 * condition),
    above('T of the restarts', Math.abs(plan.rounds - Math.max(1, halvings + 0.5)), 0.5 + 1e-6),
  );
}
