import {
  composedEvent,
  defineSampler,
  memoryStore,
  repeatedEvent,
  sameEvent,
  sampledEvent,
  type Adjacency,
  type Batch,
  type FilterMaker,
  type MeanQuery,
  type PrivacyEvent,
  type Sampler,
  type Vector,
} from '@lethe/core';
import { openLedger, type Limit } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, outcomeOf, sameBits, unlessRefused } from './outcomes.js';
import { clipTo, meanOf, meanOfSample, membershipQuery } from './probes.js';
import { exactly, fixedSize, meanOfItsOwn, poisson, standIns } from './stand-ins/index.js';
import { oneHot, openFixture, underEach, type Fixture, type FixtureOptions } from './fixture.js';

const count = 8;
const at = new Float64Array(count);

/** What a sampler was asked for and drew. */
interface Drawn {
  readonly slots: number;
  readonly positions: readonly number[];
  /** Queries on record when it drew. */
  readonly recorded: number;
}

const watched: ReadonlySet<string> = new Set([poisson(1).name, fixedSize(1).name]);

/** The samplers that {@link poisson} and {@link fixedSize} refer to, with a look at their draws. */
const watchedSamplers = (look: (slots: number, positions: Uint32Array) => void): readonly Sampler[] =>
  standIns()
    .filter(({ kind, name }) => kind === 'sampler' && watched.has(name))
    .map((plugin) => {
      const sampler = plugin as Sampler;
      return defineSampler({
        ...sampler,
        draw(params, slots, random) {
          const positions = sampler.draw(params, slots, random);
          look(slots, positions);
          return positions;
        },
      });
    });

/** A fixture with a list of its draws. */
function watchedFixture(
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  change: Partial<FixtureOptions> = {},
): { readonly fixture: Fixture; readonly drawn: Drawn[] } {
  const drawn: Drawn[] = [];
  let fixture: Fixture | undefined;
  const plugins = watchedSamplers((slots, positions) =>
    drawn.push({ slots, positions: [...positions], recorded: defined(fixture).curator.recorded() }),
  );
  fixture = openFixture(subject, { rows: oneHot(count), adjacency, plugins, ...change });
  return { fixture, drawn };
}

export const samples = defineLaw({
  id: 'curator/samples',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'A mean with a sampler is of exactly the records that the sampler draws from the batch, once, after ' +
    'the charge and with fresh secret draws, divided by the public normaliser of the sampler. It costs ' +
    'one sampled release on the batch, opens and ends no scope, and fits into plans, filters, limits and ' +
    'stated costs by that cost. Resumed, it is the same.',
  power:
    'a record too many or too few, randomness that is used again, another divisor or another cost, in 20 ' +
    'samples of each kind and in ten uses',
  cells: underEach,
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    return firstOf(
      (function* () {
        yield* members(subject, adjacency);
        yield* costs(subject, adjacency);
        yield* within(subject, adjacency);
        yield* refused(subject, adjacency);
        yield* resumed(subject, adjacency);
      })(),
    );
  },
});

/** All slots, a part and a draw, each with its members. */
function* batches(fixture: Fixture): Generator<readonly [string, Batch, readonly number[]]> {
  const membersOf = (batch: Batch): readonly number[] => {
    const answer = fixture.ask<Vector>(membershipQuery(batch, count));
    return Array.from(answer.keys()).filter((i) => answer[i] > 0);
  };
  const { allRecords } = fixture;
  yield ['all records', allRecords, membersOf(allRecords)];
  const [part] = fixture.ask<readonly Batch[]>({
    ask: 'split',
    of: allRecords,
    order: 'shuffled',
    parts: { by: 'weight', weights: [0.5] },
  });
  yield ['a part', part, membersOf(part)];
  const draw = fixture.ask<Batch>({ ask: 'draw', sampler: poisson(0.75), from: allRecords });
  yield ['a draw', draw, membersOf(draw)];
}

