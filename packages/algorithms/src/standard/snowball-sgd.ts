import { ask, sensitivityUnder, type Adjacency } from '@lethe/core';
import { defineOptimizer, descentSensitivity, type DescentSteps } from '@lethe/curator';
import { gaussian, intersectionDomain } from '@lethe/mechanisms';
import { InvalidParameter, largestNorm } from '@lethe/numerics';
import * as z from 'zod';
import { gaussianPart, mechanismSchema } from '../common/noise-part.js';
import { centralSlots } from '../common/problem-facts.js';
import { knownDistanceOf } from '../heavy-tails/facts.js';
import { factOfEveryRecord } from '../sparse-gradients/record-facts.js';
import { noiseSchema } from './with-noise.js';

const run = z.object({
  count: z.int().positive(),
  stepSize: z.number().positive(),
  batchSize: z.int().positive(),
});
const mechanism = mechanismSchema(gaussian({})).describe(
  'Gaussian noise of every step, such as { name: gaussian }.',
);
const schedule = z.object({
  alike: z.array(run).min(1).describe('Steps in a row with one step size and one number of records.'),
  distance: z.number().positive().describe('D: on an unbounded domain, radius of a ball around the start.'),
  records: z.int().positive().describe('Records that the steps read, from the first on.'),
  mechanism,
  noiseMultiplier: noiseSchema,
});
const params = z.strictObject({
  stepSize: z
    .number()
    .positive()
    .optional()
    .describe(
      'η of the first step, of at most 2 / smoothness. Left out: where the bound for even steps is least.',
    ),
  sizes: z
    .enum(['even', 'halving'])
    .default('even')
    .describe('Whether all steps have one size, or are halved after each half of the steps that are left.'),
  mechanism,
  noiseMultiplier: z.optional(noiseSchema),
});

/**
 * Snowball stochastic gradient descent: one pass of noisy steps on batches that grow towards the end, of
 * which the last point alone is released.
 *
 * Every average gradient has noise of deviation at most `L/√d`. A record of step `t` is hidden by the noise
 * of all steps from `t` on, so that the batch of step `t` needs `c·m·√d·η_t/√(Σ_{i≥t} η_i²)` records, for a
 * noise multiplier `m`, and `c = 2` for a replaced record: early batches are small. The points stay inside
 * the curator. Privacy rests on convexity, on `lipschitz` and `smoothness` of every record, and on steps of
 * at most `2/M`.
 *
 * `mechanism` is any noise whose event is Gaussian: that the noise of several steps makes up for what one
 * record moves is proved for Gaussian noise, whose shifts add up in squares.
 *
 * On an unbounded domain steps are projected onto the ball around the start with the fact `startDistance` or
 * `diameter` as radius, which has the minimiser.
 *
 * The last step count for which the records suffice is taken, up to 2²⁰; what is left of them is not read.
 * `plan.utility` bounds the expected excess population risk for even steps and independent records.
 */
