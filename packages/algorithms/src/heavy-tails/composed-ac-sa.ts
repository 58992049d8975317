import {
  ask,
  clippedMeanSensitivity,
  MissingFact,
  type Problem,
  type Program,
  sensitivityUnder,
  type Vector,
} from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { gaussian } from '@lethe/mechanisms';
import { defined, type Domain } from '@lethe/numerics';
import * as z from 'zod';
import {
  clipNormSchema,
  largestOf,
  plannedQuantile,
  plannedQuantileSchema,
  quantileClip,
  quantileSchema,
  type AskedQuantile,
} from '../common/private-clip.js';
import { centralSlots, clippedGaussian, diameterOf } from '../common/problem-facts.js';
import { acSa, acSaExcessRisk } from './ac-sa.js';
import { momentsOf, recordLipschitzOf, smoothnessOf, startDistanceOf } from './facts.js';
import { averagedExcessRisk } from './schedules/strongly-convex-risk.js';
import { weightedSgd } from './weighted-sgd.js';

const name = 'composed-ac-sa';
const positive = z.number().positive();
const methods = ['ac-sa', 'sgd'] as const;
type Method = (typeof methods)[number];

/** The most rounds that a plan chooses: each reads all records. */
const mostRounds = 1000;

const params = z.strictObject({
  method: z
    .enum(methods)
    .optional()
    .describe(
      'Accelerated, or the plain average of projected steps. Left out: the one with the smaller bound.',
    ),
  rounds: z
    .int()
    .positive()
    .max(1e6)
    .optional()
    .describe('T. Left out: those with the least bound, up to 1 000.'),
  clipNorm: z
    .optional(clipNormSchema)
    .describe(
      'C: a number, or a quantile of the gradient norms at the start, found privately. Left out: the ' +
        'Lipschitz constant of every record, where it is at most twice the least moment or no moment is ' +
        'declared, else a quantile for a tenth of the cost.',
    ),
  noiseMultiplier: positive
    .optional()
    .describe('Noise over sensitivity of a round. Left out: calibrated to the budget.'),
});
type Params = z.output<typeof params>;

/** How long gradients may be: what they are clipped to, or where the search for that begins. */
interface Clip {
  readonly clipNorm: number | null;
  readonly quantile: AskedQuantile | null;
  /** The clip norm, or the size that stands for it in the plan. */
  readonly guide: number;
  readonly largest: number;
}

function clipOf({ clipNorm }: Params, problem: Problem, domain: Domain): Clip {
  const longest = recordLipschitzOf(problem, domain) ?? Infinity;
  const least = Math.min(...momentsOf(problem, 'pointwise').map(({ moment }) => moment));
  const guide = Math.min(longest, least);
  const usual = longest <= 2 * least ? longest : quantileSchema.parse({ by: 'private-quantile', share: 0.1 });
  const asked = clipNorm ?? usual;
  if (asked === Infinity || (typeof asked !== 'number' && guide === Infinity))
    throw new MissingFact(
      "nothing tells how long gradients may be: declare the fact 'lipschitz' of every record or a " +
        "'gradientMoment.2', or give a number for clipNorm",
      ['lipschitz', 'gradientMoment.2'],
    );
  if (typeof asked === 'number') return { clipNorm: asked, quantile: null, guide: asked, largest: asked };
  return { clipNorm: null, quantile: asked, guide, largest: largestOf(asked, { longest, moment: guide }) };
}

/** What a bound on the excess risk is made of: `error` is the root of the variance of a round. */
interface Terms {
  readonly smoothness: number;
  readonly distance: number;
  readonly diameter: number;
}

/** `η` of accelerated steps, at least `2β`; `1/η` of plain ones, at least `β`. */
function scaleOf(method: Method, T: number, error: number, { smoothness, distance }: Terms): number {
  const balanced =
    method === 'ac-sa'
      ? (Math.sqrt((2 / 3) * T * (T + 1) * (T + 2)) * error) / distance
      : (Math.sqrt(2 * T) * error) / distance;
  return Math.max(method === 'ac-sa' ? 2 * smoothness : smoothness, balanced);
}

