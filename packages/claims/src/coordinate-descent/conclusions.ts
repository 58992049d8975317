import { defineClaimCheck, gaussianCurve, type ClaimCheck, type Violation } from '@lethe/laws';
import fc from 'fast-check';
import { both } from '../common/compare.js';
import { above, differs, first, noted } from '../common/judging.js';
import {
  carriedOut,
  componentSmoothnessOf,
  lawOf,
  lipschitzAlong,
  plannedIn,
  plannedRun,
  scenarios,
  sketchInputOf,
  type OptimizerName,
  type Planned,
  type Scenario,
} from './planned-runs.js';
import type { RunsSubject } from './runs-subject.js';
import { sketchCase, type SketchInput } from './sketch-inputs.js';

type CheckOf = (subject: RunsSubject) => ClaimCheck;

/** Row 64: Theorem 4.1 for whole runs. */
export const privateRuns: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/private-runs',
    tier: 'search',
    statement:
      'What a run is charged is (ε, δ)-private: with the noise of Theorem 4.1 by the exact Gaussian ' +
      'parameter ε/√(3 log(1/δ)), with exact calibration at δ itself, for the three optimizers, ' +
      'every sketch and all adjacencies.',
    power:
      'With exact calibration any multiplier that is 0.1 % away; ' +
      'with that of the theorem a relative error of 1e-6.',
    run: (env) =>
      env.forAll(
        scenarios(['exact', 'theorem']),
        (scenario) => {
          const { epsilon, delta, adjacency, calibration } = scenario;
          const run = plannedRun(subject, scenario);
          const { event } = carriedOut(subject, run, scenario);
          const spent = subject.gdp.delta(event, { adjacency, epsilon });
          const mu = epsilon / Math.sqrt(3 * -Math.log(delta));
          const steps = scenario.rounds * scenario.innerSteps;
          const exact = Math.sqrt(steps) / plannedIn(run).noiseMultiplier;
          return first(
            above(
              'the ε that a run costs at δ',
              subject.gdp.epsilon(event, { adjacency, delta }).upper,
              epsilon,
              0,
            ),
            above('the δ that a run costs at ε', spent.lower, delta, 0),
            calibration === 'theorem'
              ? differs('the δ of the theorem’s noise', spent.upper, gaussianCurve(mu, epsilon).upper, 1e-6)
              : above(
                  'δ, against that of a thousandth less noise',
                  delta,
                  gaussianCurve(exact * 1.001, epsilon).upper,
                  0,
                ),
          );
        },
        { runs: 40 },
      ),
  });

/** Distances from the start by coordinate. */
const offsetsOf = fc.array(
  fc.integer({ min: 1, max: 24 }).map((k) => k / 8),
  { minLength: 4, maxLength: 4 },
);

/** Facts by which a plan knows how far the minimiser is. */
const distances = (offsets: readonly number[], bounds: readonly number[]) =>
  Object.fromEntries(bounds.map((_, j) => [`startDistance.${j}`, offsets[j]]));

/** `c = log(1/δ)/(n²ε²)`. */
const costOf = ({ records, epsilon, delta }: Scenario): number => -Math.log(delta) / (records * epsilon) ** 2;

/** The exact risk of a plan on `½ h Σ M_j (w_j − w*_j)²`. */
function riskOfPlan(
  subject: RunsSubject,
  scenario: Scenario,
  plan: Planned,
  offsets: readonly number[],
  share: number,
): number {
  const { bounds, records } = scenario;
  const { law } = lawOf(subject, scenario, componentSmoothnessOf(bounds));
  const smoothness = Float64Array.from(plan.smoothness);
  const d = bounds.length;
  const { rounds } = subject.exactQuadraticMoments({
    hessian: Float64Array.from({ length: d * d }, (_, at) =>
      at % (d + 1) === 0 ? share * smoothness[at % d] : 0,
    ),
    smoothness,
    sketch: subject.finiteSketch,
    params: {
      sets: law.map(({ coordinates, probability }) => ({ coordinates: [...coordinates], probability })),
    },
    noiseScale: (set) => (plan.noiseMultiplier * 2 * lipschitzAlong(bounds, set)) / records,
    start: offsets.slice(0, d),
    innerSteps: plan.innerSteps,
    rounds: plan.rounds,
  });
  return rounds[plan.rounds - 1].average;
}