export const snowballSgd = defineOptimizer({
  name: 'snowball-sgd',
  summary: 'Hidden noisy gradient steps on growing batches in one pass, of which the last point is released.',
  source: { id: 'feldman-koren-talwar-2020', item: 'Algorithm 1, Snowball-SGD' },
  params,
  examples: [{}, { stepSize: 0.002, sizes: 'halving', noiseMultiplier: 2 }],
  claims: [
    {
      property: 'event',
      statement:
        'one release of the Gaussian mechanism: each step makes up for a part of what one record moves',
      source: { id: 'feldman-mironov-talwar-thakurta-2018', item: 'Theorem 22, for Gaussian noise' },
    },
    { property: 'gradients', statement: 'Σ_t B_t ≤ n: one for each record that is read' },
    {
      property: 'utility',
      statement: 'E F(x) − F* ≤ D²/(2η(T + 1)) + (ηG²/2)(1 + H_T), G² = L² + dσ², for T even steps',
      source: { id: 'shamir-zhang-2013', item: 'Theorem 2, for one step size, with constants' },
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
  plan({ problem, registry, domain, params: { stepSize, sizes, ...written }, noiseFor }) {
    const { mechanism: noise, noiseMultiplier: given } = written;
    const { deviation, uncovered } = gaussianPart(registry, noise, {
      released: 'a step',
      why: 'that the noise of several steps hides a record is proved for Gaussian noise alone',
    });
    const slots = centralSlots(problem);
    const distance = knownDistanceOf(problem, domain);
    const setting: Setting = {
      dimension: problem.dimension,
      adjacency: problem.adjacency,
      lipschitz: factOfEveryRecord(problem, 'lipschitz'),
      smoothness: factOfEveryRecord(problem, 'smoothness'),
      distance,
      reach: domain.diameter < Infinity ? largestNorm(domain) : 4 * distance,
    };
    const { smoothness, lipschitz } = setting;
    const longest = (1 - 1e-9) * (2 / smoothness);
    if (stepSize !== undefined && stepSize > longest)
      throw new InvalidParameter(
        `stepSize is ${stepSize}; for losses of smoothness ` +
          `${smoothness} it is at most 2 / smoothness, ${longest}`,
        { stepSize, smoothness },
      );
    const anyStep = Math.min(longest, distance / lipschitz);
    const noiseMultiplier =
      given ??
      noiseFor((multiplier) => ({
        alike: [{ count: 1, stepSize: anyStep, batchSize: slots }],
        distance,
        records: slots,
        mechanism: noise,
        noiseMultiplier: multiplier,
      }));
    const batches = batchesFor(setting, { slots, sizes, noise: noiseMultiplier * deviation });
    const steps = batches.shares.length;
    const spread = 2 * lipschitz ** 2 * (steps + 1) * (1 + harmonic(steps));
    const eta = stepSize ?? Math.min(longest, distance / Math.sqrt(spread));
    // The sizes of batches depend on the ratios of steps alone.
    const alike = alikeOf(batches, eta);
    const reason =
      sizes === 'even' ? uncovered : 'halved steps have no bound here whose constants are proved';
    return {
      alike,
      distance,
      records: sumOf(batches.batchSizes),
      mechanism: noise,
      noiseMultiplier,
      utility:
        reason === null
          ? {
              bound: riskOf(setting, alike, noiseMultiplier * deviation),
              source:
                'Shamir, Zhang 2013, Theorem 2, for one step size, ' +
                'with constants; expected excess population risk',
            }
          : null,
      uncovered: reason,
    };
  },
  *steps({ plan, problem, domain, start, allRecords }) {
    const { alike, distance, records, mechanism: noise, noiseMultiplier } = plan;
    const origin = domain.projectInto(new Float64Array(start.length), start);
    const [batch] = yield* ask.split({
      of: allRecords,
      order: 'stored',
      parts: { by: 'size', sizes: [records] },
    });
    const x = yield* ask.descend({
      start: origin,
      // Noise on the steps of a descent needs a bounded domain; the minimiser is within this one.
      domain:
        domain.diameter < Infinity
          ? problem.domain
          : intersectionDomain({
              domain: problem.domain,
              ball: { radius: distance, centre: [...origin] },
            }),
      batch,
      steps: alike,
      release: 'last',
      noiseOn: 'steps',
      bound: { by: 'certificate', fact: 'lipschitz' },
      noise: { mechanism: noise, target: { noiseMultiplier } },
    });
    return domain.projectInto(x, x);
  },
});

interface Setting {
  readonly dimension: number;
  readonly adjacency: Adjacency;
  readonly lipschitz: number;
  readonly smoothness: number;
  /** `D`: bound on the distance from the start to the minimiser. */
  readonly distance: number;
  /** Largest norm of a point of the domain; on an unbounded one, of those that are planned for. */
  readonly reach: number;
}
interface Choice {
  readonly slots: number;
  readonly sizes: 'even' | 'halving';
  /** Deviation of an entry of the noise of a step over the sensitivity. */
  readonly noise: number;
}
/** Steps in their order. */
interface Batches {
  /** Step sizes over the first one. */
  readonly shares: Float64Array;
  readonly batchSizes: Float64Array;
}

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** Most steps of a pass: a plan holds numbers for each of them while it is made. */
const mostSteps = 2 ** 20;

/**
 * The batches of the most steps that the records suffice for, up to 2²⁰; of one step, all records if it needs
 * more.
 */
function batchesFor({ dimension, adjacency }: Setting, { slots, sizes, noise }: Choice): Batches {
  // Under replace-one a record moves a step twice as far.
  const needed = (adjacency === 'replace-one' ? 2 : 1) * noise * Math.sqrt(dimension);
  const batchesOf = (count: number): Batches => {
    const shares = new Float64Array(count);
    const batchSizes = new Float64Array(count);
    let squares = 0;
    for (let t = count - 1; t >= 0; t--) {
      shares[t] = sizes === 'even' ? 1 : halvedShare(t, count);
      squares += shares[t] ** 2;
      batchSizes[t] = Math.ceil((needed * shares[t]) / Math.sqrt(squares));
    }
    return { shares, batchSizes };
  };
  const fits = (count: number): boolean => sumOf(batchesOf(count).batchSizes) <= slots;
  if (!fits(1)) return { shares: Float64Array.of(1), batchSizes: Float64Array.of(slots) };
  let [least, most] = [1, Math.min(slots, mostSteps) + 1];
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2);
    if (fits(middle)) least = middle;
    else most = middle;
  }
  return batchesOf(least);
}

