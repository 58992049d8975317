import {
  attachData, centralCurator, createArena, driveSync, InvalidParameter, openLedger, sameEvent, shuffleCurator, Unsupported, type Adjacency, type Answered, type Curator, type PrivacyEvent, type RandomSource, type Registry, type Run,
  type ShuffleCuratorOptions, type Vector,
} from '@lethe/core';
import { answerLaws, type Setting } from './answer-laws.js';
import { createCanary } from './canary.js';
import { atRest, camps, type Crowd } from './crowd.js';
import { listenTo, type ListenOptions } from './transcript-ratio.js';
import { boundEpsilon, judge, reachOf, tradeOff, type ClaimedPoint, type EpsilonBound, type Scores, type Verdict } from './verdict.js';

/** A curator that the auditor opens, drives to its end, and asks what was charged. */
export interface AuditedCurator extends Curator<Answered> { end(): void; spent(): PrivacyEvent }

/** What is audited, and how thoroughly. */
export interface AuditOptimizerOptions {
  /** A planned run, as an optimizer prepares it: adjacency, trust, number of records and the claimed event are its own. */
  readonly run: Run;
  /** What its event is certified to cost, `epsilon` rounded up. */
  readonly claimed: ClaimedPoint;
  /** Other points of its certified profile, which a violation may show at as well. @defaultValue none */
  readonly profile?: readonly ClaimedPoint[];
  /** Resolves what the run asks for. */
  readonly registry: Registry;
  /** Public coins: those that the run was planned with. The same in every run, since an adversary knows them. */
  readonly publicCoins: RandomSource;
  /** Root of the curators' coins and the auditor's own; a seeded one makes an audit that can be repeated. */
  readonly random: RandomSource;
  /** Runs on each of the two neighbours. At least 10. */
  readonly runs: number;
  /** Of the lower bound on ε. @defaultValue 0.95 */
  readonly confidence?: number;
  /** Probability with which a true claim is called violated. @defaultValue 1e-6 */
  readonly falseAlarm?: number;
  /** Where runs begin. @defaultValue the origin */
  readonly start?: Vector;
  /** Makes the curator of each run. @defaultValue core's, for the run's trust */
  readonly open?: (options: ShuffleCuratorOptions) => AuditedCurator;
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
  /** The largest ε that so many runs could show, at the confidence and at the level of the verdict. A claim beyond the second cannot be refuted. */
  readonly reach: { readonly epsilon: number; readonly verdict: number };
  /** Whether every ledger that was looked at holds the plan's event. */
  readonly ledgerMatchesPlan: boolean;
  /** What the records beside the canary were. */
  readonly crowd: string;
  /** How well thresholds on the likelihood ratio tell the neighbours apart, on runs that chose none. */
  readonly tradeOff: readonly { readonly falseAlarms: number; readonly hits: number }[];
}

/** Ledgers are compared with the plan on these runs: an optimizer that costs now this, now that, is found by the laws of its kind. */
const compared = 16;

/**
 * Audits a planned run by what its curator says, as its worst adversary would: two data sets differ in one record whose gradient the
 * auditor chooses before every query, far beyond all bounds; the others are at rest. The run is made `runs` times on each, every answer
 * is seen, and its likelihood ratio follows from what the plugins declare, with secret batches averaged over. How likely one set of
 * answers is on either data set bounds ε from below.
 *
 * No statistic is trusted: an event is chosen on half of the runs and counted on the others, so the bound holds whether or not the ratio
 * is right, and a wrong one costs tightness only. That `holds` is no proof; a violation is one, but for `falseAlarm`.
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
  const { delta } = claimed, epsilon = boundEpsilon(scores, { delta, confidence });
  return {
    claimed, runs, confidence, falseAlarm, epsilon, tightness: epsilon.lower / claimed.epsilon, verdict: judge(scores, { claims: [claimed, ...profile], falseAlarm }),
    reach: { epsilon: reachOf(runs, { delta, alpha: 1 - confidence }), verdict: reachOf(runs, { delta, alpha: falseAlarm }) },
    ledgerMatchesPlan, crowd: trials.crowd, tradeOff: tradeOff(scores),
  };
}

function assertFits({ run, claimed: { epsilon, delta }, runs }: AuditOptimizerOptions, levels: Readonly<Record<string, number>>): void {
  if (!Number.isSafeInteger(runs) || runs < 10) throw new InvalidParameter(`an audit was asked for ${runs} runs on each neighbour; give a whole number, at least 10`, { runs });
  for (const [name, level] of Object.entries(levels)) if (!(level > 0 && level < 1)) throw new InvalidParameter(`${name} is ${level}; give a probability above 0 and below 1`, { [name]: level });
  if (!(epsilon >= 0) || !(delta >= 0 && delta < 1)) throw new InvalidParameter(`the claim is ε = ${epsilon} at δ = ${delta}; ε is at least 0 and δ from 0, below 1`, { epsilon, delta });
  if (epsilon === Infinity) throw new Unsupported(`the run of '${run.name}' claims no privacy, so there is nothing to refute; audit one whose event has a finite ε`, { optimizer: run.name });
}

interface Trials {
  readonly crowd: string;
  run(side: 0 | 1, index: number): { readonly score: number; readonly spent: () => PrivacyEvent };
  /** How far apart the canaries move the means of one run that are released by oracle, in units of the noise; −1 where there is none, or nobody knows who takes part. */
  apart(): number;
}