function* members(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const { fixture, drawn } = watchedFixture(subject, adjacency);
  for (const [where, batch, inside] of batches(fixture)) {
    for (const sampler of [poisson(0.375), fixedSize(3)]) {
      if (sampler.name === 'laws/fixed' && (adjacency === 'add-remove' || batch.size === 'hidden')) continue;
      const normaliser = sampler.name === 'laws/fixed' ? 3 : 0.375 * batch.normaliser;
      const seen = new Set<string>();
      for (let k = 0; k < 20; k++) {
        drawn.length = 0;
        const answer = exactly(fixture.ask<Vector>({ ...membershipQuery(batch, count), sampler }));
        const what = `sample ${k} of ${where} by ${sampler.name}`;
        const [draw] = drawn;
        const isOnce = drawn.length === 1 && draw.slots === inside.length;
        yield isOnce && draw.recorded === fixture.asked()
          ? undefined
          : {
              what:
                `${what} is drawn ${drawn.length} times, from ${draw?.slots} slots with ${draw?.recorded} ` +
                `queries on record; once from ${inside.length} with ${fixture.asked()}`,
            };
        if (!isOnce) return;
        const wanted = draw.positions.map((position) => inside[position]);
        const wrong = Array.from(answer.keys()).find(
          (i) => Math.abs(answer[i] * normaliser - Number(wanted.includes(i))) > 1e-12,
        );
        yield wrong === undefined
          ? undefined
          : {
              what: `${what} gives record ${wrong} the weight ${answer[wrong]}`,
              measured: answer[wrong],
              allowed: wanted.includes(wrong) ? 1 / normaliser : 0,
              witness: `drawn: ${wanted.join(' ')}`,
            };
        seen.add(draw.positions.join());
      }
      // Of three members or more, 20 samples are of two lists with probability below 1e-6.
      yield seen.size > 2 || inside.length < 3
        ? undefined
        : { what: `20 samples of ${where} by ${sampler.name} are ${seen.size} lists of records` };
    }
  }
  const lists = ['coins', 'others'].map((randomness) => {
    const other = watchedFixture(subject, adjacency, { randomness });
    for (let k = 0; k < 8; k++)
      other.fixture.ask({ ...membershipQuery(other.fixture.allRecords, count), sampler: poisson(0.5) });
    return other.drawn.map(({ positions }) => positions.join()).join(' ');
  });
  yield lists[0] === lists[1]
    ? { what: 'with other randomness of the curator, samples are the same' }
    : undefined;
}

const poissonAt = (rate: number) => ({ kind: 'core/poisson', rate }) as const;
const sample = (batch: Batch, rate = 0.5): MeanQuery =>
  meanOfSample(meanOf(batch, 'gaussian', { at }), poisson(rate));
/** What {@link sample} costs. */
function eventsOf(subject: Subject<'curator'>, adjacency: Adjacency) {
  const { fixture } = watchedFixture(subject, adjacency);
  fixture.ask(meanOf(fixture.allRecords, 'gaussian', { at }));
  const one = fixture.curator.spent();
  return { one, half: sampledEvent(poissonAt(0.5), one) };
}

const unlessCosts = (what: string, spent: PrivacyEvent, event: PrivacyEvent): Violation | undefined =>
  sameEvent(spent, event)
    ? undefined
    : { what: `${what} is charged as ${JSON.stringify(spent)}; it costs ${JSON.stringify(event)}` };

function* costs(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const { one, half } = eventsOf(subject, adjacency);
  const { fixture } = watchedFixture(subject, adjacency);
  const { curator, allRecords } = fixture;
  fixture.ask(sample(allRecords));
  yield unlessCosts('a mean of a sample', curator.spent(), half);
  fixture.ask(sample(allRecords));
  yield unlessCosts('two means of samples', curator.spent(), repeatedEvent(half, 2));
  const drawn = fixture.ask<Batch>({ ask: 'draw', sampler: poisson(0.25), from: allRecords });
  fixture.ask(sample(drawn));
  fixture.ask(sample(allRecords));
  const alive = outcomeOf(() => fixture.ask(meanOf(drawn, 'gaussian', { at })));
  yield 'value' in alive ? undefined : { what: `a sample ends the scope of a draw: ${alive.message}` };
  yield unlessCosts(
    'three means of samples, and a draw with a mean of its own and one of a sample of it',
    curator.spent(),
    composedEvent([repeatedEvent(half, 3), sampledEvent(poissonAt(0.25), composedEvent([half, one]))]),
  );
  if (adjacency === 'add-remove') return;
  const exact = watchedFixture(subject, adjacency).fixture;
  exact.ask(meanOfSample(meanOf(exact.allRecords, 'gaussian', { at }), fixedSize(2)));
  yield unlessCosts(
    'a mean of a sample of two',
    exact.curator.spent(),
    sampledEvent({ kind: 'core/fixed-size', n: count, size: 2, replacement: false }, one),
  );
}

/** Room for so many of one event, and for nothing else. */
function roomFor(event: PrivacyEvent, most: number) {
  const admits = (of: PrivacyEvent): boolean =>
    Array.from({ length: most + 1 }, (_, k) => k).some((k) => sameEvent(of, repeatedEvent(event, k)));
  const filter: FilterMaker = ({ epsilon, delta }) => ({
    rule: 'laws/samples',
    spec: { rule: 'laws/samples', epsilon, delta },
    limit: { kind: 'core/filtered', v: 1, limit: { kind: 'core/pure', v: 1, epsilon } } as PrivacyEvent,
    admits,
    share: (of) => (admits(of) ? 0.5 : 2),
  });
  const limit: Limit = {
    epsilon: 1,
    delta: 0,
    accountant: {
      epsilon: (of) => ({
        lower: 0,
        upper: admits(of) ? 1 : Infinity,
        certificate: 'certified',
        method: 'sums',
        assumptions: [],
      }),
      filter,
    },
  };
  return { limit, filter };
}