/** `2^{−i}` for the step after `t` others, `i` halvings of the steps that are left being over by then. */
const halvedShare = (t: number, count: number): number => 2 ** -Math.floor(Math.log2(count / (count - t)));

/** Equal steps in a row as one entry, the first of size `eta`. */
function alikeOf({ shares, batchSizes }: Batches, eta: number): readonly DescentSteps[] {
  const alike: { count: number; stepSize: number; batchSize: number }[] = [];
  for (const [t, batchSize] of batchSizes.entries()) {
    const stepSize = shares[t] * eta;
    const last = alike.at(-1);
    if (last?.stepSize === stepSize && last.batchSize === batchSize) last.count++;
    else alike.push({ count: 1, stepSize, batchSize });
  }
  return alike;
}

/** `H_count = Σ 1/k`. */
function harmonic(count: number): number {
  let sum = 0;
  for (let k = count; k >= 1; k--) sum += 1 / k;
  return sum;
}

/**
 * The last of `T` even steps: averages of the last `k + 1` points are better than the point before them by
 * all but `ηG²/2`, and the released point differs from the average of all by the sum of these over `k`.
 *
 * @param noise - Deviation of an entry of the noise of a step over the sensitivity.
 */
function riskOf(setting: Setting, alike: readonly DescentSteps[], noise: number): number {
  const { lipschitz: L, dimension, distance, adjacency, reach } = setting;
  const sensitivity = sensitivityUnder(
    descentSensitivity({ ...setting, steps: alike, release: 'last', noiseOn: 'steps' }),
    adjacency,
    'a descent',
  );
  const squared = L ** 2 + dimension * (noise * sensitivity) ** 2;
  const steps = alike.reduce((sum, { count }) => sum + count, 0);
  const [{ stepSize }] = alike;
  // The answer is rounded to a grid of 2⁻¹⁶ of the noise of the last step, or where doubles end.
  const rounding = Math.sqrt(dimension) * (2 ** -16 * noise * sensitivity * stepSize + 2 ** -47 * reach);
  return (
    distance ** 2 / (2 * stepSize * (steps + 1)) +
    ((stepSize * squared) / 2) * (1 + harmonic(steps)) +
    L * rounding
  );
}
