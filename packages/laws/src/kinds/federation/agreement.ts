import {
  ask,
  driveSync,
  memoryStore,
  referenceTo,
  sameEvent,
  seededRandom,
  type Adjacency,
  type Answered,
  type Problem,
  type Query,
  type Registry,
  type Run,
  type Store,
  type Vector,
} from '@lethe/core';
import { centralCurator, defineOptimizer } from '@lethe/curator';
import { agreementFor, type SiloCurator, type SiloPlace } from '@lethe/curator/federation';
import { defined } from '@lethe/numerics';
import * as z from 'zod';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { openFixture, type FixtureOptions } from '../curator/fixture.js';
import { copyOf } from '../curator/hostile.js';
import { firstOf, outcomeOf, unlessRefused } from '../curator/outcomes.js';
import {
  around,
  ball,
  loss,
  mechanismNamed,
  meanWithin,
  prefixSum,
  standIns,
} from '../curator/stand-ins/index.js';
import { plain } from '../curator/stand-ins/common.js';
import { dimension, sizes, weights } from './fixture.js';
import { underFixed } from './joint.js';

const rounds = 4;
/**
 * A run that asks for differences of gradients about a centre, and for a mean: a federation averages both.
 */
const twoPoints = defineOptimizer({
  ...plain,
  name: 'laws/two-points',
  params: z.strictObject({
    clip: referenceTo('clip'),
    mechanism: referenceTo('mechanism'),
    prefixSum: referenceTo('prefixSum'),
    mean: referenceTo('mean'),
  }),
  needs: {},
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central', 'federated'],
  privacyRestsOn: 'clip',
  stopping: 'fixed',
  facts: {},
  plan: ({ params }) => ({ ...params, utility: null }),
  *steps({ plan, start, allRecords, domain, state, parts }) {
    const batches = yield* ask.split({
      of: allRecords,
      order: 'stored',
      parts: { by: 'count', count: rounds },
    });
    const stream = yield* ask.open({
      prefixSum: plan.prefixSum,
      steps: rounds - 1,
      dimension: start.length,
      bound: { by: 'clip', clip: plan.clip },
      noise: { mechanism: plan.mechanism, target: { noiseMultiplier: 1.5 } },
      participation: { times: 1, gap: rounds },
      normaliser: 1,
      normalisers: sizes.map((slots) => Math.floor(slots / rounds)),
    });
    const { x, before } = state({ x: start.slice(), before: start.slice() });
    for (const [t, batch] of parts(batches.slice(0, rounds - 1), (number) =>
      number === 1 ? 'first' : 'later',
    )) {
      const terms =
        t === 1
          ? [{ weight: 1, at: x }]
          : [
              { weight: t, at: x },
              { weight: 1 - t, at: before },
            ];
      const centre = t === 1 ? null : x.map((one, j) => (t - 1) * 0.5 * (one - before[j]));
      const increment = yield* ask.push({ stream, batch, terms, ...(centre === null ? {} : { centre }) });
      before.set(x);
      for (let j = 0; j < x.length; j++) x[j] -= increment[j] / 50;
      domain.projectInto(x, x);
    }
    const last = yield* ask.mean({
      batch: batches[rounds - 1],
      at: x,
      mean: plan.mean,
      target: { noiseMultiplier: 1.5 },
    });
    return x.map((one, j) => one - last[j]);
  },
});
const start = new Float64Array(dimension).fill(0.1);
const random = seededRandom('public');

type OtherData = Partial<Pick<FixtureOptions, 'rows' | 'adjacency' | 'loss'>>;

interface World {
  readonly run: Run;
  readonly registry: Registry;
  readonly event: Run['plan']['event'];
  /** Opens silo `i`, held to the agreement; its data are those agreed to, but for `other`. */
  open(
    silo: number,
    given?: { readonly store?: Store; readonly place?: SiloPlace | null; readonly other?: OtherData },
  ): SiloCurator;
  /** The same silo without an agreement. */
  free(silo: number): ReturnType<typeof centralCurator>;
}

