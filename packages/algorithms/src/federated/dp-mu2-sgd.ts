import { ask, referenceTo, Unsupported, type Problem, type Ref } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { discreteGaussian, independentPrefixes, latticeClip, skellam } from '@lethe/mechanisms';
import * as z from 'zod';
import { differenceNormSchema } from '../common/private-clip.js';
import { noiseOfSums, type StreamOfSums } from '../common/noise-of-sums.js';
import { effectiveSize, noiseFactor, silosOf, type Silos } from '../common/silos.js';
import { clipOrRule, oneClip, streamClip } from '../common/stream-clip.js';
import { streamOverBatches } from '../common/stream-over-batches.js';
import { sizesOf, wholeRounds } from '../common/whole-rounds.js';
import { noiseSchema } from '../standard/with-noise.js';
import { incrementRadius, printedLevel, type IncrementClip, type LossConstants } from './constants.js';
import { knownConstants } from './known-constants.js';
import { average, descend, addIncrement, incrementCentre, incrementTerms, mu2Start } from './momentum-sum.js';
import { mu2Risk, mu2StepSize, type Mu2Run } from './risk-bounds.js';

const schedule = z.object({
  rounds: z
    .int()
    .positive()
    .describe('T: rounds of the one pass, each on a batch of its own of ⌊n / T⌋ records.'),
  batchSize: z.int().positive().describe('b: records of a round; of the first silo where there are several.'),
  batchSizes: z
    .array(z.int().positive())
    .optional()
    .describe('Records of a round in each silo of a federation.'),
  noiseFactors: z
    .array(z.number().min(1))
    .optional()
    .describe(
      'By how much the noise multiplier of each silo of a federation is larger, where records of some may ' +
        'cost less: the budget is that of factor 1, and the level of silo i is ρ over its factor.',
    ),
  stepSize: z.number().positive().describe('η: step along the weighted momentum q_t = t d_t.'),
  clipNorm: differenceNormSchema.check(
    z.describe('R: distance from the centre beyond which an increment of a record is cut.'),
  ),
  clip: referenceTo('clip').check(z.describe('Bounds that distance in ℓ2.')),
  halfSmoothness: z
    .number()
    .nonnegative()
    .describe('L/2 of the centre (t − 1)(L/2)(x_t − x_{t−1}); 0 for bounds about the origin.'),
  prefixSum: z
    ._default(referenceTo('prefixSum'), independentPrefixes({}))
    .describe('Noise of the running sums: fresh on every sum, or correlated, such as { name: binary-tree }.'),
  noiseMultiplier: noiseSchema,
  mechanism: z.optional(referenceTo('mechanism')).describe('Noise of the sums; left out: Gaussian noise.'),
});
const params = schedule
  .omit({ batchSize: true, batchSizes: true, clip: true, halfSmoothness: true, mechanism: true })
  .partial({ rounds: true, stepSize: true, clipNorm: true, noiseMultiplier: true })
  .extend({
    schedule: z
      .enum(['rebuilt', 'printed'])
      .default('rebuilt')
      .describe(
        'What is not given. rebuilt: noise by the exact curve, as few rounds as keep the rate, the ' +
          'centred clip for convex losses. printed: one record a round, noise by Lemma 2, the clip of ' +
          'Lemma 4.',
      ),
    clip: clipOrRule(['centred', 'lemma-4'])
      .optional()
      .describe(
        'Radius G + LD about the centre, which cuts no convex loss, or G + 2LD about the origin; or any ' +
          'clip in ℓ2, such as { name: l2, params: { radius: 1 } }, about the centre for convex losses.',
      ),
    arithmetic: z
      .enum(['real', 'exact'])
      .default('real')
      .describe(
        'real: Gaussian noise. exact: increments on a grid and whole Gaussian noise on every sum, whose ' +
          'certificate assumes nothing about floating point. Secure sums are always so.',
      ),
    setting: z
      .enum(['any', 'realizable'])
      .default('any')
      .describe('Where the minimiser of the risk over the whole space is: anywhere, or in the domain.'),
  })
  .strict()
  .superRefine(oneClip);

