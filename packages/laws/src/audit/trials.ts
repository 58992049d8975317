import {
  attachData, centralCurator, driveSync, openLedger, resolvePlugin, shuffleCurator, Unsupported, type Adjacency,
  type Answered, type Curator, type Mean, type PrivacyEvent, type Query, type RandomSource, type Ref, type Registry, type Run,
  type ShuffleCuratorOptions, type Vector,
} from '@lethe/core';
import { createArena } from '@lethe/numerics';
import { answerDistributions, type Setting } from './answer-distributions.js';
import { createCanary } from './canary.js';
import { atRest, camps, type Crowd } from './crowd.js';
import { listenTo, type ListenOptions } from './transcript-ratio.js';

/** A curator that the auditor opens, drives to its end, and asks what was charged. */
export interface AuditedCurator extends Curator<Answered> {
  end(): void;
  spent(): PrivacyEvent;
}

/** What a run is made with. */
export interface TrialOptions {
  /**
   * A planned run, as an optimizer prepares it: adjacency, trust, number of records and the claimed event are its
   * own.
   */
  readonly run: Run;
  /** Resolves what the run asks for. */
  readonly registry: Registry;
  /** Public coins: those that the run was planned with. The same in every run, since an adversary knows them. */
  readonly publicCoins: RandomSource;
  /** Root of the curators' coins and the auditor's own; a seeded one makes an audit that can be repeated. */
  readonly random: RandomSource;
  /** Where runs begin. @defaultValue the origin */
  readonly start?: Vector;
  /** Makes the curator of each run. @defaultValue core's, for the run's trust */
  readonly open?: (options: ShuffleCuratorOptions) => AuditedCurator;
}

/** Runs on two neighbours, each with what its answers say. */
export interface Trials {
  readonly crowd: string;
  /** Kinds of queries that were asked and have no law; their answers said nothing. */
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

/** Groups that a crowd may be camped in. */
const mostGroups = 12;

/**
 * Records at rest, unless the canary tells more among camps: an answer such as a median may not move at all for one
 * record among others that are alike. Tried on one run each.
 */
export function crowdFor(options: TrialOptions): Crowd {
  const slots = options.run.problem.slots[0],
    apart = (crowd: Crowd): number =>
      prepareTrials({ ...options, random: options.random.fork(crowd.name) }, crowd).apart();
  const resting = apart(atRest);
  if (options.run.problem.adjacency === 'add-remove' || resting === none) return atRest;
  let best = atRest,
    most = 1.01 * resting;
  for (let groups = 3; groups <= Math.min(mostGroups, slots); groups++) {
    const crowd = camps(groups),
      found = apart(crowd);
    if (found > most) [best, most] = [crowd, found];
  }
  return best;
}

/** Everything that runs share: the canary, both data sets, and the laws of answers. */
export function prepareTrials(
  { run, registry: given, publicCoins, random, start, open }: TrialOptions,
  crowd: Crowd
): Trials {
  const { problem } = run,
    { adjacency, dimension, trust } = problem,
    slots = problem.slots[0];
  if (trust.model !== 'central' && trust.model !== 'shuffle')
    throw new Unsupported(`runs in the ${trust.model} model have several curators, which no audit listens to yet`, {
      trust: trust.model,
    });
  const facts = Object.fromEntries(Object.entries(problem.facts).filter(([, { scope }]) => scope === 'every-record'));
  const canary = createCanary({ dimension, capabilities: problem.capabilities, facts });
  const registry: Registry = [canary.loss, ...given],
    honestUsers = trust.model === 'shuffle' ? trust.honestUsers : slots;
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
    unheard: new Set(),
  };
  const opened = open ?? (trust.model === 'shuffle' ? shuffleCurator : centralCurator);
  // All records have the same features, none: attached data keep to this memory instead of making their own.
  const nothing = [0, 1].map((side) =>
    createArena({ doubles: slots * dimension + 64 }).allocate((slots - missingOn(adjacency, side)) * dimension)
  );
  const runOnce = (side: 0 | 1, index: number, heard?: ListenOptions['heard']): ReturnType<Trials['run']> => {
    const missing = missingOn(adjacency, side),
      rows = slots - missing,
      label = (slot: number): number => (slot === 0 ? labels[side] : crowd.labelAt(slot));
    const values = Float64Array.from({ length: rows }, (_, row) => label(row + missing));
    const ledger = openLedger({ adjacency });
    const data = attachData({
      features: { data: nothing[side], rows, columns: dimension, offset: 0, rowStride: dimension, columnStride: 1 },
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
      heard === undefined ? listening : { ...listening, heard }
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
      let squares = 0,
        isKnown = true,
        released = 0;
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
const missingOn = (adjacency: Adjacency, side: number): number => (adjacency === 'add-remove' && side === 0 ? 1 : 0);

/** A ratio of two likelihoods that both vanish says nothing. */
const orMiddle = (ratio: number): number => (Number.isNaN(ratio) ? 0 : ratio);