/** Sketches that draw something in every step. */
const isNonVacuous = (sketch: SketchInput): boolean => sketch.family !== 'independent';
/** Steps of which the exact risk is computed. */
const longest = 2000;
/** Lengths are left to the plan. */
const free = { rounds: undefined, innerSteps: undefined };
/** Scenarios of the theorems: replace-one, Lipschitz, long runs only where `K` is at least 1. */
const theoremScenarios = scenarios(['theorem'])
  .filter(({ sketch }) => isNonVacuous(sketch))
  .map((scenario): Scenario => ({ ...scenario, clip: null, records: 20 + 20 * scenario.records }));

/** Row 65: Theorem 4.2, convex, for what is planned. */
export const convexConclusion: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/convex-conclusion',
    tier: 'search',
    statement:
      'A plan with the noise of Theorem 4.1 and the length of Theorem 4.2 has a printed bound of 13 Σ_S ' +
      'R √c up to the rounding of K, at most 25 where K is 1 or more, and its own bound is no larger; ' +
      'the exact risk is at most that. So the risk falls as √log(1/δ)/(nε): with four times the records ' +
      'the bound is a quarter. Calibrated exactly, the bound is smaller still.',
    power: 'A relative error of 1/K in any of these, at K of 20 or more.',
    run: (env) => {
      let [largest, long] = [0, 0];
      const found = env.forAll(
        fc.tuple(theoremScenarios, offsetsOf, fc.constantFrom(1, 0.1, 0.01)),
        ([scenario, offsets, share]): Violation | undefined => {
          const facts = distances(offsets, scenario.bounds);
          const planOf = (given: Scenario): Planned =>
            plannedIn(plannedRun(subject, given, { facts, params: free }));
          const plan = planOf(scenario);
          const M = Float64Array.from(plan.smoothness);
          const { sketch, params } = sketchCase(
            subject,
            sketchInputOf(scenario),
            Float64Array.from(componentSmoothnessOf(scenario.bounds)),
          );
          const { noise } = subject.sketchConstants(sketch, params, {
            smoothness: M,
            lipschitz: (set) => lipschitzAlong(scenario.bounds, set),
          });
          const marginals = sketch.marginals(params, M.length);
          const R = Math.sqrt(M.reduce((sum, m, j) => sum + (m * offsets[j] ** 2) / marginals[j], 0));
          const root = Math.sqrt(noise * costOf(scenario));
          const real = R / root;
          const bound = plan.utility?.bound ?? Number.NaN;
          const printed = plan.printedBound ?? Number.NaN;
          const risk = plan.innerSteps > longest ? 0 : riskOfPlan(subject, scenario, plan, offsets, share);
          largest = Math.max(largest, risk / bound);
          const always = first(
            above('the bound, against the printed one', bound, printed),
            above('the exact risk', risk, bound),
            real >= 1 ? above('the printed bound over Σ_S R √c', printed / root / R, 25) : undefined,
          );
          if (always !== undefined || real < 20) return always;
          long++;
          const boundOf = (given: Scenario): number => planOf(given).utility?.bound ?? Number.NaN;
          return first(
            differs('the printed bound over Σ_S R √c', printed / root / R, 13, 1 / real),
            differs(
              'the bound with four times the records',
              4 * boundOf({ ...scenario, records: 4 * scenario.records }),
              bound,
              2 / real,
            ),
            above('the bound with exact calibration', boundOf({ ...scenario, calibration: 'exact' }), bound),
          );
        },
        { runs: 50 },
      );
      return noted(found, () => `${long} of K ≥ 20; largest share of a bound ${largest.toFixed(3)}`);
    },
  });