/**
 * DP-μ²-SGD: anytime averaging of iterates and corrected momentum, both weighted by the round, in one pass.
 * Round `t` adds `s_t = ∇f(x_t) + (t − 1)(∇f(x_t) − ∇f(x_{t−1}))` of records of its own to a private running
 * sum `q`; then `w ← P(w − ηq)` and `x ← (t x + 2w)/(t + 2)`. The result is `x_T`. On one machine it is
 * DP-μ²-SGD; in a federation the sums are weighted averages of those of the silos, whose noise is their own
 * where the server is not trusted (DP-μ²-FL, the first algorithm of the paper), and one noise of the server
 * where it is (the second). In secure sums they are averages over all records of a round, on a grid, and
 * every silo adds a share of Skellam noise.
 *
 * A record touches one increment, and the sums up to the last carry the same difference: with fresh noise on
 * every sum the whole run costs one Gaussian of sensitivity `2R√T/b`. Privacy rests on the clip alone, any
 * clip in ℓ2, and holds for any loss. For convex losses increments are bounded by `R = G + LD` about a public
 * centre; the residuals are summed, so that a null record adds nothing, and the centre is added for every
 * slot.
 *
 * What is not given follows from `lipschitz` and `smoothness` of every record and the diameter of the domain;
 * without them `rounds`, `stepSize` and `clipNorm` have to be given. `plan.utility` bounds the expected
 * excess population risk, for independent records and a convex loss that the clip does not cut;
 * `plan.uncovered` says why there is no bound.
 */