const rowsOf = (silo: number, slots: number, columns = dimension): readonly (readonly number[])[] =>
  Array.from({ length: slots }, (_, i) =>
    Array.from({ length: columns }, (_other, j) => Math.sin(silo + 2 * i + 3 * j) / 2),
  );

function worldOf(subject: Subject<'federation'>, adjacency: Adjacency): World {
  const registry = Object.freeze([...standIns(), twoPoints, ...subject.registry]);
  const problem: Problem = {
    adjacency,
    dimension,
    slots: sizes,
    trust: { model: 'federated', silos: sizes.length, server: 'untrusted', weights },
    domain: around(1),
    loss: loss('linear'),
    capabilities: {},
    facts: { smoothness: { value: 1, scope: 'every-record', provenance: 'declared' } },
  };
  const run = twoPoints.prepare({
    problem,
    registry,
    budget: { epsilon: 1, delta: 1e-6 },
    params: {
      clip: ball(0.75),
      mechanism: mechanismNamed('gaussian'),
      prefixSum: prefixSum('prefixes'),
      mean: meanWithin({ by: 'clip', clip: ball(0.75) }, mechanismNamed('gaussian')),
    },
    calibrate: () => {
      throw new Error('nothing is calibrated');
    },
    random,
  });
  const agreement = agreementFor(run, { name: 'run', start, random });
  const dataOf = (silo: number, store?: Store, other: OtherData = {}) =>
    openFixture(
      { kind: 'curator', name: 'silo', claims: [], registry, open: centralCurator },
      {
        rows: rowsOf(silo, sizes[silo]),
        adjacency,
        loss: 'linear',
        run: 'unused',
        ...other,
        ...(store === undefined ? {} : { store }),
      },
    ).data;
  return {
    run,
    registry,
    event: run.plan.event,
    open: (silo, { store, place, other } = {}) =>
      subject.hold({
        data: dataOf(silo, store, other),
        registry,
        agreement: JSON.parse(JSON.stringify(agreement)) as typeof agreement,
        silo,
        random: seededRandom(`silo ${silo}`),
        ...(place === null || place === undefined ? {} : { place }),
      }),
    free: (silo) =>
      centralCurator({
        data: dataOf(silo),
        registry,
        run: 'run',
        planned: run.plan.event,
        random: seededRandom(`silo ${silo}`),
      }),
  };
}

/** The queries of an honest run, as the federation poses them to silo 0. */
function honest(
  subject: Subject<'federation'>,
  world: World,
): readonly { readonly query: Query; readonly said: Answered }[] {
  const asked: { query: Query; said: Answered }[] = [];
  const silos = sizes.map((_, i) => world.free(i));
  const curator = subject.join({
    weights,
    silos: silos.map((silo, i) => ({
      ...silo,
      answer(index, query) {
        const own = copyOf(query) as Query;
        const said = silo.answer(index, query);
        if (i === 0) asked.push({ query: own, said });
        return said;
      },
    })),
  });
  driveSync(world.run, curator, { start, random });
  return asked;
}
const text = ({ answer, digest }: Answered): string =>
  JSON.stringify([digest, answer instanceof Float64Array ? [...answer] : answer]);
type Points = Query & {
  readonly of: { readonly terms: readonly { readonly weight: number; readonly at: Vector }[] };
};
const pointsIn = (query: Query): readonly Vector[] =>
  query.ask === 'push' || query.ask === 'mean' ? query.of.terms.map(({ at }) => at) : [];

export const agreedRuns = defineLaw<'federation'>({
  id: 'federation/agreed-runs',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-2',
  statement:
    'A silo held to an agreement answers an honest server as it would without one, ' +
    'to whole queries and to points alone, and goes on from its place after any stop, with a transcript ' +
    'that is neither longer than its own nor another. ' +
    'The event of the run is set aside before the first answer. ' +
    'Data of another size or dimension, loss or adjacency are refused.',
  power:
    'an answer that differs, at any query, before or after a stop; any such transcript or data that pass',
  cells: underFixed,
  check: (subject, env) => firstOf(agreed(subject, defined(env.cell.adjacency))),
});

