import {
  driveSync,
  findPlugin,
  IncompatiblePlugins,
  seededRandom,
  type Answered,
  type CoreEvent,
  type Optimizer,
  type Query,
  type RandomSource,
  type Vector,
} from '@lethe/core';
import { centralCurator, openLedger, type CentralCurator, type CentralCuratorOptions } from '@lethe/curator';
import type { Subject } from '@lethe/laws';
import { defineMutant } from '../mutant.js';
import { changed, filing, withData } from './wrap.js';

const source = 'Algorithm 5 of sparse gradients: private selection of runs';
type Select = Extract<Query, { readonly ask: 'select' }>;

/** What is wrong with a selection. */
interface Bug {
  readonly prefers?: 'greatest';
  /** Which randomness of a run is that of the first. */
  readonly shared?: 'all' | 'public' | 'curator';
  readonly isUnheld?: true;
  readonly keepsOutput?: true;
  readonly shows?: 'runs';
  /** Runs at most, for a stated cap. */
  readonly most?: (cap: number) => number;
}

/** A curator that charges as core's does, and selects by itself. */
const selecting = (bug: Bug): Subject<'curator'> =>
  changed((inner, options) => ({
    answer(index, query) {
      if (query.ask !== 'select') return inner.answer(index, query);
      const { digest } = charged(inner, index, query, bug);
      return { digest, answer: selected(options, index, query, bug) };
    },
  }));

function charged(inner: CentralCurator, index: number, query: Select, { isUnheld }: Bug): Answered {
  try {
    return inner.answer(index, query);
  } catch (error) {
    if (isUnheld !== true || !(error instanceof IncompatiblePlugins)) throw error;
    return { digest: '', answer: 0 };
  }
}

function selected(options: CentralCuratorOptions, index: number, query: Select, bug: Bug) {
  const { base, start, score, stopProbability = 1, cap = 1 } = query;
  const { prefers, shared, isUnheld, shows, most = (stated: number) => stated } = bug;
  const randomness = (options.random ?? seededRandom('coins')).fork(`planted ${index}`);
  const run = findPlugin<Optimizer>(options.registry, 'optimizer', base.optimizer).fromPlan({
    plan: base,
    registry: options.registry,
    random: seededRandom('price'),
  });
  const nested = (name: string, random: RandomSource, isHeld: boolean): CentralCurator => {
    const { planned: _planned, held: _held, ...rest } = options;
    const own = withData(rest, ({ ledger }) => ({ ledger: openLedger({ adjacency: ledger.adjacency }) }));
    return centralCurator({ ...own, run: name, random, ...(isHeld ? { planned: run.plan.event } : {}) });
  };
  const stops = randomness.fork('stops');
  let best: { readonly point: Vector; readonly score: number } | undefined;
  for (let k = 1; ; k++) {
    const fresh = randomness.fork(k);
    const first = randomness.fork(1);
    const curator = nested(
      `run ${k}`,
      (shared === 'all' || shared === 'curator' ? first : fresh).fork('curator'),
      isUnheld !== true,
    );
    const random = (shared === 'all' || shared === 'public' ? first : fresh).fork('public');
    // The curator's randomness depends on its run's name.
    const held =
      shared === 'all' || shared === 'curator' ? nested('run 1', first.fork('curator'), true) : curator;
    const { output } = driveSync(run, isUnheld === true ? curator : held, { start, random });
    const point = bug.keepsOutput === true ? output : output.slice();
    const judge = nested('score', fresh.fork('score'), false);
    const value = judge.answer(0, { ask: 'value', ...score, at: point, batch: judge.allRecords })
      .answer as number;
    const isBetter = best === undefined || (prefers === 'greatest' ? value > best.score : value < best.score);
    if (isBetter) best = { point, score: value };
    if (k === most(cap) || stops.uniform() < stopProbability)
      return { ...best, ...(shows === 'runs' ? { runs: k } : {}) } as NonNullable<typeof best>;
  }
}

const planted = (id: string, title: string, killedBy: 'curator/selection', bug: Bug) =>
  defineMutant({
    id: `curator/${id}`,
    title,
    kind: 'curator',
    source,
    killedBy: [killedBy],
    within: 1500,
    plant: () => selecting(bug),
  });

export const greatestScore = planted(
  'selection-gives-greatest-score',
  'a selection gives the point with the greatest score',
  'curator/selection',
  { prefers: 'greatest' },
);

export const sharedRandomness = planted(
  'selection-runs-share-coins',
  'the runs of a selection share all randomness, so that they are one run',
  'curator/selection',
  { shared: 'all' },
);

export const sharedNoise = planted(
  'selection-runs-share-noise',
  'the curators of the runs of a selection draw the same noise',
  'curator/selection',
  { shared: 'curator' },
);

export const sharedPublicCoins = planted(
  'selection-runs-share-public-coins',
  'the runs of a selection draw the same public coins, such as levels',
  'curator/selection',
  { shared: 'public' },
);

export const cappedEarly = planted(
  'selection-ends-one-run-early',
  'a selection makes one run less than its cap',
  'curator/selection',
  { most: (cap) => cap - 1 },
);

export const outputKept = planted(
  'selection-keeps-the-array-of-a-run',
  'a selection keeps the array that a run returns, which the next run writes to',
  'curator/selection',
  { keepsOutput: true },
);

export const runsShown = defineMutant({
  id: 'curator/selection-shows-number-of-runs',
  title: 'the answer of a selection says how many runs there were',
  kind: 'curator',
  source,
  killedBy: ['curator/selection-cost'],
  within: 40,
  plant: () => selecting({ shows: 'runs' }),
});

export const baseUnheld = defineMutant({
  id: 'curator/selection-base-not-held-to-its-event',
  title: 'a run of a selection may ask for more than its plan states',
  kind: 'curator',
  source,
  killedBy: ['curator/selection-held'],
  within: 10,
  plant: () => selecting({ isUnheld: true }),
});

export const scoreFree = defineMutant({
  id: 'curator/selection-charged-without-score',
  title: 'the charge of a selection leaves out the score',
  kind: 'curator',
  source,
  killedBy: ['curator/selection-cost'],
  within: 10,
  plant: () =>
    filing(() => (entry) => {
      const { charge } = entry.effect;
      const event = charge?.event as CoreEvent | undefined;
      if (charge === undefined || event?.kind !== 'core/selection') return entry;
      const { parts } = event.base as CoreEvent<'core/compose'>;
      const base = { ...event, base: parts[0].event } as CoreEvent<'core/selection'>;
      return { ...entry, effect: { ...entry.effect, charge: { ...charge, event: base } } };
    }),
});
