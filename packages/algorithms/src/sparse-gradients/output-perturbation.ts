import { ask, InvalidParameter, MissingFact, type Ref, referenceTo, sensitivityUnder } from '@lethe/core';
import { defineOptimizer, finestTolerance, minimiserSensitivity } from '@lethe/curator';
import { acceleratedGradient, acceleratedGradientIterations, gaussian, laplace } from '@lethe/mechanisms';
import { largestNorm, type Domain } from '@lethe/numerics';
import * as z from 'zod';
import { minimiserNoise } from '../common/noise-part.js';
import { centralSlots } from '../common/problem-facts.js';
import { startDistanceOf } from '../heavy-tails/facts.js';
import { largestEntry } from './largest-entry.js';
import { factOfEveryRecord, sparsityOf } from './record-facts.js';
import {
  empiricalRisk,
  empiricalStrength,
  leastBoundStrength,
  perturbationRisk,
  populationStrength,
  type PerturbationSetting,
} from './regularisation.js';

const name = 'output-perturbation';
const schedule = z.object({
  lambda: z
    .number()
    .positive()
    .describe('λ of the regulariser (λ/2)‖w − w_0‖² that is added to the average loss.'),
  tolerance: z.number().positive().describe('ℓ2 distance of the solver’s point from the minimiser, at most.'),
  norm: z.union([z.literal(1), z.literal(2)]).describe('In which the noise is calibrated.'),
  mechanism: referenceTo('mechanism').check(
    z.describe(
      'Noise that is calibrated in ℓ1 or ℓ2. Left out: laplace for a budget without δ, else gaussian.',
    ),
  ),
  solver: referenceTo('solver').check(
    z.describe('Finds the minimiser. Left out: accelerated gradient steps, as many as the tolerance needs.'),
  ),
  noiseMultiplier: z
    .number()
    .positive()
    .describe('Noise over sensitivity, in the run’s adjacency. Left out: calibrated to the budget.'),
});
const params = z.strictObject({
  schedule: z
    .enum(['least-bound', 'theorem-7.1', 'theorem-7.6'])
    .default('least-bound')
    .describe('How λ is chosen: where plan.utility is least, or as a theorem prints it.'),
  lambda: schedule.shape.lambda.optional(),
  failure: z
    .number()
    .gt(0)
    .lt(1)
    .default(0.05)
    .describe('β: the printed λ and the bound plan.empirical fail with this probability.'),
  mechanism: z.optional(schedule.shape.mechanism),
  solver: z.optional(schedule.shape.solver),
  noiseMultiplier: schedule.shape.noiseMultiplier.optional(),
});

/** The solver's error is this part of the sensitivity, or what doubles resolve. */
const errorShare = 1e-6;

/**
 * Output perturbation: the minimiser of the average loss plus `(λ/2)‖w − w_0‖²`, with noise, and then the
 * point of the domain that is nearest in the maximum norm. Where gradients have few entries that differ from
 * zero, its excess risk grows with the logarithm of the dimension only.
 *
 * Noise is calibrated in ℓ2 on any domain, or in ℓ1 on the whole space, where pure differential privacy has
 * the rates of the theorem; the norm is that of `mechanism`. The regulariser is centred at the start, from
 * which the distance to the minimiser counts. The solver's tolerance is part of the sensitivity.
 *
 * Facts: `lipschitz` and `smoothness` of every record, `sparsity` for ℓ1 (without it all coordinates count in
 * the bounds in ℓ2), `startDistance` or `diameter` unless the domain is bounded. `plan.utility` bounds the
 * expected excess population risk, `plan.empirical` the excess empirical risk but with probability `failure`.
 */