function* agreed(subject: Subject<'federation'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const world = worldOf(subject, adjacency);
  const asked = honest(subject, world);
  const silo = world.open(0);
  yield silo.facts.reserved !== undefined &&
  sameEvent(silo.facts.reserved, world.event) &&
  sameEvent(silo.part.event, world.event)
    ? undefined
    : { what: 'the event of the agreed run is not set aside' };
  for (const [what, other] of otherData(adjacency))
    yield unlessRefused(`for the agreement, ${what}`, () => world.open(0, { other }), ['invalid-parameter']);
  for (const [k, { query, said }] of asked.entries())
    yield text(silo.answer(k, copyOf(query))) === text(said)
      ? undefined
      : { what: `query ${k} has another answer under the agreement` };
  yield sameEvent(silo.charged(), world.event) ? undefined : { what: 'the agreed run costs another event' };
  for (let stop = 0; stop <= asked.length; stop++) {
    const store = memoryStore();
    const first = world.open(0, { store });
    for (let k = 0; k < stop; k++) first.answerAt(k, newest(asked[k].query));
    // Stopped after the answer was recorded, and before or after its place was stored.
    for (const place of [first.place()]) {
      const again = world.open(0, { store, place });
      if (stop > 0) {
        const [{ query, said }] = asked.slice(stop - 1);
        again.replay(stop - 1, copyOf(query), said.digest);
        yield unlessRefused(
          `after a stop at query ${stop}, a transcript with another answer`,
          () => again.replay(stop - 1, copyOf(query), `${said.digest.slice(1)}0`),
          ['corrupt'],
        );
      }
      if (stop < asked.length)
        yield unlessRefused(
          `after a stop at query ${stop}, a transcript that is longer than the silo's`,
          () => again.replay(stop, copyOf(asked[stop].query), asked[stop].said.digest),
          ['corrupt'],
        );
      if (stop > 0)
        yield text(again.answerAt(stop - 1, newest(asked[stop - 1].query))) === text(asked[stop - 1].said)
          ? undefined
          : { what: `query ${stop - 1}, asked again after a stop, has another answer` };
      for (let k = stop; k < asked.length; k++)
        yield text(again.answerAt(k, newest(asked[k].query))) === text(asked[k].said)
          ? undefined
          : { what: `after a stop at query ${stop} query ${k} has another answer` };
      const sum = asked
        .filter(({ query }) => query.ask === 'push')
        .reduce(
          (total, { said }) => total.map((one, j) => one + (said.answer as Vector)[j]),
          new Float64Array(dimension),
        );
      yield JSON.stringify([...(again.place()?.sum ?? [])]) === JSON.stringify([...sum])
        ? undefined
        : { what: `after a stop at query ${stop} the sum of increments is another` };
    }
  }
}
/** Data that are not those of silo 0. */
const otherData = (adjacency: Adjacency): readonly (readonly [string, OtherData])[] => [
  ['a record fewer', { rows: rowsOf(0, sizes[0] - 1) }],
  ['a column more', { rows: rowsOf(0, sizes[0], dimension + 1) }],
  ['another loss', { loss: 'square' }],
  ['another adjacency', { adjacency: adjacency === 'zero-out' ? 'replace-one' : 'zero-out' }],
];
const newest = (query: Query): readonly Vector[] => pointsIn(query).slice(0, 1);

export const hostileServers = defineLaw<'federation'>({
  id: 'federation/hostile-servers',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-0',
  statement:
    'A silo held to an agreement refuses what is not the next query of the plan: other queries, ' +
    'weights, batches, clips, noise, centres and older points; earlier and repeated queries ' +
    'about other points; points outside the domain or not finite; queries after the last. ' +
    'Nothing is charged or recorded for it, and the honest query is answered after it.',
  power: 'any such query that is answered, at any place of the run',
  cells: underFixed,
  check: (subject, env) => firstOf(hostile(subject, defined(env.cell.adjacency))),
});

