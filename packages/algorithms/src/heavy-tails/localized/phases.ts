import { InvalidParameter } from '@lethe/core';
import { requireCounts, requirePositive } from '../../common/require.js';
import { averagedMoment } from '../moments/averaged-moment.js';
import { clippingBias } from '../schedules/least-bound.js';
import { floorToPowerOfTwo } from './strongly-convex-blocks.js';

/**
 * What Theorem 41 reads. Moments are roots; `uniform` ones have the supremum over the domain inside:
 * `r̃_k = (E sup_w ‖∇f(w, x)‖^k)^(1/k)`.
 */
export interface LocalizedFacts {
  /** `n`, at least 2; rounded down to a power of two. */
  readonly records: number;
  readonly dimension: number;
  /** The paper’s `ε` of every phase: noise of `2·clipNorm·√T/(n ε)` on each of `T` means of `n` records. */
  readonly epsilon: number;
  /** `D`: bound on the distance from the start to the minimiser. */
  readonly distance: number;
  /** `k ≥ 2`. */
  readonly order: number;
  /** `r̃_k`. */
  readonly uniformMoment: number;
  /** `r̃_{2k}`, at least `r̃_k`. */
  readonly uniformDoubleMoment: number;
  /** `r_2`, or `r̃_2`. */
  readonly secondMoment: number;
  /** `L = sup_W ‖∇F‖`; `r_k` will do. */
  readonly lipschitz: number;
  /** `r̃_{2k,m}`: the empirical moment of `m` records, which is smaller. @defaultValue `r̃_{2k}` */
  readonly doubleMomentOf?: (records: number) => number;
  /** `L` of every record, where it is known: a clip of that size or more has no bias. */
  readonly longest?: number | undefined;
}

/** Numbers that the schedule takes as given instead of choosing them. */
export interface LocalizedOverrides {
  /** `η`. */
  readonly stepSize?: number | undefined;
  /** Of every phase. */
  readonly clipNorm?: number | undefined;
  /** No clip norm of `corrected` is larger: that at which nothing is cut. */
  readonly largestClip?: number | undefined;
  /** No phase takes more. */
  readonly mostRounds?: number | undefined;
}

/** Phase `i = 1, 2, …` of Algorithm 4. */
export interface LocalizedPhase {
  /** `n_i = 2⁻ⁱn`. */
  readonly records: number;
  /** `η_i = 4⁻ⁱη`. */
  readonly stepSize: number;
  /** `λ_i = 1/(η_i n_i^p)`, `p = 1 + 1/k`. */
  readonly strength: number;
  /** `D_i = 4 r̃_k (2ⁱ√n)^(1/k) / λ_i`: of the ball around the phase’s start. */
  readonly radius: number;
  /** `T_i`. */
  readonly rounds: number;
  /** `C_i`. */
  readonly clipNorm: number;
  /** `σ_i`: standard deviation of one coordinate’s noise in each round. */
  readonly noise: number;
  /** Bound on the root mean square, over data sets, of the clip’s bias. */
  readonly bias: number;
}

/** Phases, and what is common to them. */
export interface LocalizedSchedule {
  /** `n`, a power of two; `n − 1` of these records are read. */
  readonly records: number;
  /** `η`. */
  readonly stepSize: number;
  readonly phases: readonly LocalizedPhase[];
}

/**
 * The phases of Algorithm 4 with the parameters of Theorem 41.
 *
 * `printed` follows the paper’s text: `T_i = (1/(λ_i η_i)) ln(D²λ_i/(dσ_i²η_i))`, a last clip norm without
 * `ln n`, the published bias bound. `corrected` doubles `T_i`, as the rate of Lemma 14 asks for, uses one
 * formula for all clip norms, none above what leaves every gradient whole, and the sharp bias bound. In both
 * `T_i` is rounded up, is at least 1, and has in its logarithm the `σ_i` of one round, which is the least.
 *
 * @throws {InvalidParameter} for numbers outside their domains.
 * @see Lowy and Razaviyayn, Algorithm 4, Theorem 41.
 */
