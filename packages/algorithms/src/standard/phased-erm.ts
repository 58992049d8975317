import { ask, referenceTo, sensitivityUnder, type Adjacency, type Ref } from '@lethe/core';
import { defineOptimizer, finestTolerance, minimiserSensitivity } from '@lethe/curator';
import { acceleratedGradient, acceleratedGradientIterations, gaussian } from '@lethe/mechanisms';
import { largestNorm, minimizeUnimodal } from '@lethe/numerics';
import * as z from 'zod';
import { halves } from '../common/halves.js';
import { mechanismSchema, minimiserNoise, type NoisePart } from '../common/noise-part.js';
import { centralSlots } from '../common/problem-facts.js';
import { knownDistanceOf } from '../heavy-tails/facts.js';
import { factOfEveryRecord } from '../sparse-gradients/record-facts.js';
import { noiseSchema } from './with-noise.js';

const phase = z.object({
  records: z.int().positive(),
  lambda: z.number().positive().describe('λ of the regulariser around the point before.'),
  tolerance: z.number().positive().describe('ℓ2 distance of the solver’s point from the minimiser, at most.'),
  solver: referenceTo('solver'),
});
const mechanism = mechanismSchema(gaussian({})).describe(
  'Noise that is calibrated in ℓ2, or in ℓ1 on the whole space, such as { name: gaussian }.',
);
const schedule = z.object({
  phases: z.array(phase).min(1),
  norm: z.union([z.literal(1), z.literal(2)]).describe('In which the noise is calibrated.'),
  mechanism,
  noiseMultiplier: noiseSchema,
});
const params = z.strictObject({
  stepSize: z
    .number()
    .positive()
    .optional()
    .describe('η: phase i has λ = 2·4^i/(η n_i). Left out: where plan.utility is least.'),
  solver: z
    .optional(referenceTo('solver'))
    .describe('Finds the minimisers. Left out: accelerated gradient steps, as many as each tolerance needs.'),
  mechanism,
  noiseMultiplier: z.optional(noiseSchema),
});

/** The solver's error is this part of the sensitivity, or what doubles resolve. */
const errorShare = 1e-6;

/**
 * Phased empirical risk minimisation: phase `i` has half of the records that are left, in stored order, and
 * releases with noise the minimiser of their average loss plus `(λ_i/2)‖w − w_{i−1}‖²` around the point
 * before. The regulariser grows by a factor of 8 from phase to phase, so that the noise gets smaller as the
 * point gets better.
 *
 * Each record is in one phase, and later phases only read what earlier ones released: the run costs one
 * release. The trajectory of the solver stays inside the curator; privacy rests on convexity and on
 * `lipschitz` of every record, and the solver's tolerance is part of the sensitivity. With accelerated
 * gradient steps this is the method of Zhang, Thekumparampil, Oh and He 2022.
 *
 * `mechanism` is any noise on reals: in ℓ2 on any domain, or in ℓ1 on the whole space, which then needs the
 * fact `sparsity` too. Facts: `lipschitz` and `smoothness` of every record, `startDistance` or a bounded
 * domain. `plan.utility` bounds the expected excess population risk, for independent records and symmetric
 * noise.
 */
export const phasedErm = defineOptimizer({
  name: 'phased-erm',
  summary: 'Noised minimisers of regularised average losses, in phases of half of the records that are left.',
  source: { id: 'feldman-koren-talwar-2020', item: 'phased empirical risk minimisation' },
  params,
  examples: [{}, { stepSize: 0.5, noiseMultiplier: 2 }],
  claims: [
    { property: 'event', statement: 'one release of the mechanism: phases have disjoint records' },
    {
      property: 'utility',
      statement:
        'E F(w) − F* ≤ Σ_i [(dσ_{i−1}² + τ_{i−1}²)/(η_i n_i) ' +
        '+ L²η_i] + L(√d·σ_k + τ_k), with D² for the first numerator',
      source: { id: 'feldman-koren-talwar-2020', item: 'Theorem 4.8, with constants' },
    },
    { property: 'gradients', statement: 'n_i for each evaluation of the solver in phase i' },
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
    lipschitz: 'how far a record moves a minimiser',
    smoothness: 'how many iterations the solver takes',
  },
  schedule,
  plan({ problem, registry, domain, params: { stepSize, solver, ...written }, noiseFor }) {
    const { mechanism: noise, noiseMultiplier: given } = written;
    const part = minimiserNoise(registry, noise, domain);
    const norm: 1 | 2 = part.norm === 'l1' ? 1 : 2;
    const setting: Setting = {
      dimension: problem.dimension,
      part,
      sparsity: norm === 1 ? factOfEveryRecord(problem, 'sparsity') : problem.dimension,
      adjacency: problem.adjacency,
      lipschitz: factOfEveryRecord(problem, 'lipschitz'),
      smoothness: factOfEveryRecord(problem, 'smoothness'),
      distance: knownDistanceOf(problem, domain),
      reach: domain.diameter < Infinity ? largestNorm(domain) : null,
    };
    const sizes = halves(centralSlots(problem));
    const phasesAt = (eta: number, multiplier: number) =>
      phasesOf(setting, { sizes, eta, solver, noiseMultiplier: multiplier });
    const noiseMultiplier =
      given ??
      noiseFor((multiplier) => ({
        phases: phasesAt(setting.distance / setting.lipschitz, 1),
        norm,
        mechanism: noise,
        noiseMultiplier: multiplier,
      }));
    const riskAt = (eta: number): number =>
      riskOf(setting, phasesAt(eta, noiseMultiplier), { sizes, eta, solver, noiseMultiplier });
    const eta = stepSize ?? leastStep(setting, sizes[0], riskAt);
    return {
      phases: phasesAt(eta, noiseMultiplier),
      norm,
      mechanism: noise,
      noiseMultiplier,
      stepSize: eta,
      utility:
        part.uncovered === null
          ? {
              bound: riskAt(eta),
              source:
                'Feldman, Koren, Talwar 2020, phased minimisation, ' +
                'with constants; expected excess population risk',
            }
          : null,
      uncovered: part.uncovered,
    };
  },
  *steps({ plan, problem, domain, start, allRecords }) {
    const { phases, norm, mechanism: noise, noiseMultiplier } = plan;
    const batches = yield* ask.split({
      of: allRecords,
      order: 'stored',
      parts: { by: 'size', sizes: phases.map(({ records }) => records) },
    });
    let w = domain.projectInto(new Float64Array(start.length), start);
    for (const [i, { lambda, tolerance, solver }] of phases.entries()) {
      const noised = yield* ask.minimiser({
        lambda,
        centre: w,
        domain: problem.domain,
        batch: batches[i],
        solver,
        tolerance,
        bound: { by: 'certificate', fact: 'lipschitz' },
        norm,
        noise: { mechanism: noise, target: { noiseMultiplier } },
      });
      w = domain.projectInto(new Float64Array(start.length), noised);
    }
    return w;
  },
});

