import { recordOf } from '../ledger/run-record.js';
import {
  memoryStore,
  sameEvent,
  type Adjacency,
  type Batch,
  type Query,
  type Ref,
  type Vector,
} from '@lethe/core';
import { openLedger } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, muSquared, outcomeOf, refusals, unlessRefused } from './outcomes.js';
import { clipTo, meanOf, meanQueries, multiplier, noiseOf, probesUnder, type Probe } from './probes.js';
import { baseOf } from './selection.js';
import { exponential, meanWithin, type Action } from './stand-ins/index.js';
import { openFixture, underEach, type Fixture } from './fixture.js';

const rows = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
  [1, 1, 1],
];
const dimension = 3;

/** The exponential mechanism: no additive noise, but a random draw. */
const choice: Probe = {
  name: 'choice',
  fixture: { loss: 'boastful' },
  label: ([x]) => x,
  under: ['replace-one', 'add-remove', 'zero-out'],
  sensitivity: () => 1,
  release: (fixture) =>
    fixture.ask<Vector>({
      ask: 'choose',
      candidates: { by: 'list', points: [Float64Array.of(1, 0, 0), Float64Array.of(0, 1, 0)] },
      statistic: { of: 'risk' },
      batch: fixture.allRecords,
      selector: exponential,
      target: { epsilon: 0.5 },
    }),
};

/** A selection, whose runs read records and draw noise in curators of their own. */
const selection: Probe = {
  ...choice,
  name: 'selection',
  release: (fixture) =>
    fixture.ask<{ readonly point: Vector }>({
      ask: 'select',
      base: baseOf('one-step', fixture),
      start: new Float64Array(dimension),
      batch: fixture.allRecords,
      score: { statistic: { of: 'risk' }, noise: noiseOf('gaussian') },
      stopProbability: 0.5,
      cap: 2,
    }).point,
};

export const chargeFirst = defineLaw({
  id: 'curator/charge-first',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'The charge of a release is in the ledger before the first record is read and before noise is drawn, ' +
    'and no charge is added afterwards.',
  power: 'any release that reads a record or draws noise before its full charge is recorded',
  cells: underEach,
  check: (subject, env) =>
    firstOf(
      [...probesUnder(defined(env.cell.adjacency)), choice, selection].map((probe) =>
        chargedLate(subject, probe, defined(env.cell.adjacency)),
      ),
    ),
});

function chargedLate(subject: Subject<'curator'>, probe: Probe, adjacency: Adjacency): Violation | undefined {
  const ledger = openLedger({ adjacency });
  const seen: { readonly action: Action; readonly total: ReturnType<typeof ledger.total> }[] = [];
  const fixture = openFixture(subject, {
    ...probe.fixture,
    rows,
    adjacency,
    ledger,
    labels: rows.map((row) => probe.label?.(row) ?? 0),
    observe: (action) => {
      if (seen.length < 200) seen.push({ action, total: ledger.total() });
    },
  });
  seen.length = 0;
  probe.release(fixture, 'gaussian');
  const after = ledger.total();
  if (after.kind === 'core/free')
    return { what: `the ledger has no charge for "${probe.name}"`, input: { release: probe.name } };
  const late = seen.find(({ total }) => !sameEvent(total, after));
  if (late === undefined) return undefined;
  return {
    what:
      `"${probe.name}" ${late.action.did === 'read' ? 'reads a record' : 'draws noise'} when the ledger ` +
      `has ${JSON.stringify(late.total)}; it ends at ${JSON.stringify(after)}`,
    input: { release: probe.name },
  };
}

export const everyReleasePays = defineLaw({
  id: 'curator/every-release-pays',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'Every release is charged: after k releases on the same records, in one run or several, ' +
    'before or after reopening the ledger, the total is that of k releases.',
  power: 'any one release in six that is not charged',
  cells: underEach,
  check: (subject, env) => firstOf(unpaid(subject, defined(env.cell.adjacency))),
});