function riskOf(method: Method, T: number, error: number, terms: Terms, from = terms.distance): number {
  const { diameter } = terms;
  const scale = scaleOf(method, T, error, terms);
  return method === 'ac-sa'
    ? acSaExcessRisk({ rounds: T, eta: scale, error, bias: 0, diameter, startDistance: from })
    : averagedExcessRisk({
        stepSize: 1 / scale,
        rounds: T - 1,
        startDistance: from,
        diameter,
        variance: error ** 2,
        bias: 0,
      });
}

/** Method and rounds with the least bound, where nothing that is left out is for it to choose. */
function chosen(given: Params, errorAfter: (rounds: number) => number, terms: Terms) {
  const lengths =
    given.rounds === undefined
      ? [...new Set(Array.from({ length: 61 }, (_, i) => Math.round(mostRounds ** (i / 60))))]
      : [given.rounds];
  const all = (given.method === undefined ? methods : [given.method]).flatMap((method) =>
    lengths.map((rounds) => ({ method, rounds, risk: riskOf(method, rounds, errorAfter(rounds), terms) })),
  );
  return all.reduce((best, one) => (one.risk < best.risk ? one : best));
}

/** Why the bound is none; `null` where it is one. */
function obstacleIn(problem: Problem, domain: Domain, { clipNorm }: Clip): string | null {
  const longest = recordLipschitzOf(problem, domain);
  if (clipNorm === null || longest === null || clipNorm < longest)
    return (
      'gradients may be clipped, and moments do not bound the bias at iterates that depend on all ' +
      'records: rounds and steps are those with the least bound if none were'
    );
  if (!(domain.diameter < Infinity))
    return (
      `the domain '${domain.name}' is unbounded, and a minimiser of these records may be anywhere: use a ` +
      'bounded domain'
    );
  if (
    problem.facts['populationSmoothness'] !== undefined ||
    problem.facts['smoothness']?.scope !== 'every-record'
  )
    return "the smoothness is that of the population: declare only 'smoothness' of every record for a bound";
  return null;
}

/**
 * Accelerated or plain descent on clipped means of all records in every round, whose costs add up: beside
 * the methods of one pass, which give each record one round. Noise grows with the root of the rounds, and
 * not with their number, so that more rounds, less noise and shorter clips are affordable; what is proved is
 * about the records at hand, not about their population.
 *
 * Facts: `populationSmoothness`, or `smoothness`; `lipschitz` of every record, or `gradientMoment.k`;
 * `startDistance`, or `diameter`, or a bounded domain. None of them enters a sensitivity. Method and rounds
 * are those with the least bound if nothing is clipped. `plan.utility` bounds the expected excess empirical
 * risk where nothing is, by `lipschitz`, with `smoothness` of every record on a bounded domain;
 * `plan.uncovered` says why where there is none.
 *
 * `clipNorm: { by: 'private-quantile', share }` finds the clip at the start by noisy counts, which take that
 * share of the budget; steps are scaled to what is found.
 */
