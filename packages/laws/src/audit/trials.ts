import {
  driveSync,
  resolvePlugin,
  Unsupported,
  type Adjacency,
  type Answered,
  type Curator,
  type Mean,
  type PrivacyEvent,
  type Query,
  type RandomSource,
  type Ref,
  type Registry,
  type Run,
  type Vector,
} from '@lethe/core';
import {
  attachData,
  centralCurator,
  openLedger,
  shuffleCurator,
  type ShuffleCuratorOptions,
} from '@lethe/curator';
import { createArena } from '@lethe/numerics';
import { answerDistributions, type Setting } from './answer-distributions.js';
import { createCanary } from './canary.js';
import { atRest, camps, type Crowd } from './crowd.js';
import { listenTo, type ListenOptions } from './transcript-ratio.js';

/** A curator that the auditor opens, drives to its end, and asks for its charges. */
export interface AuditedCurator extends Curator<Answered> {
  /** Ends the run. */
  end(): void;
  /** What the run has cost. */
  spent(): PrivacyEvent;
}

/** Inputs of a run. */
export interface TrialOptions {
  /**
   * A planned run, as prepared by an optimizer: it determines adjacency, trust, number of records and the
   * claimed event.
   */
  readonly run: Run;
  /** Registry for the plugins of the run. */
  readonly registry: Registry;
  /** Public randomness with which the run was planned. Equal in every run, since an adversary knows it. */
  readonly publicCoins: RandomSource;
  /** Random source of the curators and the auditor; a seeded one makes the audit repeatable. */
  readonly random: RandomSource;
  /** Start of the runs. @defaultValue the origin */
  readonly start?: Vector;
  /** Makes the curator of each run. @defaultValue core's curator for the run's trust */
  readonly open?: (options: ShuffleCuratorOptions) => AuditedCurator;
}

/** Runs on two neighbours, with the likelihood ratio of their answers. */
export interface Trials {
  readonly crowd: string;
  /** Kinds of queries without a distribution; their answers are ignored. */
  readonly unheard: ReadonlySet<Query['ask']>;
  run(side: 0 | 1, index: number): { readonly score: number; readonly spent: () => PrivacyEvent };
  /**
   * How far apart the canaries move the means of one run that are no sums, in units of the noise; −1
   * where there is none, or nobody knows who takes part.
   */
  apart(): number;
}

/** No mean that is no sum was released from records in known places. */
const none = -1;

/** Maximum number of groups of a crowd. */
const mostGroups = 12;

/**
 * Zero records, unless the canary has more influence between two sides: one record among equal ones may not
 * move an answer such as a median at all. Each option is tried on one run.
 */
export function crowdFor(options: TrialOptions): Crowd {
  const slots = options.run.problem.slots[0];
  const apart = (crowd: Crowd): number =>
    prepareTrials({ ...options, random: options.random.fork(crowd.name) }, crowd).apart();
  const resting = apart(atRest);
  if (options.run.problem.adjacency === 'add-remove' || resting === none) return atRest;
  let best = atRest;
  let most = 1.01 * resting;
  for (let groups = 3; groups <= Math.min(mostGroups, slots); groups++) {
    const crowd = camps(groups);
    const found = apart(crowd);
    if (found > most) [best, most] = [crowd, found];
  }
  return best;
}

/** Common state of the runs: the canary, both data sets, and the distributions of answers. */
export function prepareTrials(
  { run, registry: given, publicCoins, random, start, open }: TrialOptions,
  crowd: Crowd,
): Trials {
  const { problem } = run;
  const { adjacency, dimension, trust } = problem;
  const slots = problem.slots[0];
  if (trust.model !== 'central' && trust.model !== 'shuffle')
    throw new Unsupported(
      `runs in the ${trust.model} model have several curators, which audits do not support yet`,
      {
        trust: trust.model,
      },
    );
  const facts = Object.fromEntries(
    Object.entries(problem.facts).filter(([, { scope }]) => scope === 'every-record'),
  );
  const canary = createCanary({ dimension, capabilities: problem.capabilities, facts });
  const registry: Registry = [canary.loss, ...given];
  const honestUsers = trust.model === 'shuffle' ? trust.honestUsers : slots;
  const labels = adjacency === 'replace-one' ? ([-1, 1] as const) : ([0, 1] as const);
  const setting: Setting = {
    registry,
    adjacency,
    dimension,
    facts,
    canary,
    labels,
    crowd,
    honestUsers,
    slots,
    random: random.fork('auditor'),
  };
  const listening: ListenOptions = {
    setting,
    laws: answerDistributions(setting),
    samplerLaws: new Map(),
    otherLaws: new Map(),
    streamLaws: new Map(),
    unheard: new Set(),
  };
  const opened = open ?? (trust.model === 'shuffle' ? shuffleCurator : centralCurator);
  // All records have no features: attached data share this memory instead of copying.
  const nothing = [0, 1].map((side) =>
    createArena({ doubles: slots * dimension + 64 }).allocate(
      (slots - missingOn(adjacency, side)) * dimension,
    ),
  );
  const runOnce = (side: 0 | 1, index: number, heard?: ListenOptions['heard']): ReturnType<Trials['run']> => {
    const missing = missingOn(adjacency, side);
    const rows = slots - missing;
    const label = (slot: number): number => (slot === 0 ? labels[side] : crowd.labelAt(slot));
    const values = Float64Array.from({ length: rows }, (_, row) => label(row + missing));
    const ledger = openLedger({ adjacency });
    const data = attachData({
      features: {
        data: nothing[side],
        rows,
        columns: dimension,
        offset: 0,
        rowStride: dimension,
        columnStride: 1,
      },
      labels: values,
      nulls: Uint8Array.from(values, (value) => Number(value === 0)),
      loss: { kind: 'loss', name: canary.loss.name, params: {} },
      registry,
      ledger,
    });
    const curator = opened({
      data,
      registry,
      run: 'audited',
      random: random.fork(`run ${side} ${index}`),
      honestUsers,
      held: run.held,
      ...(adjacency === 'add-remove' ? { publicSlots: slots } : {}),
    });
    const { curator: followed, logRatio } = listenTo(
      curator,
      heard === undefined ? listening : { ...listening, heard },
    );
    driveSync(run, followed, { start: start ?? new Float64Array(dimension), random: publicCoins });
    curator.end();
    return { score: orMiddle(logRatio()), spent: () => curator.spent() };
  };
  return {
    crowd: crowd.name,
    unheard: listening.unheard,
    run: (side, index) => runOnce(side, index),
    apart() {
      let squares = 0;
      let isKnown = true;
      let released = 0;
      runOnce(1, -1, ({ mean }, { place }, { apart }) => {
        isKnown &&= place !== null;
        if (!isOwnCode(registry, mean)) return;
        released++;
        if (place !== -1) squares += apart ** 2;
      });
      return isKnown && released > 0 ? Math.sqrt(squares) : none;
    },
  };
}

/** Whether a trusted curator works a mean out record by record, by what the plugin declares. */
function isOwnCode(registry: Registry, ref: Ref<'mean'>): boolean {
  const { plugin } = resolvePlugin<Mean>(registry, ref);
  return plugin.trust === 'central' && plugin.linear === undefined;
}

/** Under add-remove the first neighbour lacks the record altogether. */
const missingOn = (adjacency: Adjacency, side: number): number =>
  adjacency === 'add-remove' && side === 0 ? 1 : 0;

/** A ratio of two vanishing likelihoods counts as 0. */
const orMiddle = (ratio: number): number => (Number.isNaN(ratio) ? 0 : ratio);