export const dpMu2Sgd = defineOptimizer({
  name: 'dp-mu2-sgd',
  summary: 'One-pass descent on private sums of corrected momentum, at averages of its iterates.',
  source: { id: 'reshef-levy-2024', item: 'Sections 3.2 and 4' },
  params,
  examples: [
    { rounds: 5, stepSize: 0.01, clipNorm: 3 },
    { rounds: 4, stepSize: 0.1, clipNorm: 1, prefixSum: { name: 'binary-tree' } },
    { rounds: 6, stepSize: 0.1, clipNorm: 2, schedule: 'printed' },
    { rounds: 3, stepSize: 0.05, clipNorm: 1, noiseMultiplier: 2 },
    { rounds: 4, stepSize: 0.05, clipNorm: 1, noiseMultiplier: 2, arithmetic: 'exact' },
  ],
  claims: [
    {
      property: 'event',
      statement:
        'one Gaussian of the planned multiplier, for the whole stream; with exact arithmetic T releases ' +
        'with whole Gaussian noise of √T times that multiplier',
    },
    { property: 'gradients', statement: '2T⌊n/T⌋ − ⌊n/T⌋: two for each record, one in the first batch' },
    {
      property: 'utility',
      statement:
        'E f(x_T) − f* ≤ (4/T²)[D²/(2η) + (η/2)d Σ V_t + Dσ̃T^{3/2}/√b + TDG*], D√d Σ √V_t for ' +
        'correlated noise',
      source: { id: 'reshef-levy-2024', item: 'Section 1, with constants of our own' },
    },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central', 'federated', 'secure-aggregation'],
  privacyRestsOn: 'clip',
  schedule,
  plan({ problem, domain, registry, budget, params: written, noiseFor }) {
    const { prefixSum, schedule: choice, setting, clip: asked, arithmetic, ...rest } = written;
    const ownClip = streamClip(registry, typeof asked === 'object' ? asked : undefined);
    const { noiseFactors } = written;
    const silos = silosOf(problem, noiseFactors);
    if (rest.rounds !== undefined) sizesOf(rest.rounds, silos);
    const constants = knownConstants(problem, domain);
    const { capabilities }: Problem = problem;
    const isConvex = capabilities.convex === true;
    const rule = typeof asked === 'string' ? asked : undefined;
    const clip = rule ?? (choice === 'rebuilt' && isConvex ? 'centred' : 'lemma-4');
    const isWhole = arithmetic === 'exact' || problem.trust.model === 'secure-aggregation';
    const slopeAtMinimiser =
      typeof constants === 'string' || setting === 'realizable' ? 0 : constants.lipschitz;
    const streamAt = (noiseMultiplier: number) => ({ registry, prefixSum, ...problem, noiseMultiplier });
    const wholeAt = isWhole ? wholeNoise(problem, written) : null;
    /** Whole noise is made for a number of releases; that of one has nearly the multiplier of all. */
    const roundsOfWhole = (): number | undefined => {
      if (wholeAt === null || typeof constants === 'string') return undefined;
      return fewestRounds({
        silos,
        constants,
        slopeAtMinimiser,
        stream: streamAt(rest.noiseMultiplier ?? wholeAt(1).multiplier(noiseFor)),
        clipNorm: rest.clipNorm ?? incrementRadius(constants, clip),
      });
    };
    const rounds = rest.rounds ?? roundsOfWhole();
    const given = { ...rest, rounds, clipNorm: ownClip.radius ?? rest.clipNorm };
    if (isWhole && rounds === undefined) throw lacking(String(constants));
    const whole = rounds === undefined ? undefined : wholeAt?.(rounds);
    const noiseMultiplier =
      given.noiseMultiplier ??
      whole?.multiplier(noiseFor) ??
      (choice === 'printed'
        ? 1 / printedLevel(budget)
        : noiseFor((multiplier) => ({
            rounds: 1,
            ...batchesOf(
              problem,
              problem.slots.map(() => 1),
            ),
            stepSize: 1,
            clipNorm: 1,
            clip: ownClip.at(1),
            halfSmoothness: 0,
            prefixSum,
            noiseMultiplier: multiplier,
          })));
    const found =
      typeof constants === 'string'
        ? givenWhole(given, { silos, missing: constants, halfSmoothness: centring(problem, clip) })
        : scheduleOf(given, {
            silos,
            constants,
            clip,
            stream: streamAt(noiseMultiplier),
            slopeAtMinimiser,
            isPrinted: choice === 'printed',
          });
    const uncovered = obstacle({ problem, isConvex, ...found }) ?? ownClip.uncovered;
    const { sizes, ...numbers } = found.schedule;
    return {
      ...numbers,
      ...batchesOf(problem, sizes),
      ...(whole?.parts(numbers.clipNorm, noiseMultiplier) ?? { clip: ownClip.at(numbers.clipNorm) }),
      prefixSum,
      noiseMultiplier,
      ...(noiseFactors === undefined ? {} : { noiseFactors }),
      utility:
        uncovered === null && found.risk !== null
          ? {
              bound: found.risk,
              source: 'Reshef and Levy 2024, constants of our own; expected excess population risk',
            }
          : null,
      uncovered,
    };
  },
  *steps({ plan, problem, domain, start, allRecords, state, parts }) {
    const { batches, stream } = yield* streamOverBatches({
      ...plan,
      areLargest: true,
      allRecords,
      dimension: problem.dimension,
    });
    const iterates = state(mu2Start(domain, start));
    const { x } = iterates;
    for (const [t, batch] of parts(batches, (number) => (number === 1 ? 'first' : 'later'))) {
      const centre = incrementCentre(t, plan.halfSmoothness, iterates);
      const residual = yield* ask.push({
        stream,
        batch,
        terms: incrementTerms(t, iterates),
        ...(centre === null ? {} : { centre }),
      });
      addIncrement(iterates, residual, centre);
      descend(domain, plan.stepSize, iterates);
      if (t < plan.rounds) average(t, iterates);
    }
    return x;
  },
});

interface Schedule extends Pick<
  z.output<typeof schedule>,
  'rounds' | 'stepSize' | 'clipNorm' | 'halfSmoothness'
> {
  /** Records of a round in each silo. */
  readonly sizes: readonly number[];
}

/** Steps of the grid in the noise of a sum: a grid so fine costs nothing that is seen. */
const wholeScale = 2 ** 20;
/** The same in a share of Skellam noise: the most that is drawn. */
const shareScale = 2 ** 14;

/**
 * Whole noise of runs, by their number of rounds: its multiplier, and the clip and the mechanism that it
 * needs.
 *
 * @throws {Unsupported} for a clip by reference, and for other noise than fresh noise on every sum.
 */
function wholeNoise(
  problem: Problem,
  {
    clip,
    prefixSum,
    schedule: choice,
  }: {
    readonly clip?: string | Ref<'clip'> | undefined;
    readonly prefixSum: Ref<'prefixSum'>;
    readonly schedule: string;
  },
) {
  const { trust } = problem;
  const isShared = trust.model === 'secure-aggregation';
  const refuse = (why: string, details: Readonly<Record<string, string>>): never => {
    const what = isShared ? 'in secure sums' : 'with exact arithmetic';
    throw new Unsupported(`'dp-mu2-sgd' ${what} ${why}`, details);
  };
  if (choice === 'printed')
    return refuse("has other noise than the paper prints; leave out schedule: 'printed'", {
      schedule: choice,
    });
  if (typeof clip === 'object')
    return refuse(`rounds increments to a grid, not by '${clip.name}'; leave out clip`, { clip: clip.name });
  if (prefixSum.name !== independentPrefixes.name)
    return refuse(`takes fresh noise on every sum, not '${prefixSum.name}'; leave out prefixSum`, {
      prefixSum: prefixSum.name,
    });
  const sensitivity = problem.adjacency === 'replace-one' ? 2 : 1;
  const finest = isShared ? shareScale * Math.sqrt(trust.survivors - trust.corrupted) : wholeScale;
  return (rounds: number) => {
    const spacing = (clipNorm: number, noiseMultiplier: number): number =>
      2 ** Math.ceil(Math.log2((noiseMultiplier * Math.sqrt(rounds) * sensitivity * clipNorm) / finest));
    const parts = (clipNorm: number, noiseMultiplier: number) => ({
      clip: latticeClip({ radius: clipNorm, spacing: spacing(clipNorm, noiseMultiplier) }),
      // The grid is at most twice as coarse as it may be.
      mechanism: isShared ? skellam({ leastScale: shareScale / 4 }) : discreteGaussian({}),
    });
    const sizes = sizesOf(rounds, silosOf(problem));
    return {
      parts,
      multiplier: (noiseFor: (draft: (multiplier: number) => object) => number): number =>
        noiseFor((noiseMultiplier) => ({
          rounds,
          ...batchesOf(problem, sizes),
          stepSize: 1,
          clipNorm: 1,
          halfSmoothness: 0,
          prefixSum,
          noiseMultiplier,
          ...parts(1, noiseMultiplier),
        })),
    };
  };
}

/** Records of a round, as the steps read them. */
const batchesOf = ({ trust }: Problem, sizes: readonly number[]) => ({
  batchSize: sizes[0],
  ...('silos' in trust ? { batchSizes: [...sizes] } : {}),
});

type Given = { readonly [Name in 'rounds' | 'stepSize' | 'clipNorm']?: number | undefined };
interface Found {
  readonly schedule: Schedule;
  /** Bound on the risk of a run whose clip cuts nothing. */
  readonly risk: number | null;
  /** What is missing for a bound. */
  readonly missing: string | null;
}

/** `L/2` for the centre of a clip, where the smoothness is known. */
function centring({ facts }: Problem, clip: IncrementClip): number {
  const fact = facts['smoothness'];
  return clip === 'centred' && fact?.scope === 'every-record' ? fact.value / 2 : 0;
}

const lacking = (missing: string): Unsupported =>
  new Unsupported(
    "the schedule of 'dp-mu2-sgd' needs lipschitz and smoothness of every record and a bounded " +
      `domain, and ${missing}; declare it, or give rounds, stepSize and clipNorm`,
    { missing },
  );

/** The schedule where its numbers are all given. @throws {Unsupported} where they are not. */
function givenWhole(
  { rounds, stepSize, clipNorm }: Given,
  {
    silos,
    missing,
    halfSmoothness,
  }: {
    readonly silos: Silos;
    readonly missing: string;
    readonly halfSmoothness: number;
  },
): Found {
  if (rounds === undefined || stepSize === undefined || clipNorm === undefined) throw lacking(missing);
  const sizes = sizesOf(rounds, silos);
  return { schedule: { rounds, sizes, stepSize, clipNorm, halfSmoothness }, risk: null, missing };
}

interface Setting {
  readonly silos: Silos;
  readonly constants: LossConstants;
  readonly clip: IncrementClip;
  readonly stream: StreamOfSums & { readonly prefixSum: Ref<'prefixSum'> };
  readonly slopeAtMinimiser: number;
  readonly isPrinted: boolean;
}

/** What is not given, from the constants, with the bound on the risk. */
function scheduleOf(given: Given, setting: Setting): Found {
  const { silos, constants, clip, stream, slopeAtMinimiser, isPrinted } = setting;
  const { smoothness, diameter } = constants;
  const { dimension } = stream;
  const needed = incrementRadius(constants, clip);
  const clipNorm = given.clipNorm ?? needed;
  const rounds =
    given.rounds ?? (isPrinted ? Math.min(...silos.slots) : fewestRounds({ ...setting, clipNorm }));
  const sizes = sizesOf(rounds, silos);
  const factor = noiseFactor(silos, sizes) * clipNorm;
  const run = {
    rounds,
    batchSize: effectiveSize(silos, sizes),
    dimension,
    diameter,
    smoothness,
    slopeAtMinimiser,
    // A variance is the least mean square about any point, the centre among them.
    increments: needed,
    deviations: noiseOfSums(stream, rounds).deviations.map((one) => one * factor),
    independent: stream.prefixSum.name === independentPrefixes.name,
  } satisfies Omit<Mu2Run, 'stepSize'>;
  const stepSize = given.stepSize ?? mu2StepSize(run);
  const halfSmoothness = clip === 'centred' ? smoothness / 2 : 0;
  return {
    schedule: { rounds, sizes, stepSize, clipNorm, halfSmoothness },
    risk: mu2Risk({ ...run, stepSize }),
    missing: clipNorm < needed ? 'the clip may cut increments; leave out clipNorm' : null,
  };
}

/**
 * Four times the number of rounds from which on the term `(G* + 2LD)/T` of the bound is below one of the
 * others, which depend on `n = bT` alone: fewer would cost risk, more cost time. Of those, as many as leave
 * few records unread.
 */
function fewestRounds({
  silos,
  constants,
  stream,
  slopeAtMinimiser,
  clipNorm,
}: Omit<Setting, 'clip' | 'isPrinted'> & { readonly clipNorm: number }): number {
  const { smoothness, diameter } = constants;
  const one = noiseOfSums({ ...stream, prefixSum: independentPrefixes({}) }, 1).worst;
  const others = Math.max(
    clipNorm / Math.sqrt(effectiveSize(silos, silos.slots)),
    one * clipNorm * Math.sqrt(stream.dimension) * noiseFactor(silos, silos.slots),
  );
  const rounds = Math.ceil((4 * (slopeAtMinimiser + 2 * smoothness * diameter)) / others);
  return wholeRounds(Math.max(1, Math.min(...silos.slots, rounds)), silos);
}

/** Why there is no bound on the risk. */
function obstacle({
  problem,
  isConvex,
  risk,
  missing,
}: Found & {
  readonly problem: Problem;
  readonly isConvex: boolean;
}): string | null {
  if (!isConvex) return `the loss '${problem.loss.name}' is not convex`;
  if (missing !== null) return missing;
  return risk === null ? 'stepSize is above 1/(4LT); leave it out' : null;
}