export const composedAcSa = defineOptimizer({
  name,
  summary: 'Accelerated or plain descent on clipped gradients of all records in every round.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithm 5 and Proposition 30, with every record in every round' },
  params,
  examples: [
    { rounds: 4, clipNorm: 1 },
    { method: 'sgd', rounds: 3, clipNorm: { by: 'private-quantile', share: 0.2, counts: 3 } },
    { rounds: 5 },
  ],
  claims: [
    {
      property: 'event',
      statement: 'T Gaussians of the planned multiplier, and one for each count of the quantile',
    },
    {
      property: 'utility',
      statement:
        'where nothing is clipped, 2ηD²/(T(T+1)) + 4Σ²(T+2)/(3η) of the empirical risk, or D²/(2hT) + ' +
        'hΣ² of the plain average with steps h',
      source: { id: 'lowy-razaviyayn', item: 'Proposition 30' },
    },
    { property: 'gradients', statement: 'n T, and n for each count' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  needs: { convex: true, smooth: true },
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  stopping: 'fixed',
  facts: {},
  schedule: z.looseObject({
    method: z.enum(methods),
    rounds: z.int().positive(),
    clipNorm: positive.nullable(),
    quantile: z.nullable(plannedQuantileSchema),
    noiseMultiplier: positive,
  }),
  plan({ problem, domain, budget, params: given, noiseFor }) {
    const slots = centralSlots(problem);
    const clip = clipOf(given, problem, domain);
    const { quantile, guide } = clip;
    const diameter = diameterOf(problem, domain);
    const distance = Math.min(startDistanceOf(problem, domain), diameter);
    // A start that is said to be the minimiser leaves no scale for steps.
    const terms = {
      smoothness: smoothnessOf(problem),
      diameter,
      distance: Math.max(distance, diameter * 2 ** -20),
    };
    const factor = sensitivityUnder(clippedMeanSensitivity, problem.adjacency, 'a clipped mean');
    const spread = (multiplier: number): number =>
      (Math.sqrt(problem.dimension) * factor * multiplier) / slots;
    const share = quantile?.share ?? 0;
    const single = (): number => gaussian.multiplierFor({}, budget) / Math.sqrt(1 - share);
    const { method, rounds, risk } = chosen(
      given,
      (T) => guide * spread(given.noiseMultiplier ?? Math.sqrt(T) * single()),
      terms,
    );
    const { clipNorm, largest } = clip;
    const draftAt = (multiplier: number) => ({
      method,
      rounds,
      clipNorm,
      quantile:
        quantile &&
        plannedQuantile(quantile, {
          largest,
          whole: multiplier * Math.sqrt((1 - share) / rounds),
          spread: spread(multiplier),
        }),
      ...terms,
      errorPerNorm: spread(multiplier),
      noiseMultiplier: multiplier,
    });
    const draft = draftAt(given.noiseMultiplier ?? noiseFor(draftAt));
    const { errorPerNorm } = draft;
    const uncovered = obstacleIn(problem, domain, clip);
    return {
      ...draft,
      chosenBy: `the least bound if no gradient is longer than ${guide}`,
      /** The bound on the empirical risk if no gradient were longer than that. */
      predicted: risk,
      utility:
        uncovered === null
          ? {
              bound: riskOf(method, rounds, guide * errorPerNorm, terms, terms.diameter),
              source:
                'lowy-razaviyayn, ' +
                (method === 'ac-sa'
                  ? 'Proposition 30'
                  : 'Proposition 32 repaired, without strong convexity') +
                ', without bias; expected excess empirical risk, with the diameter for the distance of the ' +
                'start from the minimiser of these records',
            }
          : null,
      uncovered,
    };
  },
  *steps({ plan, domain, start, allRecords, ...loops }) {
    const { method, rounds, noiseMultiplier } = plan;
    const target = { noiseMultiplier };
    const from = domain.projectInto(new Float64Array(start.length), start);
    const clipNorm =
      plan.clipNorm ?? (yield* quantileClip(defined(plan.quantile), { at: from, batch: allRecords }));
    const mean = clippedGaussian(clipNorm);
    const scale = scaleOf(method, rounds, clipNorm * plan.errorPerNorm, plan);
    const oracle = (at: Vector): Program<Vector> => ask.mean({ at, batch: allRecords, mean, target });
    const run = { domain, start: from, oracle, loops };
    if (method === 'ac-sa') return yield* acSa({ ...run, rounds, eta: scale });
    return yield* weightedSgd({
      ...run,
      rounds: rounds - 1,
      stepSizes: new Float64Array(rounds).fill(1 / scale),
      weights: new Float64Array(rounds).fill(1),
    });
  },
});