export const outputPerturbation = defineOptimizer({
  name,
  summary: 'The minimiser of the regularised average loss, with noise.',
  source: { id: 'ghazi-2024', item: 'Algorithm 6' },
  params,
  examples: [
    {},
    { schedule: 'theorem-7.1', failure: 0.1, noiseMultiplier: 2 },
    { schedule: 'theorem-7.6' },
    { lambda: 0.5, noiseMultiplier: 1 },
  ],
  claims: [
    {
      property: 'event',
      statement: 'one release of the mechanism, in any dimension',
      source: { id: 'ghazi-2024', item: 'Theorem 7.1' },
    },
    {
      property: 'utility',
      statement: 'E F(w) − F* ≤ c√s·L·E‖ξ‖∞ + 2L²/(λn) + λD²/2, c = 1 on the whole space, else 2',
      source: { id: 'ghazi-2024', item: 'Remark 7.7' },
    },
    { property: 'gradients', statement: 'n for each evaluation of the solver' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  needs: { convex: true, smooth: true },
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'convexity',
  facts: {
    lipschitz: 'how far a record moves the minimiser',
    smoothness: 'the solver’s error, and how far the minimiser moves in ℓ1',
  },
  schedule,
  plan({ problem, registry, domain, budget, params: asked, noiseFor }) {
    const records = centralSlots(problem);
    const { failure } = asked;
    const mechanism: Ref<'mechanism'> = asked.mechanism ?? (budget.delta === 0 ? laplace({}) : gaussian({}));
    const part = minimiserNoise(registry, mechanism, domain);
    const { deviation } = part;
    const norm: 1 | 2 = part.norm === 'l1' ? 1 : 2;
    const setting: PerturbationSetting = {
      records,
      dimension: problem.dimension,
      sparsity: norm === 1 ? factOfEveryRecord(problem, 'sparsity') : sparsityOf(problem),
      lipschitz: factOfEveryRecord(problem, 'lipschitz'),
      smoothness: factOfEveryRecord(problem, 'smoothness'),
      distance: startDistanceOf(problem, domain),
    };
    const released = (lambda: number, noiseMultiplier: number) => {
      const tolerance = toleranceAt(setting, { lambda, norm, domain });
      return {
        lambda,
        tolerance,
        norm,
        mechanism,
        solver: asked.solver ?? solverAt(setting, lambda, tolerance),
        noiseMultiplier,
      };
    };
    // A record moves minimisers by other lengths for other strengths; what the release costs is the same.
    const noiseMultiplier =
      asked.noiseMultiplier ??
      noiseFor((multiplier) => released(asked.lambda ?? setting.lipschitz, multiplier));
    const largest = largestEntry({ name: mechanism.name, deviation }, problem.dimension, failure);
    const projections = domain.unconstrained === true ? 1 : 2;
    const lambda =
      asked.lambda ??
      strengthFor(asked.schedule, setting, {
        target: { ...budget, failure, delta: norm === 1 ? 0 : budget.delta },
        noise: {
          norm,
          largest: noiseMultiplier * largest.expected,
          changes: problem.adjacency === 'replace-one' ? 2 : 1,
          projections,
        },
      });
    const steps = released(lambda, noiseMultiplier);
    const { tolerance } = steps;
    const sensitivity = sensitivityUnder(
      minimiserSensitivity({ ...setting, lambda, norm, tolerance }),
      problem.adjacency,
      'a minimiser',
    );
    const noiseScale = noiseMultiplier * sensitivity;
    // Answers are rounded to a grid of 2⁻¹⁶ of the noise, or where doubles end.
    const rounding = 2 ** -17 * noiseScale + 2 ** -47 * reachOf(setting, lambda, domain);
    const at = (entry: number) => ({
      lambda,
      largest: noiseScale * entry + rounding,
      projections: projections as 1 | 2,
      tolerance,
    });
    const uncovered = uncoveredBy(setting, domain);
    return {
      ...steps,
      schedule: asked.schedule,
      ...setting,
      distance: setting.distance < Infinity ? setting.distance : null,
      sensitivity,
      noiseScale,
      utility:
        uncovered === null
          ? {
              bound: perturbationRisk(setting, at(largest.expected)),
              source: 'ghazi-2024, Remark 7.7 with constants; expected excess population risk',
            }
          : null,
      empirical: uncovered === null ? { failure, bound: empiricalRisk(setting, at(largest.likely)) } : null,
      uncovered,
    };
  },
  *steps({ plan, problem, domain, start, allRecords }) {
    const { lambda, tolerance, norm, mechanism, solver, noiseMultiplier } = plan;
    const noised = yield* ask.minimiser({
      lambda,
      centre: domain.projectInto(new Float64Array(start.length), start),
      domain: problem.domain,
      batch: allRecords,
      solver,
      tolerance,
      bound: { by: 'certificate', fact: 'lipschitz' },
      norm,
      noise: { mechanism, target: { noiseMultiplier } },
    });
    const nearest = domain.nearestInMaxNormInto ?? domain.projectInto;
    return nearest.call(domain, noised, noised);
  },
});

/** Largest norm of points that noise is added to, from starts that are planned for. */
function reachOf({ lipschitz, distance }: PerturbationSetting, lambda: number, domain: Domain): number {
  if (domain.diameter < Infinity) return largestNorm(domain) + lipschitz / lambda;
  return lipschitz / lambda + 4 * Math.max(lipschitz / lambda, distance < Infinity ? distance : 0);
}

function toleranceAt(
  setting: PerturbationSetting,
  { lambda, norm, domain }: { readonly lambda: number; readonly norm: 1 | 2; readonly domain: Domain },
): number {
  const moved = sensitivityUnder(
    minimiserSensitivity({ ...setting, lambda, norm, tolerance: 0 }),
    'zero-out',
    'a minimiser',
  );
  const each = norm === 1 ? 2 * Math.sqrt(setting.dimension) : 2;
  const reach = reachOf(setting, lambda, domain);
  return Math.max(
    (errorShare * moved) / each,
    (1 + 2 ** -40) * finestTolerance({ ...setting, lambda }, reach),
  );
}

function solverAt(
  { lipschitz, smoothness }: PerturbationSetting,
  lambda: number,
  tolerance: number,
): Ref<'solver'> {
  const iterations = acceleratedGradientIterations(
    (1 + 1e-9) * (1 + smoothness / lambda),
    ((1 + 1e-9) * lipschitz) / (lambda * tolerance),
  );
  return acceleratedGradient({ iterations });
}

/** @throws {Unsupported} where no bound on the distance to the minimiser is known. */
function strengthFor(
  rule: z.output<typeof params>['schedule'],
  setting: PerturbationSetting,
  {
    target,
    noise,
  }: {
    readonly target: Parameters<typeof empiricalStrength>[1];
    readonly noise: Parameters<typeof leastBoundStrength>[1];
  },
): number {
  if (!(setting.distance < Infinity))
    throw new MissingFact(
      'the strength follows from the distance between start and minimiser, of which nothing is known; ' +
        "declare the fact 'startDistance', take a bounded domain, or give lambda",
      ['startDistance'],
    );
  if (rule === 'least-bound') return leastBoundStrength(setting, noise);
  if (noise.norm === 2 && target.delta === 0)
    throw new InvalidParameter(
      'the printed strength for noise in ℓ2 needs a budget with delta > 0; give lambda, or another schedule',
      { delta: target.delta },
    );
  return rule === 'theorem-7.1' ? empiricalStrength(setting, target) : populationStrength(setting, target);
}

/** Why no bound follows; `null` where one does. */
function uncoveredBy({ distance }: PerturbationSetting, domain: Domain): string | null {
  if (!(distance < Infinity))
    return (
      'the distance from the start to the minimiser is not bounded: ' +
      "use a bounded domain, or declare the fact 'startDistance'"
    );
  if (domain.nearestInMaxNormInto === undefined)
    return (
      `the domain '${domain.name}' has no nearest point in ` +
      'the maximum norm: use the whole space, a box or a ball'
    );
  return null;
}