function* unpaid(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const one = multiplier ** -2;
  const shouldBe = (what: string, total: number, count: number): Violation | undefined =>
    total >= count * one * (1 - 1e-9) && total <= count * one * (1 + 1e-9)
      ? undefined
      : {
          what: `${what} the ledger has the cost of ${(total / one).toPrecision(4)} releases`,
          measured: total / one,
          allowed: count,
          witness: "μ² of the ledger's event, in units of one release",
        };
  for (const probe of probesUnder(adjacency)) {
    const fixture = openFixture(subject, {
      ...probe.fixture,
      rows,
      adjacency,
      labels: rows.map((row) => probe.label?.(row) ?? 0),
    });
    for (let k = 1; k <= 3; k++) {
      probe.release(fixture, 'gaussian');
      // Draws may be amplified; these contain all records, without amplification.
      if (!probe.name.includes('draw') && !probe.name.includes('weight'))
        yield shouldBe(
          `after ${k} releases of "${probe.name}"`,
          muSquared(fixture.ledger.total(), adjacency),
          k,
        );
    }
  }
  const store = memoryStore();
  let count = 0;
  for (const run of ['a', 'b', 'a', 'c', 'b']) {
    const fixture = openFixture(subject, { rows, adjacency, store, run });
    for (let index = fixture.curator.recorded(), k = 0; k < 2; k++) {
      if (k === 0 && index > 0) replayAll(fixture, index);
      fixture.curator.answer(
        index++,
        meanOf(fixture.allRecords, 'gaussian', { at: new Float64Array(dimension) }),
      );
      count++;
      yield shouldBe(
        `after ${count} releases in runs a, b and c over a reopened ledger`,
        muSquared(fixture.ledger.total(), adjacency),
        count,
      );
      yield shouldBe(
        `after ${index} releases of run ${run} the cost of the run`,
        muSquared(fixture.curator.spent(), adjacency),
        index,
      );
    }
  }
}

/** Replays the recorded queries of a resumed run, like a driver. */
function replayAll({ curator, allRecords, ledger, run }: Fixture, count: number): void {
  const { entries } = recordOf(ledger, run);
  for (let index = 0; index < count; index++)
    curator.replay(
      index,
      meanOf(allRecords, 'gaussian', { at: new Float64Array(dimension) }),
      entries.entry(index).digest,
    );
}

export const entries = defineLaw({
  id: 'curator/entries',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'The ledger holds one entry for each answered query, in order, with the digest of the reply; ' +
    'a refused query has no entry and no index, and a query out of order is refused.',
  power: 'a missing, duplicate or misplaced entry, or an entry of a refused query, among those tried',
  cells: underEach,
  check: (subject, env) => firstOf(misfiled(subject, defined(env.cell.adjacency))),
});