function* hostile(subject: Subject<'federation'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const world = worldOf(subject, adjacency);
  const asked = honest(subject, world);
  for (let at = 0; at <= asked.length; at++) {
    const silo = world.open(0);
    for (let k = 0; k < at; k++) silo.answer(k, copyOf(asked[k].query));
    const before = [silo.recorded(), JSON.stringify(silo.charged())];
    for (const [what, index, query] of attacks(
      asked.map((one) => one.query),
      at,
    )) {
      yield unlessRefused(`at query ${at}, ${what}`, () => silo.answer(index, query), [
        'invalid-parameter',
        'corrupt',
        'unsupported',
        'incompatible-plugins',
      ]);
      yield silo.recorded() === before[0] && JSON.stringify(silo.charged()) === before[1]
        ? undefined
        : { what: `at query ${at}, ${what} is refused and leaves a trace` };
    }
    if (at === asked.length) continue;
    const [point, older] = pointsIn(asked[at].query);
    if (older !== undefined)
      yield unlessRefused(
        `at query ${at}, points of which the older is another`,
        () => silo.answerAt(at, [point, older.map((one) => one / 3)]),
        ['invalid-parameter'],
      );
    const outcome = outcomeOf(() => silo.answer(at, copyOf(asked[at].query)));
    yield 'value' in outcome && text(outcome.value) === text(asked[at].said)
      ? undefined
      : { what: `after refusals at query ${at} the honest query is not answered as before` };
  }
}

function* attacks(queries: readonly Query[], at: number): Generator<readonly [string, number, Query]> {
  const last = queries.length - 1;
  const far = new Float64Array(dimension).fill(5);
  const moved = (
    query: Query,
    change: (terms: Points['of']['terms']) => readonly { weight: number; at: Vector }[],
  ): Query =>
    ({ ...query, of: { ...(query as Points).of, terms: change((query as Points).of.terms) } }) as Query;
  const hasPoints = (query: Query | undefined): boolean => query?.ask === 'push' || query?.ask === 'mean';
  if (at > last) {
    yield ['a query after the last', last + 1, copyOf(queries[last]) as Query];
  } else {
    const own = queries[at];
    for (const [k, query] of queries.entries())
      if (k !== at && JSON.stringify(query) !== JSON.stringify(own))
        yield [`query ${k} of the plan`, at, copyOf(query) as Query];
    yield [
      'a release that is not planned',
      at,
      { ...(copyOf(queries[last]) as object), target: { noiseMultiplier: 0.1 } } as Query,
    ];
    if (own.ask === 'open') {
      yield ['less noise', at, { ...own, noise: { ...own.noise, target: { noiseMultiplier: 0.15 } } }];
      yield ['a wider clip', at, { ...own, bound: { by: 'clip', clip: ball(75) } }];
      yield ['more steps', at, { ...own, steps: own.steps + 1 }];
      yield ['another normaliser', at, { ...own, normaliser: own.normaliser + 1 }];
    }
    if (own.ask === 'split') yield ['other parts', at, { ...own, parts: { by: 'count', count: 2 } }];
    if (hasPoints(own)) {
      yield [
        'a point outside the domain',
        at,
        moved(own, ([first, ...rest]) => [{ ...first, at: far }, ...rest]),
      ];
      yield [
        'a point that is not finite',
        at,
        moved(own, ([first, ...rest]) => [{ ...first, at: far.map(() => Number.NaN) }, ...rest]),
      ];
      yield [
        'another weight',
        at,
        moved(own, ([first, ...rest]) => [{ ...first, weight: first.weight * 2 }, ...rest]),
      ];
      yield ['a point too many', at, moved(own, (terms) => [...terms, { weight: 1, at: start }])];
    }
    if (own.ask === 'push') {
      yield ['another batch', at, { ...own, batch: { ...own.batch, id: 'run/0.3' } }];
      if (own.of.terms.length === 2) {
        yield [
          'another older point',
          at,
          moved(own, ([first, second]) => [first, { ...second, at: start.map((one) => one / 3) }]),
        ];
        yield ['another centre', at, { ...own, centre: far }];
        yield ['no centre', at, { ...own, centre: undefined } as unknown as Query];
      }
    }
  }
  for (let k = 0; k < Math.min(at, last); k++) {
    yield [`query ${k} again`, k === at - 1 ? -1 : k, copyOf(queries[k]) as Query];
    if (hasPoints(queries[k]))
      yield [
        `query ${k} about another point`,
        k,
        moved(queries[k], ([first, ...rest]) => [{ ...first, at: start.map((one) => -one) }, ...rest]),
      ];
  }
}

