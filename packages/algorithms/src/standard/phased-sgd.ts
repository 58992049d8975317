import { ask, sensitivityUnder, type Adjacency } from '@lethe/core';
import { defineOptimizer, descentSensitivity } from '@lethe/curator';
import { gaussian } from '@lethe/mechanisms';
import { InvalidParameter, largestNorm, minimizeUnimodal } from '@lethe/numerics';
import * as z from 'zod';
import { halves } from '../common/halves.js';
import { mechanismSchema, noisePart } from '../common/noise-part.js';
import { centralSlots } from '../common/problem-facts.js';
import { knownDistanceOf } from '../heavy-tails/facts.js';
import { factOfEveryRecord } from '../sparse-gradients/record-facts.js';
import { noiseSchema } from './with-noise.js';

const phase = z.object({
  records: z.int().positive().describe('Steps of the phase, each on a record of its own.'),
  stepSize: z.number().positive(),
});
const mechanism = mechanismSchema(gaussian({}));
const schedule = z.object({ phases: z.array(phase).min(1), mechanism, noiseMultiplier: noiseSchema });
const params = z.strictObject({
  stepSize: z
    .number()
    .positive()
    .optional()
    .describe(
      'η: phase i has steps η/4^i, of at most 2 / smoothness. Left out: where plan.utility is least.',
    ),
  mechanism,
  noiseMultiplier: z.optional(noiseSchema),
});

/**
 * Phased stochastic gradient descent: phase `i` takes one step on each of half of the records that are left,
 * in stored order, and releases the average of its points with noise. Steps shrink by a factor of 4 from
 * phase to phase, and the noise with them.
 *
 * The points stay inside the curator. Steps of at most `2/M` on convex losses bring points no further apart,
 * so that a record moves the average by at most `L η_i`; each record is in one phase, and later phases only
 * read what earlier ones released: the run costs one release, and takes `n` gradients.
 *
 * `mechanism` is any noise on reals that is calibrated in ℓ2, the norm in which steps bring points no further
 * apart. Facts: `lipschitz` and `smoothness` of every record, `startDistance` or a bounded domain.
 * `plan.utility` bounds the expected excess population risk, for independent records and symmetric noise.
 */
