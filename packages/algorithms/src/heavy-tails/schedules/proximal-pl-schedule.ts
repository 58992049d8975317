import { InvalidParameter, Unsupported } from '@lethe/core';
import type { MeanError } from '../../common/given-mean.js';
import {
  clipNormOf,
  errorOf,
  leastBound,
  wholeRounds,
  type OnePassFacts,
  type OnePassOverrides,
  type OnePassSchedule,
  type ScheduleChoice,
  type ScheduleName,
} from './least-bound.js';

/** What Proposition 46 reads. */
export interface ProximalPlRun {
  /** `β`, of the smooth part. */
  readonly smoothness: number;
  /** `μ ≤ β`, of the proximal Polyak–Łojasiewicz condition. */
  readonly convexity: number;
  /** `Δ ≥ F(w_0) − F*`. */
  readonly gap: number;
  /** `T` steps of size `1/(2β)`. */
  readonly rounds: number;
  /** `Σ²` and `B` of every step. */
  readonly variance: number;
  readonly bias: number;
}

/**
 * Bound on the expected excess risk of the last iterate of proximal stochastic gradient descent,
 * `q = 1 − μ/(2β)`: `q^T Δ + 4(B² + Σ²)/μ` as printed, or `q^T Δ + (1 − q^T)(B² + Σ²)/(2μ)`, which holds step
 * by step on every path.
 *
 * @see Lowy & Razaviyayn, Proposition 46, whose Eq. 65 drops a term that its constant makes up for.
 */
export function proximalPlExcessRisk(
  { smoothness: beta, convexity: mu, gap, rounds, variance, bias }: ProximalPlRun,
  schedule: ScheduleName,
): number {
  const kept = (1 - mu / (2 * beta)) ** rounds;
  const error = variance + bias ** 2;
  return kept * gap + (schedule === 'printed' ? (4 * error) / mu : ((1 - kept) * error) / (2 * mu));
}

/** What Theorem 48 reads. */
export interface ProximalPlFacts extends OnePassFacts {
  /** As in {@link ProximalPlRun}; `0 < μ ≤ β`. */
  readonly smoothness: number;
  readonly convexity: number;
  readonly gap: number;
}

/**
 * Rounds and clip norm of Theorem 48, from the noise really used: `C = r_k (εn/(√d T))^(1/k)` and
 * `T = 2⌈κ ln max(e, Δμ/(B² + Σ²))⌉`, where `B` and `Σ` depend on `T`: iterated from `T = ⌈κ⌉`, and of the
 * numbers met that with the least bound is taken.
 *
 * `printed` bounds the bias as Lemma 6 prints it. The bound is
 * for the whole numbers and the noise of the schedule, in all.
 *
 * @throws {InvalidParameter} unless `0 < μ ≤ β`.
 */
export function proximalPlSchedule(
  facts: ProximalPlFacts,
  schedule: ScheduleChoice,
  overrides: OnePassOverrides = {},
): OnePassSchedule {
  const { slots: n, smoothness: beta, convexity: mu, gap } = facts;
  if (!(mu > 0 && mu <= beta))
    throw new InvalidParameter(
      `the proximal Polyak–Łojasiewicz constant is ${mu}; ` +
        `it must be positive and at most the smoothness, ${beta}`,
      { convexity: mu, smoothness: beta },
    );
  const errorAt = errorOf(facts, schedule);
  const at = (real: number, given = overrides): OnePassSchedule => {
    const rounds = wholeRounds(real, given.rounds, facts);
    const batchSize = Math.floor(n / rounds);
    const clipNorm = given.clipNorm ?? theoremClip(facts, rounds);
    const { noise, bias, variance } = errorAt(clipNorm, batchSize);
    const run = { smoothness: beta, convexity: mu, gap, rounds, variance, bias };
    return {
      rounds,
      batches: rounds,
      batchSize,
      clipNorm,
      noise,
      bias,
      variance,
      excessRisk: proximalPlExcessRisk(run, 'corrected'),
      printedBound: proximalPlExcessRisk(run, 'printed'),
    };
  };
  let found = at(Math.ceil(beta / mu));
  let best = found;
  for (let pass = 0; pass < 8 && overrides.rounds === undefined; pass++) {
    const next = at(
      2 *
        Math.ceil((beta / mu) * Math.log(Math.max(Math.E, (gap * mu) / (found.variance + found.bias ** 2)))),
    );
    if (next.excessRisk < best.excessRisk) best = next;
    if (next.rounds === found.rounds) break;
    found = next;
  }
  if (schedule !== 'least-bound') return best;
  const least = at(
    1,
    leastBound(
      {
        ...facts,
        extra: 0,
        error: errorAt,
        clipNormNear: (rounds) => theoremClip(facts, rounds),
        boundAfter:
          (rounds) =>
          ({ variance, bias }) =>
            proximalPlExcessRisk(
              { smoothness: beta, convexity: mu, gap, rounds, variance, bias },
              'corrected',
            ),
      },
      overrides,
    ),
  );
  return least.excessRisk < best.excessRisk ? least : best;
}

const theoremClip = (facts: OnePassFacts, rounds: number): number =>
  clipNormOf(facts, (facts.epsilon * facts.slots) / (Math.sqrt(facts.dimension) * rounds));

/**
 * The same for rounds that are given, where constants of the theorem are missing: there is a clip norm, and
 * no bound. `least-bound` minimises `B² + Σ²`, as it does for these rounds whatever the constants.
 *
 * @param facts - `lacking`: what is missing, for the message.
 * @throws {Unsupported} when no rounds are given.
 */
export function givenProximalSchedule(
  { lacking, ...facts }: OnePassFacts & { readonly lacking: string },
  schedule: ScheduleChoice,
  overrides: OnePassOverrides,
): OnePassSchedule {
  if (overrides.rounds === undefined)
    throw new Unsupported(
      `Theorem 48 cannot choose the number of rounds: ${lacking}. Declare it, or give rounds.`,
      { lacking },
    );
  const errorAt = errorOf(facts, schedule);
  const rounds = wholeRounds(1, overrides.rounds, facts);
  const batchSize = Math.floor(facts.slots / rounds);
  const boundAfter =
    () =>
    ({ variance, bias }: MeanError): number =>
      variance + bias ** 2;
  const { clipNorm = theoremClip(facts, rounds) } =
    schedule === 'least-bound'
      ? leastBound(
          { ...facts, extra: 0, error: errorAt, clipNormNear: () => theoremClip(facts, rounds), boundAfter },
          { ...overrides, rounds },
        )
      : overrides;
  const error = errorAt(clipNorm, batchSize);
  // Of several moments the one with the least error is taken.
  return {
    rounds,
    batches: rounds,
    batchSize,
    clipNorm,
    ...error,
    excessRisk: error.variance + error.bias ** 2,
    printedBound: null,
  };
}