export function localizedPhases(
  facts: LocalizedFacts,
  schedule: 'corrected' | 'printed',
  overrides: LocalizedOverrides = {},
): LocalizedSchedule {
  const {
    dimension: d,
    epsilon,
    distance,
    order: k,
    uniformMoment,
    uniformDoubleMoment,
    doubleMomentOf = () => uniformDoubleMoment,
    longest,
  } = checked(facts);
  const n = floorToPowerOfTwo(facts.records);
  const power = 1 + 1 / k;
  const stepSize = overrides.stepSize ?? stepSizeOf(facts, n);
  const logarithm = Math.log(n);
  const isPrinted = schedule === 'printed';
  const phases = Array.from({ length: Math.log2(n) }, (_, at): LocalizedPhase => {
    const i = at + 1;
    const records = n / 2 ** i;
    const eta = stepSize * 4 ** -i;
    const length = records ** power;
    const strength = 1 / (eta * length);
    const isLast = records === 1;
    const moment = doubleMomentOf(records);
    const clipNorm =
      overrides.clipNorm ??
      (isPrinted && isLast
        ? uniformDoubleMoment * (epsilon / Math.sqrt(d)) ** (1 / k)
        : Math.min(
            moment * ((epsilon * records) / Math.sqrt(d * logarithm)) ** (1 / k),
            (isPrinted ? undefined : overrides.largestClip) ?? Infinity,
          ));
    const once = (2 * clipNorm) / (records * epsilon);
    const needed =
      (isPrinted ? 1 : 2) *
      length *
      Math.log(Math.max(Math.E, (distance ** 2 * strength) / (d * once ** 2 * eta)));
    const rounds = Math.max(1, Math.min(Math.ceil(needed), overrides.mostRounds ?? Infinity));
    const bias = clippingBias({ clipNorm, order: k, moment, longest, schedule });
    return {
      records,
      stepSize: eta,
      strength,
      radius: (4 * uniformMoment * (2 ** i * Math.sqrt(n)) ** (1 / k)) / strength,
      rounds,
      clipNorm,
      noise: once * Math.sqrt(rounds),
      bias,
    };
  });
  return { records: n, stepSize, phases };
}

/** `η` of Theorem 41, whose constant the paper leaves open, at 1. */
function stepSizeOf(facts: LocalizedFacts, n: number): number {
  const {
    dimension: d,
    epsilon,
    distance: D,
    order: k,
    uniformMoment,
    uniformDoubleMoment,
    secondMoment,
    lipschitz,
    doubleMomentOf = () => uniformDoubleMoment,
  } = facts;
  const power = 1 + 1 / k;
  const share = (k - 1) / k;
  const averaged = averagedMoment(
    Float64Array.from({ length: Math.log2(n) }, (_, i) => doubleMomentOf(n / 2 ** (i + 1))),
  );
  const privacy = (Math.sqrt(d * Math.log(n)) / (epsilon * n)) ** share;
  const last =
    ((averaged * D * n ** 2) / lipschitz) *
    Math.min(
      1 / (uniformMoment * n ** (3 / (2 * k))),
      (epsilon / Math.sqrt(d)) ** share / uniformDoubleMoment,
    ) *
    (1 / Math.sqrt(n) + privacy);
  const first =
    (D / n ** (power / 2)) *
    Math.min(
      1 / (secondMoment * n ** ((power - 1) / 2)),
      1 / (uniformMoment * n ** (1 / (2 * k))),
      1 / (averaged * n ** (power / 2) * privacy),
    );
  return Math.min(last, first);
}

function checked(facts: LocalizedFacts): LocalizedFacts {
  const {
    records,
    dimension,
    epsilon,
    distance,
    order,
    uniformMoment,
    uniformDoubleMoment,
    secondMoment,
    lipschitz,
  } = facts;
  requireCounts({ records, dimension });
  requirePositive({ epsilon, distance, order, uniformMoment, uniformDoubleMoment, secondMoment, lipschitz });
  if (records < 2)
    throw new InvalidParameter(`records is ${records}; the localized method needs at least 2`, { records });
  if (order < 2)
    throw new InvalidParameter(`order is ${order}; the method needs moments of order k ≥ 2, and of 2k`, {
      order,
    });
  return facts;
}
