import {
  composedEvent,
  memoryStore,
  repeatedEvent,
  sameEvent,
  sampledEvent,
  type Adjacency,
  type Batch,
  type PrivacyEvent,
  type Query,
} from '@lethe/core';
import { openLedger } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, unlessRefused } from './outcomes.js';
import { partition, poisson } from './stand-ins/index.js';
import { release, unitsUnder, unitFixture } from './units.js';
import { observedFixture } from './observed-fixture.js';
import { openFixture, underEach } from './fixture.js';

const half = { kind: 'core/poisson', rate: 0.5 } as const;
const drawing = (from: Batch, costs?: PrivacyEvent): Query => ({
  ask: 'draw',
  sampler: poisson(0.5),
  from,
  ...(costs === undefined ? {} : { costs }),
});

export const statedCosts = defineLaw({
  id: 'curator/stated-costs',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'A scope with declared costs is charged for them, amplified once, at its opening; releases in it, ' +
    'also in nested scopes and after a crash, have no further charge and must be parts of the declared ' +
    'costs; under a limit and without a plan, a scope must declare its costs.',
  power: 'certain for draws, draws from draws and partitions, of one and two units',
  cells: underEach,
  check: (subject, env) => firstOf(stated(subject, defined(env.cell.adjacency))),
});

function* stated(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const units = unitsUnder(subject, adjacency);
  const unit = units.event();
  const two = repeatedEvent(unit, 2);
  const drawnTwo = sampledEvent(half, two);
  for (const [what, change] of [
    ['under a limit', { limit: units.limit(3) }],
    ['with a filter', { held: units.held(3) }],
  ] as const) {
    const unsaid = observedFixture(subject, adjacency, change);
    yield unsaid.refused(
      `a draw without costs in a run without a plan ${what}`,
      drawing(unsaid.fixture.allRecords),
      'unsupported',
    );
  }
  for (const [what, change] of [
    ['without a limit', {}],
    ['with a plan', { limit: units.limit(3), planned: drawnTwo }],
  ] as const) {
    const free = observedFixture(subject, adjacency, change);
    yield free.answered(`a draw without costs in a run ${what}`, drawing(free.fixture.allRecords));
  }
  const tight = observedFixture(subject, adjacency, { limit: units.limit(1) });
  yield tight.refused(
    'a draw with declared costs of three units, more than one after amplification, under a limit of one',
    drawing(tight.fixture.allRecords, repeatedEvent(unit, 3)),
    'budget-exceeded',
  );

  const store = memoryStore();
  const kept = { store, limit: units.limit(4) };
  const used = observedFixture(subject, adjacency, kept);
  const { fixture } = used;
  const batch = fixture.ask<Batch>(drawing(fixture.allRecords, two));
  yield used.costs('a draw with declared costs of two units', drawnTwo);
  yield used.refused(
    'a release of half a unit beyond the declared costs',
    release(batch, 2),
    'budget-exceeded',
  );
  yield used.refused(
    'a draw from the draw, with declared costs again',
    drawing(batch, unit),
    'invalid-parameter',
  );
  yield used.answered('the first of two releases of the declared costs', release(batch));
  const again = observedFixture(subject, adjacency, { ...kept, store: memoryStore(store.read()) });
  for (const query of [drawing(again.fixture.allRecords, two), release(batch)])
    yield again.answered('a scope replayed after a crash', query);
  for (const here of [used, again]) {
    yield here.answered('the second of two releases of the declared costs', release(batch));
    yield here.refused('a third release with two declared', release(batch), 'budget-exceeded');
    yield here.costs('two releases of the declared costs', drawnTwo);
    here.fixture.ask({ ask: 'close', batch });
    yield here.costs('a closed scope with declared costs', drawnTwo);
    here.fixture.ask(release(here.fixture.allRecords));
    yield here.costs('a scope of two units and a release from all records', composedEvent([drawnTwo, unit]));
  }

  const inner = sampledEvent(half, unit);
  const whole = composedEvent([inner, unit]);
  const nested = observedFixture(subject, adjacency, kept.limit === undefined ? {} : { limit: kept.limit });
  const outer = nested.fixture.ask<Batch>(drawing(nested.fixture.allRecords, whole));
  const below = nested.fixture.ask<Batch>(drawing(outer));
  yield nested.answered('a release in a draw from a draw, as declared', release(below));
  yield nested.answered('a release in the outer draw, as declared', release(outer));
  for (const one of [below, outer])
    yield nested.refused(
      'a release beyond the declared costs of the outer draw',
      release(one),
      'budget-exceeded',
    );
  yield nested.costs(
    'a draw with one declared release in a nested draw, and one of its own',
    sampledEvent(half, whole),
  );

  const partitioned = observedFixture(subject, adjacency, { limit: kept.limit });
  const parts = partitioned.fixture.ask<readonly Batch[]>({
    ask: 'split',
    of: partitioned.fixture.allRecords,
    order: 'stored',
    parts: { by: 'sampler', sampler: partition(partitioned.fixture.allRecords.size, 2), costs: unit },
  });
  for (const part of parts)
    yield partitioned.answered('the declared release from each of two batches of a partition', release(part));
  for (const part of parts)
    yield partitioned.refused(
      'a second release from a batch of a partition',
      release(part),
      'budget-exceeded',
    );
  yield partitioned.costs('a partition with one declared unit for each batch', unit);
}