type Phase = z.output<typeof phase>;
interface Setting {
  readonly dimension: number;
  readonly sparsity: number;
  readonly part: NoisePart<'l1' | 'l2'>;
  readonly adjacency: Adjacency;
  readonly lipschitz: number;
  readonly smoothness: number;
  /** `D`: bound on the distance from the start to the minimiser. */
  readonly distance: number;
  /** Largest norm of a point of the domain; `null` where it is unbounded. */
  readonly reach: number | null;
}

/** How the phases of a run are chosen. */
interface Choice {
  readonly sizes: readonly number[];
  readonly eta: number;
  readonly solver: Ref<'solver'> | undefined;
  readonly noiseMultiplier: number;
}

/**
 * Largest norm of points that noise is added to; on an unbounded domain, of starts and noise that are planned
 * for.
 */
function reachOf(
  { reach, distance, lipschitz, smoothness, dimension, sparsity, part: { norm, deviation } }: Setting,
  { sizes: [records], eta, noiseMultiplier }: Choice,
): number {
  const way = (lipschitz * eta * records) / 8;
  // In ℓ1 a record moves a minimiser by so much more: see minimiserSensitivity, at the λ of the first phase.
  const inNorm =
    norm === 'l1' ? Math.sqrt(sparsity) + Math.sqrt(2 * sparsity) * ((smoothness * eta * records) / 8) : 1;
  const noise = Math.sqrt(dimension) * noiseMultiplier * lipschitz * eta * inNorm * deviation;
  return reach ?? 4 * distance + way + 16 * noise;
}

/** Phase `i = 1, 2, …` has `η_i = η/4^i` and `λ_i = 2/(η_i n_i)`. */
function phasesOf(setting: Setting, choice: Choice): readonly Phase[] {
  const { lipschitz, smoothness } = setting;
  const reach = reachOf(setting, choice);
  return choice.sizes.map((records, i) => {
    const lambda = (2 * 4 ** (i + 1)) / (choice.eta * records);
    const tolerance = Math.max(
      (errorShare * lipschitz) / (lambda * records),
      (1 + 2 ** -40) * finestTolerance({ ...setting, lambda }, reach),
    );
    const iterations = acceleratedGradientIterations(
      (1 + 1e-9) * (1 + smoothness / lambda),
      ((1 + 1e-9) * lipschitz) / (lambda * tolerance),
    );
    return { records, lambda, tolerance, solver: choice.solver ?? acceleratedGradient({ iterations }) };
  });
}

/**
 * Minimisers of regularised losses generalise: phase `i` adds the squared distance of its centre from the
 * minimiser before over `η_i n_i`, and `L²η_i` by uniform stability. Noise has mean 0 and is independent of
 * that minimiser; of its distribution, the variance alone counts.
 */
function riskOf(setting: Setting, phases: readonly Phase[], choice: Choice): number {
  const { eta, noiseMultiplier } = choice;
  const reach = reachOf(setting, choice);
  const { lipschitz: L, dimension: d, part } = setting;
  let squared = setting.distance ** 2;
  let risk = 0;
  let last = 0;
  for (const [i, { records, lambda, tolerance }] of phases.entries()) {
    const step = eta / 4 ** (i + 1);
    risk += squared / (step * records) + L ** 2 * step;
    const sensitivity = sensitivityUnder(
      minimiserSensitivity({ ...setting, lambda, norm: part.norm === 'l1' ? 1 : 2, records, tolerance }),
      setting.adjacency,
      'a minimiser',
    );
    // Answers are rounded to a grid of 2⁻¹⁶ of the noise, or where doubles end.
    const deviation =
      (1 + 2 ** -16) * noiseMultiplier * sensitivity * part.deviation + 2 ** -47 * (reach + L / lambda);
    squared = d * deviation ** 2 + tolerance ** 2;
    last = Math.sqrt(d) * deviation + tolerance;
  }
  return risk + L * last;
}

/** The step with the least bound, to a part in a thousand. */
function leastStep(
  { distance, lipschitz }: Setting,
  records: number,
  riskAt: (eta: number) => number,
): number {
  const center = Math.log((4 * distance) / (lipschitz * Math.sqrt(records)));
  const { argument } = minimizeUnimodal((log) => riskAt(Math.exp(log)), center - 20, center + 10, {
    tolerance: 1e-3,
    maximumProbes: 40,
  });
  return Math.exp(argument);
}