/** No mean was released by an oracle from records in known places. */
const none = -1;

/** Groups that a crowd may be camped in. */
const mostGroups = 12;

/**
 * Records at rest, unless the canary tells more among camps: an answer such as a median may not move at all for one record among others
 * that are alike. Tried on one run each.
 */
function crowdFor(options: AuditOptimizerOptions): Crowd {
  const slots = options.run.problem.slots[0], apart = (crowd: Crowd): number => prepareTrials({ ...options, random: options.random.fork(crowd.name) }, crowd).apart();
  const resting = apart(atRest);
  if (options.run.problem.adjacency === 'add-remove' || resting === none) return atRest;
  let best = atRest, most = 1.01 * resting;
  for (let groups = 3; groups <= Math.min(mostGroups, slots); groups++) {
    const crowd = camps(groups), found = apart(crowd);
    if (found > most) [best, most] = [crowd, found];
  }
  return best;
}

/** Everything that runs share: the canary, both data sets, and the laws of answers. */
function prepareTrials({ run, registry: given, publicCoins, random, start, open }: AuditOptimizerOptions, crowd: Crowd): Trials {
  const { problem } = run, { adjacency, dimension, trust } = problem, slots = problem.slots[0];
  if (trust.model !== 'central' && trust.model !== 'shuffle') throw new Unsupported(`runs in the ${trust.model} model have several curators, which no audit listens to yet`, { trust: trust.model });
  const facts = Object.fromEntries(Object.entries(problem.facts).filter(([, { scope }]) => scope === 'every-record'));
  const canary = createCanary({ dimension, capabilities: problem.capabilities, facts, honest: false });
  const registry: Registry = [canary.loss, ...given], honestUsers = trust.model === 'shuffle' ? trust.honestUsers : slots;
  const labels = adjacency === 'replace-one' ? [-1, 1] as const : [0, 1] as const;
  const setting: Setting = { registry, adjacency, dimension, facts, canary, labels, crowd, honestUsers, slots, random: random.fork('auditor') };
  const listening: ListenOptions = { setting, laws: answerLaws(setting), samplerLaws: new Map(), valueLaws: new Map() };
  const opened = open ?? (trust.model === 'shuffle' ? shuffleCurator : centralCurator);
  // All records have the same features, none: attached data keep to this memory instead of making their own.
  const nothing = [0, 1].map((side) => createArena({ doubles: slots * dimension + 64 }).allocate((slots - missingOn(adjacency, side)) * dimension));
  const runOnce = (side: 0 | 1, index: number, heard?: ListenOptions['heard']): ReturnType<Trials['run']> => {
    const missing = missingOn(adjacency, side), rows = slots - missing, label = (slot: number): number => (slot === 0 ? labels[side] : crowd.labelAt(slot));
    const values = Float64Array.from({ length: rows }, (_, row) => label(row + missing));
    const ledger = openLedger({ adjacency });
    const data = attachData({
      features: { data: nothing[side], rows, columns: dimension, offset: 0, rowStride: dimension, columnStride: 1 },
      labels: values, nulls: Uint8Array.from(values, (value) => Number(value === 0)), loss: { kind: 'loss', name: canary.loss.name, params: {} }, registry, ledger,
    });
    const curator = opened({ data, registry, run: 'audited', random: random.fork(`run ${side} ${index}`), honestUsers, ...(adjacency === 'add-remove' ? { publicSlots: slots } : {}) });
    const { curator: followed, logRatio } = listenTo(curator, heard === undefined ? listening : { ...listening, heard });
    driveSync(run, followed, { start: start ?? new Float64Array(dimension), random: publicCoins });
    curator.end();
    return { score: orMiddle(logRatio()), spent: () => curator.spent() };
  };
  return {
    crowd: crowd.name,
    run: (side, index) => runOnce(side, index),
    apart() {
      let squares = 0, isKnown = true, oracles = 0;
      runOnce(1, -1, ({ release }, { place }, { apart }) => {
        isKnown &&= place !== null;
        if (release.by !== 'oracle') return;
        oracles++;
        if (place !== -1) squares += apart ** 2;
      });
      return isKnown && oracles > 0 ? Math.sqrt(squares) : none;
    },
  };
}

/** Under add-remove the first neighbour lacks the record altogether. */
const missingOn = (adjacency: Adjacency, side: number): number => (adjacency === 'add-remove' && side === 0 ? 1 : 0);

/** A ratio of two likelihoods that both vanish says nothing. */
const orMiddle = (ratio: number): number => (Number.isNaN(ratio) ? 0 : ratio);