/** Row 66: Theorem 4.2, strongly convex, for what is planned. */
export const stronglyConvexConclusion: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/strongly-convex-conclusion',
    tier: 'search',
    statement:
      'A plan with restarts has K = ⌈2(1 + κ)⌉ and T = ⌈log₂ X⌉, at least 1, ' +
      'and a bound of at most (1 + 60 (1 + log₂ X)) (1 + κ) Σ_S² c at X ≥ 1, ' +
      'so of the order κ Σ_S² log(1/δ)/(n²ε²) up to logarithms; the exact risk is at most the bound.',
    power: 'A length that is off by one; a bound whose noise is three times too large, or below the risk.',
    run: (env) => {
      let largest = 0;
      const found = env.forAll(
        fc.tuple(theoremScenarios, offsetsOf, fc.constantFrom(0.25, 1, 8), fc.constantFrom(0, 0.1, 1)),
        ([given, offsets, times, share]): Violation | undefined => {
          const scenario = { ...given, bounds: given.bounds.slice(0, 3) };
          if (scenario.bounds.length < given.bounds.length) return undefined;
          const ridge = times * Math.max(...componentSmoothnessOf(scenario.bounds));
          const plan = plannedIn(
            plannedRun(subject, scenario, {
              facts: distances(offsets, scenario.bounds),
              params: { ...free, schedule: 'strongly-convex' },
              regulariser: { name: 'l2-squared', params: { strength: ridge } },
            }),
          );
          const M = plan.smoothness;
          const { marginals } = lawOf(subject, scenario, componentSmoothnessOf(scenario.bounds));
          const condition = Math.max(...M.map((m, j) => m / marginals[j])) / ridge;
          const unit = (1 + condition) * plan.constants.noise * costOf(scenario);
          const gap = M.reduce((sum, m, j) => sum + (m * offsets[j] ** 2) / 2, 0);
          const halvings = Math.log2(gap / unit);
          const bound = plan.utility?.bound ?? Number.NaN;
          // A ridge, and curvature of the loss up to the rest of M.
          const d = scenario.bounds.length;
          const { rounds } = subject.exactQuadraticMoments({
            hessian: Float64Array.from({ length: d * d }, (_, at) =>
              at % (d + 1) === 0 ? ridge + share * (M[at % d] - ridge) : 0,
            ),
            smoothness: Float64Array.from(M),
            ...(({ sketch, params }) => ({ sketch, params }))(
              sketchCase(
                subject,
                sketchInputOf(scenario),
                Float64Array.from(componentSmoothnessOf(scenario.bounds)),
              ),
            ),
            noiseScale: (set) =>
              (plan.noiseMultiplier * 2 * lipschitzAlong(scenario.bounds, set)) / scenario.records,
            start: offsets.slice(0, d),
            innerSteps: plan.innerSteps,
            rounds: plan.rounds,
          });
          const risk = rounds[plan.rounds - 1].average;
          largest = Math.max(largest, risk / bound);
          return first(
            above('K', Math.abs(plan.innerSteps - (2 * (1 + condition) + 0.5)), 0.5 + 1e-6 * condition),
            above('T', Math.abs(plan.rounds - Math.max(1, halvings + 0.5)), 0.5 + 1e-6),
            halvings >= 0 ? above('the bound', bound, (1 + 60 * (1 + halvings)) * unit) : undefined,
            above('the exact risk', risk, bound),
          );
        },
        { runs: 80 },
      );
      return noted(found, () => `largest share of a bound ${largest.toFixed(3)}`);
    },
  });

/** A row of Table 1, and the optimizer that has it. */
interface TableRow {
  readonly system:
    | 'full'
    | 'dp-cd'
    | 'coordinates-uniform'
    | 'coordinates-importance'
    | 'blocks-uniform'
    | 'tau-nice';
  readonly optimizer: OptimizerName;
  readonly sketch: SketchInput;
}
const blocks = [[0, 2], [1]];
const tableRows: readonly TableRow[] = [
  { system: 'full', optimizer: 'noisy-gradient-descent', sketch: { family: 'full' } },
  { system: 'full', optimizer: 'dp-skgd', sketch: { family: 'full' } },
  { system: 'dp-cd', optimizer: 'dp-cd', sketch: { family: 'full' } },
  { system: 'coordinates-uniform', optimizer: 'dp-skgd', sketch: { family: 'single', choice: 'uniform' } },
  {
    system: 'coordinates-importance',
    optimizer: 'dp-skgd',
    sketch: { family: 'single', choice: 'importance' },
  },
  { system: 'blocks-uniform', optimizer: 'dp-skgd', sketch: { family: 'blocks', blocks, choice: 'uniform' } },
  { system: 'tau-nice', optimizer: 'dp-skgd', sketch: { family: 'nice', tau: 2 } },
];