function* misfiled(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const fixture = openFixture(subject, { rows, adjacency });
  const { curator, allRecords, ledger, run } = fixture;
  const recorded = () => recordOf(ledger, run).entries;
  const mean = meanOf(allRecords, 'gaussian', { at: new Float64Array(dimension) });
  const digests: string[] = [];
  const good: readonly Query[] = [
    mean,
    { ask: 'split', of: allRecords, order: 'shuffled', parts: { by: 'weight', weights: [0.5, 0.5] } },
    mean,
    { ask: 'close', batch: allRecords },
    mean,
  ];
  for (const query of good) {
    for (const [what, bad] of badQueries(allRecords)) {
      const before = ledger.total();
      yield unlessRefused(
        `a query with ${what}`,
        () => curator.answer(digests.length, bad as Query),
        refusals,
        {
          what,
        },
      );
      if (recorded().length !== digests.length || curator.recorded() !== digests.length)
        yield {
          what: `a refused query (${what}) left an entry in the ledger`,
          measured: recorded().length,
          allowed: digests.length,
        };
      if (!sameEvent(before, ledger.total())) yield { what: `a refused query (${what}) was charged` };
    }
    yield unlessRefused('a query whose index skips one', () => curator.answer(digests.length + 1, query), [
      'corrupt',
    ]);
    for (const index of [-1, 0.5, Number.NaN, Infinity])
      yield unlessRefused(`a query with the index ${index}`, () => curator.answer(index, query), [
        'corrupt',
        'invalid-parameter',
      ]);
    if (digests.length > 1)
      yield unlessRefused('a query with an earlier index', () => curator.answer(0, query), ['corrupt']);
    const { digest } = curator.answer(digests.length, query);
    digests.push(digest);
    const list = recorded();
    if (list.length !== digests.length || curator.recorded() !== digests.length)
      yield {
        what:
          `after ${digests.length} answered queries the ledger has ${list.length} entries, ` +
          `and the curator reports ${curator.recorded()}`,
      };
    const wrong = [...list].findIndex(
      (entry, index) => entry.index !== index || entry.run !== run || entry.digest !== digests[index],
    );
    yield wrong < 0
      ? undefined
      : { what: `entry ${wrong} of the ledger is not that of query ${wrong}`, input: list.entry(wrong) };
  }
  const ended = outcomeOf(() => ledger.endRun(run));
  yield 'value' in ended
    ? unlessRefused('a query to a run that has ended', () => curator.answer(digests.length, mean), [
        'corrupt',
      ])
    : undefined;
}

/** Queries that must be refused for any data, with the reason. */
export function badQueries(allRecords: Batch): readonly (readonly [string, unknown])[] {
  const [query] = meanQueries(allRecords, dimension) as [Extract<Query, { ask: 'mean' }>];
  const noise = (target: object): object => ({ ...query, target });
  const by = (mechanism: Ref<'mechanism'>): Query => ({ ...query, mean: meanWithin(clipTo(), mechanism) });
  return [
    ['a point that is not finite', meanOf(allRecords, 'gaussian', { at: Float64Array.of(0, Number.NaN, 0) })],
    ['a point of another dimension', meanOf(allRecords, 'gaussian', { at: new Float64Array(2) })],
    [
      'a batch nobody made',
      meanOf({ ...allRecords, id: 'forged' }, 'gaussian', { at: new Float64Array(dimension) }),
    ],
    ['a mechanism nobody knows', by({ kind: 'mechanism', name: 'laws/nobody', params: {} })],
    ['a mechanism for another norm', by({ kind: 'mechanism', name: 'laws/laplace', params: {} })],
    ['no noise', noise({ noiseMultiplier: 0 })],
    ['negative noise', noise({ noiseMultiplier: -1 })],
    ['noise that is no number', noise({ noiseMultiplier: Number.NaN })],
    ['two targets', noise({ noiseMultiplier: 1, rho: 1 })],
    ['no target', noise({})],
    ['no terms', { ...query, of: { terms: [] } }],
    ['a coordinate out of range', { ...query, of: { ...query.of, coordinates: Uint32Array.of(dimension) } }],
    ['a duplicate coordinate', { ...query, of: { ...query.of, coordinates: Uint32Array.of(0, 0) } }],
    [
      'weights above 1',
      { ask: 'split', of: allRecords, order: 'stored', parts: { by: 'weight', weights: [0.7, 0.7] } },
    ],
    [
      'more slots than there are',
      { ask: 'split', of: allRecords, order: 'stored', parts: { by: 'size', sizes: [5] } },
    ],
    ['a field that no query has', { ...query, targetBySilo: [{ noiseMultiplier: 1e-9 }] }],
    [
      'a mean of the shuffle model, which needs another curator',
      { ...query, mean: { kind: 'mean', name: 'laws/shuffled', params: {} } },
    ],
    ['a mean nobody knows', { ...query, mean: { kind: 'mean', name: 'laws/nobody', params: {} } }],
    ['a selection without a base', { ask: 'select' }],
    [
      'a reference of another kind',
      { ...query, mean: { kind: 'clip', name: 'laws/ball', params: { radius: 1 } } },
    ],
    ['no name of a question', { ask: 'tell' }],
  ];
}
