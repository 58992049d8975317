import { InvalidParameter, sameEvent, Unsupported, type Query } from '@lethe/core';
import { crowdFor, prepareTrials, type TrialOptions } from './trials.js';
import {
  boundEpsilon,
  judge,
  reachOf,
  tradeOff,
  type ClaimedPoint,
  type EpsilonBound,
  type Scores,
  type Verdict,
} from './verdict.js';

/** What is audited, and how thoroughly. */
export interface AuditOptimizerOptions extends TrialOptions {
  /** What its event is certified to cost, `epsilon` rounded up. */
  readonly claimed: ClaimedPoint;
  /** Other points of its certified profile, which a violation may show at as well. @defaultValue none */
  readonly profile?: readonly ClaimedPoint[];
  /** Runs on each of the two neighbours. At least 10. */
  readonly runs: number;
  /** Of the lower bound on ε. @defaultValue 0.95 */
  readonly confidence?: number;
  /** Probability with which a true claim is called violated. @defaultValue 1e-6 */
  readonly falseAlarm?: number;
  readonly signal?: AbortSignal;
  /** Told after each pair of runs. */
  readonly progress?: (done: number, runs: number) => void;
  /** Called before each pair of runs and awaited, for callers that must stay responsive. */
  readonly pause?: () => Promise<void> | undefined;
}

/** What an audit found. */
export interface OptimizerAudit {
  readonly claimed: ClaimedPoint;
  readonly runs: number;
  readonly confidence: number;
  readonly falseAlarm: number;
  /** Lower bound on ε at the claimed δ, with the event that shows it. */
  readonly epsilon: EpsilonBound;
  /** The bound as a share of the claim. */
  readonly tightness: number;
  readonly verdict: Verdict;
  /**
   * The largest ε that so many runs could show, at the confidence and at the level of the verdict. A claim beyond
   * the second cannot be refuted.
   */
  readonly reach: { readonly epsilon: number; readonly verdict: number };
  /** Whether every ledger that was looked at holds the plan's event. */
  readonly ledgerMatchesPlan: boolean;
  /**
   * Kinds of queries whose answers the audit made nothing of, such as streams: what they tell is missing from the
   * bound.
   */
  readonly unheard: readonly Query['ask'][];
  /** What the records beside the canary were. */
  readonly crowd: string;
  /** How well thresholds on the likelihood ratio tell the neighbours apart, on runs that chose none. */
  readonly tradeOff: readonly { readonly falseAlarms: number; readonly hits: number }[];
}

/**
 * Ledgers are compared with the plan on these runs: an optimizer that costs now this, now that, is found by the
 * laws of its kind.
 */
const compared = 16;

/**
 * Audits a planned run by what its curator says, as its worst adversary would: two data sets differ in one record
 * whose gradient the auditor chooses before every query, far beyond all bounds; the others are at rest. The run is
 * made `runs` times on each, every answer is seen, and its likelihood ratio follows from what the plugins declare,
 * with secret batches averaged over. How likely one set of answers is on either data set bounds ε from below.
 *
 * No statistic is trusted: an event is chosen on a quarter of the runs and counted on the others, so the bound holds
 * whether or not the ratio is right, and a wrong one costs tightness only. That `holds` is no proof; a violation is
 * one, but for `falseAlarm`.
 *
 * @throws {InvalidParameter} for too few runs, or numbers outside (0, 1).
 * @throws {Unsupported} for a run without protection, of which nothing is claimed.
 */
export async function auditOptimizer(options: AuditOptimizerOptions): Promise<OptimizerAudit> {
  const { run, claimed, profile = [], runs, confidence = 0.95, falseAlarm = 1e-6, signal, progress, pause } = options;
  assertFits(options, { confidence, falseAlarm });
  const trials = prepareTrials(options, crowdFor(options));
  const scores: Scores = { first: new Float64Array(runs), second: new Float64Array(runs) };
  let ledgerMatchesPlan = true;
  for (let i = 0; i < runs; i++) {
    const breath = pause?.();
    // oxlint-disable-next-line no-await-in-loop -- one pair of runs after another
    if (breath !== undefined) await breath;
    signal?.throwIfAborted();
    for (const side of [0, 1] as const) {
      const { score, spent } = trials.run(side, i);
      (side === 0 ? scores.first : scores.second)[i] = score;
      if (i < compared) ledgerMatchesPlan &&= sameEvent(spent(), run.plan.event);
    }
    progress?.(i + 1, runs);
  }
  const { delta } = claimed,
    epsilon = boundEpsilon(scores, { delta, confidence });
  return {
    claimed,
    runs,
    confidence,
    falseAlarm,
    epsilon,
    tightness: epsilon.lower / claimed.epsilon,
    verdict: judge(scores, { claims: [claimed, ...profile], falseAlarm }),
    reach: {
      epsilon: reachOf(runs, { delta, alpha: 1 - confidence }),
      verdict: reachOf(runs, { delta, alpha: falseAlarm }),
    },
    ledgerMatchesPlan,
    unheard: [...trials.unheard],
    crowd: trials.crowd,
    tradeOff: tradeOff(scores),
  };
}

function assertFits(
  { run, claimed: { epsilon, delta }, runs }: AuditOptimizerOptions,
  levels: Readonly<Record<string, number>>
): void {
  if (!Number.isSafeInteger(runs) || runs < 10)
    throw new InvalidParameter(
      `an audit was asked for ${runs} runs on each neighbour; give a whole number, at least 10`,
      { runs }
    );
  for (const [name, level] of Object.entries(levels))
    if (!(level > 0 && level < 1))
      throw new InvalidParameter(`${name} is ${level}; give a probability above 0 and below 1`, { [name]: level });
  if (!(epsilon >= 0) || !(delta >= 0 && delta < 1))
    throw new InvalidParameter(`the claim is ε = ${epsilon} at δ = ${delta}; ε is at least 0 and δ from 0, below 1`, {
      epsilon,
      delta,
    });
  if (epsilon === Infinity)
    throw new Unsupported(
      `the run of '${run.name}' claims no privacy, so there is nothing to refute; audit one whose event has a finite ε`,
      { optimizer: run.name }
    );
}