export const planned = defineLaw({
  id: 'curator/planned',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-10',
  statement:
    'Queries of a planned run must be parts of its plan, whatever room the limit has: other queries are ' +
    'refused before a record is read, without a charge; the plan stays reserved after a crash, and no ' +
    'other plan can replace it.',
  power: 'certain, for plans of releases, and of draws, of one and two units',
  cells: underEach,
  check: (subject, env) => firstOf(plannedRuns(subject, defined(env.cell.adjacency))),
});

function* plannedRuns(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const units = unitsUnder(subject, adjacency);
  const unit = units.event();
  const limit = units.limit(10);
  const store = memoryStore();
  const two = repeatedEvent(unit, 2);
  const run = observedFixture(subject, adjacency, { store, limit, planned: two });
  yield sameEvent(run.fixture.curator.facts.reserved ?? unit, two)
    ? undefined
    : { what: 'the facts of a planned run lack its reservation', input: run.fixture.curator.facts };
  yield run.answered('a release as planned', release(run.fixture.allRecords));
  yield run.refused(
    'a release of half a unit under a plan of whole units',
    release(run.fixture.allRecords, 2),
    'budget-exceeded',
  );
  yield run.refused(
    'a draw with costs that are not part of the plan',
    drawing(run.fixture.allRecords, repeatedEvent(unit, 3)),
    'budget-exceeded',
  );
  const later = openLedger({ adjacency, store: memoryStore(store.read()), limit });
  yield unlessRefused(
    'nine units beside a plan of two under a limit of ten, after a crash',
    () =>
      openFixture(
        subject,
        unitFixture(adjacency, { ledger: later, run: 'other', planned: repeatedEvent(unit, 9) }),
      ).allRecords,
    ['budget-exceeded'],
  );
  yield unlessRefused(
    'a run resumed with a larger plan',
    () =>
      openFixture(subject, unitFixture(adjacency, { ledger: later, planned: repeatedEvent(unit, 3) }))
        .allRecords,
    ['invalid-parameter'],
  );
  const resumed = observedFixture(subject, adjacency, { ledger: later, planned: two });
  for (const which of ['recorded', 'second'])
    yield resumed.answered(
      `the ${which} release of two planned, after a crash`,
      release(resumed.fixture.allRecords),
    );
  yield resumed.refused(
    'a third release of two planned, after a crash',
    release(resumed.fixture.allRecords),
    'budget-exceeded',
  );

  const draws = observedFixture(subject, adjacency, {
    limit,
    planned: repeatedEvent(sampledEvent(half, two), 2),
  });
  for (const which of ['first', 'second', 'third']) {
    const batch = draws.fixture.ask<Batch>(drawing(draws.fixture.allRecords));
    for (const k of [1, 2]) {
      if (which === 'third')
        yield draws.refused('a release in a third draw of two planned', release(batch), 'budget-exceeded');
      else yield draws.answered(`release ${k} of the ${which} draw, as planned`, release(batch));
    }
    yield draws.refused(
      `one more release in the ${which} draw than planned`,
      release(batch),
      'budget-exceeded',
    );
  }
  yield draws.refused(
    'a release from all records under a plan of draws',
    release(draws.fixture.allRecords),
    'budget-exceeded',
  );
}