/** Row 67: Table 1 for what is planned. */
export const ratesOfPlans: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/rates-of-plans',
    tier: 'search',
    statement:
      'The rates of Table 1 are those of what ships: the printed bound of a plan is 13 √log(1/δ)/(nε) ' +
      'times the convex rate of its row, up to the rounding of K, and Σ_S² κ is its strongly convex ' +
      'rate: for all coordinates, DP-CD, uniform coordinates and those by importance, ' +
      'blocks and pairs. The bound by importance is √d times smaller than that of DP-CD where the ' +
      'roughest coordinate holds the distance, and larger where the smooth ones do.',
    power: 'A relative error of 1/K in a rate or a bound, at K of 20 or more.',
    run: (env) =>
      both(
        env.forAll(
          fc.tuple(
            fc.constantFrom(...tableRows),
            fc.array(
              fc.integer({ min: -3, max: 3 }).map((k) => 2 ** k),
              { minLength: 3, maxLength: 3 },
            ),
            offsetsOf,
            fc.integer({ min: 5, max: 100 }).map((k) => 100 * k),
          ),
          ([{ system, ...rest }, bounds, offsets, records]) => {
            const scenario: Scenario = {
              ...rest,
              bounds,
              records,
              adjacency: 'replace-one',
              rounds: 1,
              innerSteps: 1,
              epsilon: 1,
              delta: 1e-6,
              calibration: 'theorem',
              clip: null,
            };
            const plan = plannedIn(
              plannedRun(subject, scenario, {
                facts: { ...distances(offsets, bounds), strongConvexity: 2 ** -8 },
                params: free,
              }),
            );
            const rate = subject.rates[system]({
              smoothness: Float64Array.from(plan.smoothness),
              lipschitz: (set) => lipschitzAlong(bounds, set),
              offsets: offsets.slice(0, 3),
              strongConvexity: 2 ** -8,
              blocks,
              tau: 2,
            });
            const value = rate.convex * Math.sqrt(costOf(scenario));
            return first(
              plan.innerSteps >= 20
                ? differs(
                    'the printed bound over the rate',
                    (plan.printedBound ?? Number.NaN) / value,
                    13,
                    1 / plan.innerSteps,
                  )
                : undefined,
              differs(
                'Σ_S² κ',
                plan.constants.noise * (plan.schedule.condition ?? Number.NaN),
                rate.stronglyConvex,
                1e-6,
              ),
            );
          },
          { runs: 60 },
        ),
        () => speedUp(subject, env),
      ),
  });

/**
 * Section 4.3.2: plans by importance against DP-CD, where the
 * roughest or the smooth coordinates hold the distance.
 */
function speedUp(subject: RunsSubject, env: Parameters<ClaimCheck['run']>[0]) {
  const dimensions = [4, 16, 64];
  return env.forAll(
    fc.constantFrom(...dimensions),
    (d) => {
      const boundOf = (optimizer: OptimizerName, importance: boolean, isRough: boolean): number => {
        const scenario: Scenario = {
          bounds: Array.from({ length: d }, (_, j) => (j === 0 ? 1000 * d : 1)),
          records: 10_000 * d,
          adjacency: 'replace-one',
          optimizer,
          sketch: { family: 'full' },
          rounds: 1,
          innerSteps: 1,
          epsilon: 1,
          delta: 1e-6,
          calibration: 'theorem',
          clip: null,
        };
        const facts = Object.fromEntries(
          scenario.bounds.map((_, j) => [`startDistance.${j}`, (j === 0) === isRough ? 3 : 1e-6]),
        );
        const params = {
          ...free,
          ...(importance ? { sketch: { name: 'single-coordinate', importance: true } } : {}),
        };
        return plannedIn(plannedRun(subject, scenario, { facts, params })).printedBound ?? Number.NaN;
      };
      const ratio = (isRough: boolean): number =>
        boundOf('dp-skgd', true, isRough) / boundOf('dp-cd', false, isRough);
      return first(
        differs(
          '√d times the ratio of the bounds where the rough coordinate is far',
          Math.sqrt(d) * ratio(true),
          1,
          0.01,
        ),
        above('1, against the ratio where the smooth coordinates are far', 1, ratio(false)),
      );
    },
    { runs: 3, examples: dimensions },
  );
}
