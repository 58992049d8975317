import {
  clippedMeanEvent,
  memoryStore,
  repeatedEvent,
  type Adjacency,
  type ErrorCode,
  type FilterMaker,
  type Interval,
  type PrivacyEvent,
  type Query,
  type Vector,
} from '@lethe/core';
import { openLedger, type Limit } from '@lethe/curator';
import { resolveEvent } from '@lethe/accountants';
import { defined } from '@lethe/numerics';
import type { Data } from '../../arbitraries/vectors.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, outcomeOf, unlessRefused } from './outcomes.js';
import { meanOf, multiplier, probesUnder } from './probes.js';
import type { Action } from './stand-ins/index.js';
import { openFixture, underEach, type Fixture, type FixtureOptions } from './fixture.js';

const at = new Float64Array(3);
const rows: Data = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
const mean = (fixture: Fixture): Query => meanOf(fixture.allRecords, 'gaussian', { at });

/** Number of probe releases in an event: its μ² in units of one release, additive under composition. */
const releasesIn = (event: PrivacyEvent, adjacency: Adjacency): number =>
  event.kind === 'core/free' ? 0 : resolveEvent(event, 'gdp', { adjacency }).mu ** 2 * multiplier ** 2;
/** A filter with room for ε releases, minus `above`. */
const countingFilter =
  (above = 0): FilterMaker =>
  ({ epsilon, delta, adjacency }) => {
    const taken = (event: PrivacyEvent): number => releasesIn(event, adjacency) * (1 - 1e-12) + above;
    return {
      rule: 'laws/counting',
      spec: { rule: 'laws/counting', epsilon, delta, above },
      limit: {
        kind: 'core/filtered',
        v: 1,
        limit: repeatedEvent(clippedMeanEvent(multiplier, adjacency), Math.max(1, Math.floor(epsilon))),
      } as PrivacyEvent,
      admits: (event) => taken(event) <= epsilon,
      share: (event) => taken(event) / epsilon,
    };
  };
/**
 * An accountant that counts releases: ε is their number, and
 * `upper` is `above` more. Its filter counts in the same way.
 */
const counting = (above = 0): Limit['accountant'] => ({
  epsilon(event: PrivacyEvent, { adjacency }: { readonly adjacency: Adjacency }): Interval {
    const count = releasesIn(event, adjacency);
    return {
      lower: 0,
      estimate: count,
      upper: count * (1 + 1e-12) + above,
      certificate: 'certified',
      method: 'counting',
      assumptions: [],
    };
  },
  filter: countingFilter(above),
});
const limitOf = (count: number, above = 0): Limit => ({
  epsilon: count + 0.5,
  delta: 0,
  accountant: counting(above),
});

export const limit = defineLaw({
  id: 'curator/limit',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'The limit of a data set is checked before a record is read: a query beyond it is refused with ' +
    'nothing written, drawn or released, in any run; the refusal depends on public values only, ' +
    'and answered queries may still be repeated.',
  power:
    'a release beyond the limit, a reading or draw before the refusal, or a limit that restarts with a run',
  cells: underEach,
  check: (subject, env) => firstOf(limited(subject, defined(env.cell.adjacency))),
});