function* within(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const { one, half } = eventsOf(subject, adjacency);
  const { limit, filter } = roomFor(half, 2);
  const held = filter({ epsilon: 1, delta: 0, adjacency });
  for (const [what, change] of [
    ['a limit', { limit }],
    ['a plan', { planned: repeatedEvent(half, 2) }],
    ['a filter', { held }],
  ] as const) {
    const { fixture, drawn } = watchedFixture(subject, adjacency, change);
    const afforded = (query: MeanQuery): boolean =>
      'held' in change ? fixture.ask<boolean>({ ask: 'afford', query }) : query.sampler !== undefined;
    for (const [k, query] of [sample(fixture.allRecords), sample(fixture.allRecords)].entries()) {
      const whole = meanOf(fixture.allRecords, 'gaussian', { at });
      yield afforded(whole)
        ? { what: `under ${what} of samples a mean of all records is affordable` }
        : undefined;
      yield unlessRefused(`a mean of all records under ${what} of samples`, () => fixture.ask(whole), [
        'budget-exceeded',
      ]);
      yield afforded(query) ? undefined : { what: `mean ${k} of two under ${what} is not affordable` };
      const asked = outcomeOf(() => fixture.ask(query));
      yield 'value' in asked
        ? undefined
        : { what: `mean ${k} of a sample under ${what} of two is refused: ${asked.message}` };
    }
    const before = drawn.length;
    yield unlessRefused(
      `a third mean of a sample under ${what} of two`,
      () => fixture.ask(sample(fixture.allRecords)),
      ['budget-exceeded'],
    );
    yield drawn.length === before
      ? undefined
      : { what: `a mean of a sample that ${what} refuses is drawn before it is refused` };
  }
  const { fixture } = watchedFixture(subject, adjacency);
  const whole = composedEvent([half, one]);
  const scope = fixture.ask<Batch>({
    ask: 'draw',
    sampler: poisson(0.25),
    from: fixture.allRecords,
    costs: whole,
  });
  fixture.ask(sample(scope));
  yield unlessRefused('a second sample in a scope that states one', () => fixture.ask(sample(scope)), [
    'budget-exceeded',
  ]);
  fixture.ask(meanOf(scope, 'gaussian', { at }));
  yield unlessCosts(
    'a scope that states one release and one of a sample',
    fixture.curator.spent(),
    sampledEvent(poissonAt(0.25), whole),
  );
}

function* refused(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const { fixture, drawn } = watchedFixture(subject, adjacency);
  const { allRecords } = fixture;
  const by = (query: MeanQuery, sampler: MeanQuery['sampler']) => (): unknown =>
    fixture.ask({ ...query, sampler } as MeanQuery);
  const mean = meanOf(allRecords, 'gaussian', { at });
  yield unlessRefused(
    'a mean of a sample by nobody',
    by(mean, { kind: 'sampler', name: 'laws/nobody', params: {} }),
    ['unsupported', 'incompatible-plugins', 'invalid-parameter'],
  );
  yield unlessRefused('a mean of a sample by a clip', by(mean, clipTo() as never), ['invalid-parameter']);
  yield unlessRefused(
    'a mean of a hidden number of records, by one that needs their number,',
    by({ ...mean, mean: meanOfItsOwn('gaussian', 1) }, poisson(0.5)),
    ['unsupported'],
  );
  if (adjacency === 'add-remove')
    yield unlessRefused('a mean of a sample of fixed size', by(mean, fixedSize(2)), ['unsupported']);
  else {
    const [part] = fixture.ask<readonly Batch[]>({
      ask: 'split',
      of: allRecords,
      order: 'stored',
      parts: { by: 'weight', weights: [0.5] },
    });
    yield unlessRefused(
      'a sample of fixed size of a batch that hides its own',
      by(meanOf(part, 'gaussian', { at }), fixedSize(2)),
      ['unsupported'],
    );
  }
  yield drawn.length === 0 && fixture.curator.spent().kind === 'core/free'
    ? undefined
    : { what: 'samples of refused means are drawn or charged' };
}

function* resumed(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const store = memoryStore();
  const first = watchedFixture(subject, adjacency, { store }).fixture;
  const queries = [sample(first.allRecords), sample(first.allRecords, 0.25), sample(first.allRecords)];
  const told = queries.map((query, index) => first.curator.answer(index, query));
  const answers = told.map(({ answer }) => Float64Array.from(answer as Vector));
  const spent = first.curator.spent();
  const again = watchedFixture(subject, adjacency, {
    randomness: 'the ledger has its own',
    ledger: openLedger({ adjacency, store: memoryStore(store.read()) }),
  }).fixture;
  again.curator.replay(0, queries[0], told[0].digest);
  for (const index of [1, 2]) {
    const { answer } = again.curator.answer(index, queries[index]);
    yield sameBits(answer as Vector, answers[index])
      ? undefined
      : { what: `a mean of a sample, asked again after a crash, is another at query ${index}` };
  }
  yield unlessCosts('means of samples, asked again after a crash,', again.curator.spent(), spent);
  const { sampler: _sampler, ...plainMean } = queries[0];
  for (const [what, other] of [
    ['without its sampler', plainMean],
    ['with another sampler', queries[1]],
  ] as const)
    yield unlessRefused(
      `a mean of a sample on record, replayed ${what},`,
      () =>
        watchedFixture(subject, adjacency, {
          ledger: openLedger({ adjacency, store: memoryStore(store.read()) }),
        }).fixture.curator.replay(0, other, told[0].digest),
      ['corrupt'],
    );
}