export const phasedSgd = defineOptimizer({
  name: 'phased-sgd',
  summary: 'Noised averages of hidden gradient steps, in phases of half of the records that are left.',
  source: { id: 'feldman-koren-talwar-2020', item: 'Algorithm 2, Phased-SGD' },
  params,
  examples: [{}, { stepSize: 0.01, noiseMultiplier: 2 }],
  claims: [
    { property: 'event', statement: 'one release of the mechanism: phases have disjoint records' },
    { property: 'gradients', statement: 'Σ_i ⌊n/2^i⌋: one for each record' },
    {
      property: 'utility',
      statement:
        'E F(w) − F* ≤ Σ_i [dσ_{i−1}²/(2η_i n_i) + η_i L²/2] + L√d·σ_k, with D² for the first numerator',
      source: { id: 'feldman-koren-talwar-2020', item: 'Theorem 4.4, with constants' },
    },
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
    lipschitz: 'how far a record moves a step',
    smoothness: 'how long steps may be that bring points no further apart',
  },
  schedule,
  plan({ problem, registry, domain, params: { stepSize, ...written }, noiseFor }) {
    const { mechanism: noise, noiseMultiplier: given } = written;
    const { deviation, uncovered } = noisePart(registry, noise, {
      norms: ['l2'],
      released: 'an average of points',
    });
    const setting: Setting = {
      dimension: problem.dimension,
      adjacency: problem.adjacency,
      lipschitz: factOfEveryRecord(problem, 'lipschitz'),
      smoothness: factOfEveryRecord(problem, 'smoothness'),
      distance: knownDistanceOf(problem, domain),
      reach: domain.diameter < Infinity ? largestNorm(domain) : null,
    };
    const sizes = halves(centralSlots(problem));
    const { smoothness, distance, lipschitz } = setting;
    // The first phase has a quarter of it.
    const longest = (1 - 1e-9) * (8 / smoothness);
    if (stepSize !== undefined && stepSize > longest)
      throw new InvalidParameter(
        `stepSize is ${stepSize}; for losses of smoothness ` +
          `${smoothness} it is at most 8 / smoothness, ${longest}`,
        { stepSize, smoothness },
      );
    const noiseMultiplier =
      given ??
      noiseFor((multiplier) => ({
        phases: phasesOf(sizes, Math.min(distance / lipschitz, longest)),
        mechanism: noise,
        noiseMultiplier: multiplier,
      }));
    const riskAt = (eta: number): number =>
      riskOf(setting, phasesOf(sizes, eta), noiseMultiplier * deviation);
    const eta = stepSize ?? leastStep(Math.min(longest, (1e4 * distance) / lipschitz), riskAt);
    return {
      phases: phasesOf(sizes, eta),
      mechanism: noise,
      noiseMultiplier,
      stepSize: eta,
      utility:
        uncovered === null
          ? {
              bound: riskAt(eta),
              source:
                'Feldman, Koren, Talwar 2020, Theorem 4.4, with constants; expected excess population risk',
            }
          : null,
      uncovered,
    };
  },
  *steps({ plan, problem, domain, start, allRecords }) {
    const { phases, mechanism: noise, noiseMultiplier } = plan;
    const batches = yield* ask.split({
      of: allRecords,
      order: 'stored',
      parts: { by: 'size', sizes: phases.map(({ records }) => records) },
    });
    let w = domain.projectInto(new Float64Array(start.length), start);
    for (const [i, { records, stepSize }] of phases.entries()) {
      const noised = yield* ask.descend({
        start: w,
        domain: problem.domain,
        batch: batches[i],
        steps: [{ count: records, stepSize, batchSize: 1 }],
        release: 'average',
        noiseOn: 'answer',
        bound: { by: 'certificate', fact: 'lipschitz' },
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
  readonly adjacency: Adjacency;
  readonly lipschitz: number;
  readonly smoothness: number;
  /** `D`: bound on the distance from the start to the minimiser. */
  readonly distance: number;
  /** Largest norm of a point of the domain; `null` where it is unbounded. */
  readonly reach: number | null;
}

/** Phase `i = 1, 2, …` has steps `η/4^i`. */
const phasesOf = (sizes: readonly number[], eta: number): readonly Phase[] =>
  sizes.map((records, i) => ({ records, stepSize: eta / 4 ** (i + 1) }));

/**
 * The bound at so much noise over the sensitivity: the deviation of an entry.
 *
 * The average of one pass of gradient steps is better than any point `u` by all but
 * `‖start − u‖²/(2ηn) + ηL²/2`, in expectation. For the first phase `u` is the minimiser, for each other one
 * the average before, from which its start is as far as the noise.
 */
function riskOf(setting: Setting, phases: readonly Phase[], noise: number): number {
  const { lipschitz: L, dimension: d, distance, adjacency } = setting;
  const way = phases.reduce((sum, { records, stepSize }) => sum + records * stepSize * L, 0);
  // On an unbounded domain, of starts and noise that are planned for.
  const reach = setting.reach ?? 4 * distance + way + 16 * Math.sqrt(d) * noise * L * phases[0].stepSize;
  let squared = distance ** 2;
  let risk = 0;
  let last = 0;
  for (const { records, stepSize } of phases) {
    risk += squared / (2 * stepSize * records) + (stepSize * L ** 2) / 2;
    const sensitivity = sensitivityUnder(
      descentSensitivity({
        ...setting,
        reach,
        steps: [{ count: records, stepSize, batchSize: 1 }],
        release: 'average',
        noiseOn: 'answer',
      }),
      adjacency,
      'a descent',
    );
    // Answers are rounded to a grid of 2⁻¹⁶ of the noise, or where doubles end.
    const deviation = (1 + 2 ** -16) * noise * sensitivity + 2 ** -47 * reach;
    squared = d * deviation ** 2;
    last = Math.sqrt(squared);
  }
  return risk + L * last;
}

/** The step of at most `longest` with the least bound, to a part in a thousand. */
function leastStep(longest: number, riskAt: (eta: number) => number): number {
  const end = Math.log(longest);
  const { argument } = minimizeUnimodal((log) => riskAt(Math.exp(log)), end - 40, end, {
    tolerance: 1e-3,
    maximumProbes: 60,
  });
  return Math.min(longest, Math.exp(argument));
}