export const missedQueries = defineLaw<'federation'>({
  id: 'federation/missed-queries',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'A silo held to an agreement answers a later round than its next one, once it is told both points, ' +
    'and the rounds between never again. It costs what the plan says, whatever rounds are missed.',
  power: 'a missed round that is answered later, or another cost, for every set of missed rounds',
  cells: underFixed,
  check: (subject, env) => firstOf(missed(subject, defined(env.cell.adjacency))),
});

function* missed(subject: Subject<'federation'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const world = worldOf(subject, adjacency);
  const asked = honest(subject, world);
  for (let set = 0; set < 8; set++) {
    const silo = world.open(0);
    for (const [k, { query }] of asked.entries()) {
      const isMissed = k >= 2 && k < asked.length - 1 && Math.floor(set / 2 ** (k - 2)) % 2 === 1;
      if (isMissed) continue;
      const outcome = outcomeOf(() => silo.answerAt(k, pointsIn(query)));
      yield 'value' in outcome
        ? undefined
        : { what: `query ${k} after missed ones (${set}) is refused`, witness: outcome.message };
      for (let earlier = 2; earlier < k; earlier++)
        if (Math.floor(set / 2 ** (earlier - 2)) % 2 === 1)
          yield unlessRefused(
            `missed query ${earlier} after query ${k}`,
            () => silo.answerAt(earlier, pointsIn(asked[earlier].query)),
            ['corrupt'],
          );
    }
    yield sameEvent(silo.charged(), world.event)
      ? undefined
      : { what: `with missed rounds ${set} the run costs another event` };
  }
}

export const restoredSilos = defineLaw<'federation'>({
  id: 'federation/restored-silos',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'A silo whose ledger and place were both restored from a copy, and which a server asks about another ' +
    'point than before, answers with other noise; about the same point in the same bits.',
  power: 'the noise of an answer that the silo forgot',
  cells: underFixed,
  check: (subject, env) => firstOf(askedOtherwise(subject, defined(env.cell.adjacency))),
});

function* askedOtherwise(
  subject: Subject<'federation'>,
  adjacency: Adjacency,
): Generator<Violation | undefined> {
  const world = worldOf(subject, adjacency);
  const asked = honest(subject, world);
  // Gradients of a linear loss are the same at every point: without a centre, answers differ by noise alone.
  for (const [k, { query, said }] of asked.entries()) {
    if (!(query.ask === 'mean' || (query.ask === 'push' && query.centre === undefined))) continue;
    const [point, ...older] = pointsIn(query);
    for (const [isSame, other] of [
      [true, point],
      [false, point.map((one) => -one)],
    ] as const) {
      // The randomness of a copy is that of the silo.
      const copy = world.open(0);
      for (let before = 0; before < k; before++) copy.answerAt(before, newest(asked[before].query));
      const told = copy.answerAt(k, [other, ...older]);
      const shared = [...(told.answer as Vector)].filter(
        (one, j) => Math.abs(one - (said.answer as Vector)[j]) < 1e-9,
      ).length;
      yield isSame === shared > 0
        ? undefined
        : {
            what: isSame
              ? `query ${k}, asked of a copy, has another answer`
              : `query ${k}, about another point, has the noise of an answer that was forgotten`,
          };
    }
  }
}
