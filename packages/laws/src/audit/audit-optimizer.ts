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

/** Subject and effort of an audit. */
export interface AuditOptimizerOptions extends TrialOptions {
  /** The certified cost of the run's event, `epsilon` rounded up. */
  readonly claimed: ClaimedPoint;
  /** Other points of its certified profile, also tested for violations. @defaultValue none */
  readonly profile?: readonly ClaimedPoint[];
  /** Runs on each of the two neighbours. At least 10. */
  readonly runs: number;
  /** Confidence of the lower bound on ε. @defaultValue 0.95 */
  readonly confidence?: number;
  /** Probability of a false violation. @defaultValue 1e-6 */
  readonly falseAlarm?: number;
  readonly signal?: AbortSignal;
  /** Called after each pair of runs. */
  readonly progress?: (done: number, runs: number) => void;
  /** Called before each pair of runs and awaited, for callers that must stay responsive. */
  readonly pause?: () => Promise<void> | undefined;
}

/** Results of an audit. */
export interface OptimizerAudit {
  readonly claimed: ClaimedPoint;
  readonly runs: number;
  readonly confidence: number;
  readonly falseAlarm: number;
  /** Lower bound on ε at the claimed δ, with the event that shows it. */
  readonly epsilon: EpsilonBound;
  /** The lower bound divided by the claim. */
  readonly tightness: number;
  readonly verdict: Verdict;
  /**
   * The largest ε that this number of runs can show, at the confidence and at the level of the verdict. A
   * claim above the second cannot be refuted.
   */
  readonly reach: { readonly epsilon: number; readonly verdict: number };
  /** Whether every compared ledger has the plan's event. */
  readonly ledgerMatchesPlan: boolean;
  /**
   * Kinds of queries whose answers have no likelihood, such as streams; the bound does not include
   * them.
   */
  readonly unheard: readonly Query['ask'][];
  /** Name of the arrangement of the other records. */
  readonly crowd: string;
  /** ROC curve of thresholds on the likelihood ratio, on the runs for testing. */
  readonly tradeOff: readonly { readonly falseAlarms: number; readonly hits: number }[];
}

/**
 * Number of runs whose ledger is compared with the plan; the laws of optimizers detect costs that vary
 * between runs.
 */
const compared = 16;

/**
 * Audits a planned run by its curator's answers, with a worst-case adversary: two data sets differ in one
 * record, whose gradient the auditor chooses before every query, far beyond all bounds; the other records are
 * zero. The run is repeated `runs` times on each, and the likelihood ratio of all answers follows from the
 * plugins' declarations, averaged over secret batches. The probabilities of one event on both data sets give
 * a lower bound on ε. The bound does not depend on any statistic: the event is chosen on a quarter of the
 * runs and counted on the others, so it is valid even for a wrong ratio, which costs tightness only. `holds`
 * is not a proof; a violation is a proof, except with probability `falseAlarm`.
 *
 * @throws {InvalidParameter} for too few runs, or numbers outside (0, 1).
 * @throws {Unsupported} for a run without protection, which has no claim.
 */
export async function auditOptimizer(options: AuditOptimizerOptions): Promise<OptimizerAudit> {
  const {
    run,
    claimed,
    profile = [],
    runs,
    confidence = 0.95,
    falseAlarm = 1e-6,
    signal,
    progress,
    pause,
  } = options;
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
  const { delta } = claimed;
  const epsilon = boundEpsilon(scores, { delta, confidence });
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
  levels: Readonly<Record<string, number>>,
): void {
  if (!Number.isSafeInteger(runs) || runs < 10)
    throw new InvalidParameter(`the audit has ${runs} runs on each neighbour; give an integer, at least 10`, {
      runs,
    });
  for (const [name, level] of Object.entries(levels))
    if (!(level > 0 && level < 1))
      throw new InvalidParameter(`${name} is ${level}; give a probability above 0 and below 1`, {
        [name]: level,
      });
  if (!(epsilon >= 0) || !(delta >= 0 && delta < 1))
    throw new InvalidParameter(
      `the claim is ε = ${epsilon} at δ = ${delta}; ε must be at least 0 and δ in [0, 1)`,
      {
        epsilon,
        delta,
      },
    );
  if (epsilon === Infinity)
    throw new Unsupported(
      `the run of '${run.name}' claims no privacy, so there is nothing to refute; ` +
        'audit one whose event has a finite ε',
      { optimizer: run.name },
    );
}