function* limited(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const messages = new Set<string>();
  for (const data of [
    rows,
    [
      [9, 9, 9],
      [1e12, 0, 0],
      [0, 0, 0],
    ],
  ]) {
    const actions: Action[] = [];
    const options: FixtureOptions = {
      rows: data,
      adjacency,
      observe: (action) => {
        actions.push(action);
      },
    };
    const ledger = openLedger({ adjacency, limit: limitOf(3) });
    const first = openFixture(subject, { ...options, ledger, run: 'a' });
    const second = openFixture(subject, { ...options, ledger, run: 'b' });
    for (const fixture of [first, second, first]) {
      const paid = outcomeOf(() => fixture.ask<Vector>(mean(fixture)));
      if ('refused' in paid) {
        yield { what: `a release within the limit is refused: ${paid.message}` };
        return;
      }
    }
    const third = openFixture(subject, { ...options, ledger, run: 'c' });
    for (const [run, fixture] of [
      ['a', first],
      ['b', second],
      ['c, opened after the limit was used up', third],
    ] as const) {
      const before = [ledger.total(), fixture.curator.recorded()];
      actions.length = 0;
      const refused = outcomeOf(() => fixture.ask(mean(fixture)));
      if ('value' in refused) {
        yield {
          what: `run ${run} gets a fourth release where the data set's limit is three`,
          measured: 4,
          allowed: 3,
        };
        continue;
      }
      yield refused.refused === 'budget-exceeded'
        ? undefined
        : { what: `a release beyond the limit is refused as ${refused.message}; expected budget-exceeded` };
      messages.add(`${run}: ${refused.message}`);
      yield actions.length === 0
        ? undefined
        : {
            what:
              'a query beyond the limit ' +
              `${actions[0].did === 'read' ? 'reads records' : 'draws noise'} before it is refused`,
          };
      yield JSON.stringify(before) === JSON.stringify([ledger.total(), fixture.curator.recorded()])
        ? undefined
        : { what: 'a query that was refused by the limit changed the ledger' };
    }
    yield unlessRefused(
      'a run with a plan beyond the remaining limit',
      () =>
        openFixture(subject, {
          ...options,
          ledger,
          run: 'd',
          planned: clippedMeanEvent(multiplier, adjacency),
        }).allRecords,
      ['budget-exceeded'],
    );
    yield ledger.runs().includes('d') ? { what: 'a run whose plan was refused is in the ledger' } : undefined;
    const fresh = openLedger({ adjacency, limit: limitOf(3) });
    const affordable = outcomeOf(
      () =>
        openFixture(subject, {
          ...options,
          ledger: fresh,
          planned: repeatedEvent(clippedMeanEvent(multiplier, adjacency), 3),
        }).allRecords,
    );
    yield 'refused' in affordable
      ? { what: `a plan within the limit is refused: ${affordable.message}` }
      : undefined;
  }
  yield messages.size === 3
    ? undefined
    : { what: 'the refusal depends on the records', witness: [...messages].join(' | ') };
  const store = memoryStore();
  const paid = openFixture(subject, { rows, adjacency, store, limit: limitOf(1) });
  const answer = paid.ask<Vector>(mean(paid));
  const again = openFixture(subject, { rows, adjacency, store, limit: limitOf(1) });
  const repeated = outcomeOf(() => again.ask<Vector>(mean(again)));
  yield 'value' in repeated && repeated.value.join() === answer.join()
    ? undefined
    : { what: 'a repeated query is not answered after the limit is used up' };
  for (const probe of probesUnder(adjacency)) {
    const actions: Action[] = [];
    const fixture = openFixture(subject, {
      ...probe.fixture,
      rows,
      adjacency,
      limit: limitOf(0, 1),
      labels: rows.map((row) => probe.label?.(defined(row)) ?? 0),
      observe: (action) => {
        actions.push(action);
      },
    });
    actions.length = 0;
    const asked = outcomeOf(() => probe.release(fixture, 'gaussian'));
    // A scope without declared costs is refused before any comparison.
    const codes: readonly (ErrorCode | 'untyped')[] = probe.name.includes('draw of')
      ? ['budget-exceeded', 'unsupported']
      : ['budget-exceeded'];
    yield 'refused' in asked && codes.includes(asked.refused) && actions.length === 0
      ? undefined
      : {
          what:
            `"${probe.name}" is ` +
            ('refused' in asked
              ? `refused (${asked.refused}) after ${actions.length} readings or draws`
              : 'answered') +
            ' under a limit without room',
        };
  }
}

export const limitByUpper = defineLaw({
  id: 'curator/limit-by-upper',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-10',
  statement:
    'An event that the filter of a limit refuses is accepted only with a certified upper bound within ' +
    'the limit, and only before the first answer: no lower bound and no estimate admits a query or a ' +
    'plan, and after the first answer no accountant does.',
  power:
    'a release or plan accepted by a lower bound or an estimate, or by an accountant after the first answer',
  cells: underEach,
  check: (subject, env) => firstOf(upper(subject, defined(env.cell.adjacency))),
});

function* upper(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const options: FixtureOptions = { rows, adjacency, limit: limitOf(5, 10) };
  yield unlessRefused(
    'a release with estimate 1 and certified cost 11 under a limit of 5.5',
    () => {
      const fixture = openFixture(subject, options);
      return fixture.ask(mean(fixture));
    },
    ['budget-exceeded'],
  );
  yield unlessRefused(
    'a plan with estimate 1 and certified cost 11 under a limit of 5.5',
    () => openFixture(subject, { ...options, planned: clippedMeanEvent(multiplier, adjacency) }).allRecords,
    ['budget-exceeded'],
  );
  const exact = (): Fixture =>
    openFixture(subject, {
      rows,
      adjacency,
      limit: { epsilon: 1.5, delta: 0, accountant: { ...counting(), filter: countingFilter(1) } },
    });
  const first = exact();
  const fixed = outcomeOf(() => first.ask(mean(first)));
  yield 'refused' in fixed
    ? { what: `a first release, certified at 1 of 1.5, is refused: ${fixed.message}` }
    : undefined;
  const free: Limit['accountant'] = {
    epsilon: () => ({ lower: 0, upper: 0, certificate: 'certified', method: 'nothing', assumptions: [] }),
    filter: countingFilter(),
  };
  const ledger = openLedger({ adjacency, limit: { epsilon: 1.5, delta: 0, accountant: free } });
  for (const [which, run] of [
    ['second', 'a'],
    ['third', 'b'],
  ] as const) {
    const fixture = openFixture(subject, { rows, adjacency, ledger, run });
    if (run === 'a') fixture.ask(mean(fixture));
    yield unlessRefused(
      `a ${which} release with room for one in the filter, by an accountant that certifies 0`,
      () => fixture.ask(mean(fixture)),
      ['budget-exceeded'],
    );
  }
  yield unlessRefused(
    'a plan without room in the filter, by an accountant that certifies 0',
    () =>
      openFixture(subject, {
        rows,
        adjacency,
        ledger,
        run: 'c',
        planned: clippedMeanEvent(multiplier, adjacency),
      }).allRecords,
    ['budget-exceeded'],
  );
}
