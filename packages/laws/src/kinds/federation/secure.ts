import {
  ask,
  memoryStore,
  referenceTo,
  sameEvent,
  seededRandom,
  type Adjacency,
  type Answered,
  type Batch,
  type Curator,
  type OpenQuery,
  type Query,
  type Store,
  type Stream,
  type Vector,
} from '@lethe/core';
import { centralCurator, defineOptimizer } from '@lethe/curator';
import { agreementFor, type OpenAddendSilo } from '@lethe/curator/federation';
import { defined } from '@lethe/numerics';
import * as z from 'zod';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { openFixture, type Fixture } from '../curator/fixture.js';
import { copyOf } from '../curator/hostile.js';
import { firstOf, refusals, unlessRefused } from '../curator/outcomes.js';
import {
  around,
  ball,
  gridBall,
  loss,
  mechanismNamed,
  prefixSum,
  standIns,
} from '../curator/stand-ins/index.js';
import { plain } from '../curator/stand-ins/common.js';
import { dimension, openSilo, siloOptions, sizes } from './fixture.js';
import { conversation, underFixed } from './joint.js';

const [multiplier, steps, radius, spacing] = [1.5, 4, 0.75, 0.125];
const normalisers = sizes.map((slots) => Math.floor(slots / steps));
/** Sums of all three silos, one of which may side with the server; and sums of any two. */
const allOfThree = { corrupted: 1, survivors: 3 };
const anyTwo = { corrupted: 0, survivors: 2 };
type Sums = typeof allOfThree;

const opening = (changes: Partial<OpenQuery> = {}): OpenQuery => ({
  ask: 'open',
  prefixSum: prefixSum('prefixes'),
  steps,
  dimension,
  bound: { by: 'clip', clip: gridBall(radius, spacing) },
  noise: { mechanism: mechanismNamed('whole-ruler'), target: { noiseMultiplier: multiplier } },
  participation: { times: 1, gap: steps },
  normaliser: 1,
  normalisers,
  ...changes,
});
/** A split, a stream of whole numbers, and increments of it. */
const queriesOf = (all: Batch): readonly Query[] =>
  conversation(all)
    .slice(0, 5)
    .map((query) => (query.ask === 'open' ? opening() : query));
const ownOf = (query: Query, silo: number): Query => {
  if (query.ask !== 'open') return query;
  const { normalisers: given = [], ...rest } = query;
  return { ...rest, normaliser: given[silo] };
};

/** One silo of secure sums, with its own ledger and randomness. */
function openAddends(
  subject: Subject<'federation'>,
  silo: number,
  { adjacency, store, sums }: { readonly adjacency: Adjacency; readonly store?: Store; readonly sums: Sums },
): { readonly fixture: Fixture; readonly silo: OpenAddendSilo } {
  let opened: OpenAddendSilo | undefined;
  const fixture = openFixture(
    {
      kind: 'curator',
      name: 'silo of secure sums',
      claims: [],
      registry: subject.registry,
      open: (own) => {
        opened = subject.addend({ ...own, silos: sizes.length, ...sums });
        const { addendFor, ...rest } = opened;
        return { ...rest, answer: addendFor } as unknown as Curator<Answered>;
      },
    },
    siloOptions(silo, { adjacency, ...(store === undefined ? {} : { store }) }),
  );
  return { fixture, silo: defined(opened) };
}

const registryOf = ({ registry }: Subject<'federation'>) => [...standIns(), ...registry];

export const addends = defineLaw<'federation'>({
  id: 'federation/addends',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-5',
  statement:
    'A silo of secure sums charges a stream as it would with all of the noise of its own, and adds one of ' +
    'H shares to every running sum, of scale 1/√H of that, where H is the number of survivors less those ' +
    'who may side with the server. It tells whole steps of the grid.',
  power: 'another charge, another number of shares, and any addend that is not whole',
  cells: underFixed,
  check: (subject, env) => firstOf(added(subject, defined(env.cell.adjacency))),
});

function* added(subject: Subject<'federation'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const full = (multiplier * Math.sqrt(steps) * (adjacency === 'replace-one' ? 2 : 1) * radius) / spacing;
  for (const sums of [allOfThree, anyTwo, { corrupted: 0, survivors: 3 }])
    for (const i of sizes.keys()) {
      const { fixture, silo } = openAddends(subject, i, { adjacency, sums });
      const alone = openSilo(subject, i, { adjacency });
      const counted = sums.survivors - sums.corrupted;
      let first = true;
      for (const [k, query] of queriesOf(silo.allRecords).entries()) {
        const said = silo.addendFor(k, copyOf(ownOf(query, i)));
        const own = alone.curator.answer(k, copyOf(ownOf(query, i)));
        yield sameEvent(fixture.ledger.total(), alone.ledger.total())
          ? undefined
          : { what: `silo ${i} charges for query ${k} something else than with noise of its own` };
        if (query.ask !== 'push') continue;
        const noise = first ? [Math.ceil(full), full / Math.sqrt(counted)] : [0, 0];
        first = false;
        for (const [j, entry] of (said.answer as Vector).entries()) {
          const value = Math.round(((own.answer as Vector)[j] * normalisers[i]) / spacing) - noise[0];
          yield Number.isInteger(entry) && Math.abs(entry - value - noise[1]) <= (noise[1] === 0 ? 0 : 1)
            ? undefined
            : {
                what: `entry ${j} of addend ${k} of silo ${i}, with ${counted} shares that count`,
                measured: entry - value,
                allowed: noise[1],
              };
        }
      }
    }
}

export const secureSums = defineLaw<'federation'>({
  id: 'federation/secure-sums',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'In secure sums the answers to pushes add up to the sum of the running sums of the silos that are ' +
    'there, over the records of their batches. Where fewer are there than a sum needs the answer is zero, ' +
    'and the next one has what was added meanwhile. Asked again, the same is told.',
  power: 'another divisor, sums of too few silos, and a lost addend, for every set of silent silos',
  cells: underFixed,
  check: (subject, env) => firstOf(summed(subject, defined(env.cell.adjacency))),
});

const late = new Error('late');
function* summed(subject: Subject<'federation'>, adjacency: Adjacency): Generator<Violation | undefined> {
  for (let set = 0; set < 8; set++) {
    const heard: (Vector | null)[] = [];
    const silos = sizes.map((_, i): OpenAddendSilo => {
      const { silo } = openAddends(subject, i, { adjacency, sums: anyTwo });
      return {
        ...silo,
        addendFor(index, query) {
          if (query.ask !== 'push') return silo.addendFor(index, query);
          heard[i] = null;
          if (query.batch.id === 'run/0.1' && Math.floor(set / 2 ** i) % 2 === 1) throw late;
          const said = silo.addendFor(index, query);
          heard[i] = (said.answer as Vector).slice();
          return said;
        },
      };
    });
    const curator = subject.joinSecure({
      silos,
      ...anyTwo,
      registry: registryOf(subject),
      isAbsence: (error) => error === late,
    });
    let [total, running] = [0, sizes.map(() => 0)];
    for (const [k, query] of queriesOf(curator.allRecords).entries()) {
      const { answer } = curator.answer(k, copyOf(query));
      if (query.ask !== 'push') continue;
      const [entry] = answer as Vector;
      running = running.map((one, i) => one + (heard[i]?.[0] ?? 0));
      const there = [...sizes.keys()].filter((i) => heard[i] !== null);
      const isSum = there.length >= anyTwo.survivors;
      total += entry;
      const records = there.reduce((sum, i) => sum + normalisers[i], 0);
      const wanted = isSum ? (there.reduce((sum, i) => sum + running[i], 0) * spacing) / records : total;
      yield (isSum || entry === 0) && Math.abs(total - wanted) <= 1e-9 * (1 + Math.abs(wanted))
        ? undefined
        : { what: `the sum at query ${k} with silent silos ${set}`, measured: total, allowed: wanted };
      const again = curator.answer(k, copyOf(query)).answer as Vector;
      yield again[0] === entry ? undefined : { what: `query ${k}, asked again, has another answer` };
    }
  }
}

export const secureMembership = defineLaw<'federation'>({
  id: 'federation/secure-membership',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-7',
  statement:
    'A silo of secure sums is no curator, its facts name what its cost rests on, and it answers streams ' +
    'alone, with whole noise whose shares add up. Silos of other sums, and numbers for which two sets of ' +
    'survivors could be agreed to, are refused, and so is a second stream.',
  power: 'any of these that is taken',
  cells: underFixed,
  check: (subject, env) => firstOf(taken(subject, defined(env.cell.adjacency))),
});

function* taken(subject: Subject<'federation'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const open = (i: number, sums: Sums = allOfThree): OpenAddendSilo =>
    openAddends(subject, i, { adjacency, sums }).silo;
  const join = (silos: readonly unknown[], sums: Sums = allOfThree): Curator<Answered> =>
    subject.joinSecure({ silos, ...sums, registry: registryOf(subject) } as never);
  const silos = sizes.map((_, i) => open(i));
  const curator = join(silos);
  const { trust, assumptions } = curator.facts;
  yield trust?.model === 'secure-aggregation' &&
  trust.corrupted === allOfThree.corrupted &&
  trust.survivors === allOfThree.survivors &&
  ['honest-silos', 'computational'].every((one) => assumptions.includes(one))
    ? undefined
    : { what: 'facts do not name what the cost rests on', witness: JSON.stringify(curator.facts) };
  yield 'answer' in silos[0] ? { what: 'a silo of secure sums is a curator' } : undefined;
  const invalid = ['invalid-parameter'] as const;
  yield unlessRefused('silos of other sums', () => join([open(0), open(1), open(2, anyTwo)]), invalid);
  yield unlessRefused(
    'curators in secure sums',
    () => join(sizes.map((_, i) => openSilo(subject, i, { adjacency }).curator)),
    invalid,
  );
  yield unlessRefused(
    'silos of secure sums that are averaged',
    () =>
      subject.join({
        silos: silos.map(({ addendFor, ...rest }) => ({ ...rest, answer: addendFor })) as never,
      }),
    invalid,
  );
  for (const sums of [
    { corrupted: 1, survivors: 2 },
    { corrupted: 3, survivors: 3 },
    { corrupted: 0, survivors: 1 },
    { corrupted: 0, survivors: 4 },
    { corrupted: -1, survivors: 3 },
  ])
    yield unlessRefused(`sums with ${JSON.stringify(sums)}`, () => open(0, sums), invalid);
  const [split, , push] = queriesOf(curator.allRecords);
  const mean = conversation(curator.allRecords)[5];
  const fresh = (): OpenAddendSilo => {
    const silo = open(0);
    silo.addendFor(0, copyOf(split));
    return silo;
  };
  const { normalisers: _normalisers, ...alone } = opening();
  for (const [what, query] of [
    ['a mean', mean],
    ['noise in doubles', { ...alone, noise: { ...alone.noise, mechanism: mechanismNamed('gaussian') } }],
    [
      'noise whose shares do not add up',
      { ...alone, noise: { ...alone.noise, mechanism: mechanismNamed('whole') } },
    ],
    ['a noise factor', { ...alone, noiseFactors: [2] }],
    ['no noise', { ...alone, noise: { ...alone.noise, target: { unprotected: true } } }],
    ['a clip without a grid', { ...alone, bound: { by: 'clip', clip: ball(radius) } }],
  ] as const) {
    const silo = fresh();
    yield unlessRefused(
      `${what} of a silo of secure sums`,
      () => silo.addendFor(1, copyOf(query as Query)),
      refusals,
    );
    yield silo.recorded() === 1 ? undefined : { what: `${what} is refused and leaves a trace` };
  }
  const joint = join(sizes.map((_, i) => open(i)));
  joint.answer(0, copyOf(split));
  joint.answer(1, opening());
  yield unlessRefused('a second stream', () => joint.answer(2, opening()), refusals);
  joint.answer(2, copyOf(push));
  yield unlessRefused(
    'a push that was answered, about another point',
    () =>
      joint.answer(2, {
        ...push,
        of: { terms: [{ weight: 1, at: new Float64Array(dimension).fill(0.25) }] },
      } as Query),
    ['corrupt'],
  );
}

const oneStream = defineOptimizer({
  ...plain,
  name: 'laws/one-stream',
  params: z.strictObject({
    clip: referenceTo('clip'),
    mechanism: referenceTo('mechanism'),
    prefixSum: referenceTo('prefixSum'),
  }),
  needs: {},
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['secure-aggregation'],
  privacyRestsOn: 'clip',
  stopping: 'fixed',
  facts: {},
  plan: ({ params }) => ({ ...params, utility: null }),
  *steps({ plan, start, allRecords, parts }) {
    const batches = yield* ask.split({
      of: allRecords,
      order: 'stored',
      parts: { by: 'count', count: steps },
    });
    const { ask: _, ...stream } = opening({
      bound: { by: 'clip', clip: plan.clip },
      prefixSum: plan.prefixSum,
    });
    const opened = yield* ask.open({
      ...stream,
      noise: { mechanism: plan.mechanism, target: { noiseMultiplier: multiplier } },
    });
    const x = start.slice();
    for (const [, batch] of parts(batches)) {
      const increment = yield* ask.push({ stream: opened, batch, at: x });
      for (let j = 0; j < x.length; j++) x[j] -= increment[j] / 1000;
    }
    return x;
  },
});

export const secureAgreements = defineLaw<'federation'>({
  id: 'federation/secure-agreements',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-0',
  statement:
    'A silo held to an agreement about secure sums tells no increment but as an addend, which is its ' +
    'running sum: the same for the same points, also after a stop, and refused for others. Of other ' +
    'queries there is no addend. The event of the run is set aside before the first answer.',
  power: 'an increment that is told otherwise, and an addend that changes, at any push',
  cells: underFixed,
  check: (subject, env) => firstOf(kept(subject, defined(env.cell.adjacency))),
});

function* kept(subject: Subject<'federation'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const registry = Object.freeze([...standIns(), oneStream, ...subject.registry]);
  const random = seededRandom('public');
  const start = new Float64Array(dimension).fill(0.1);
  const run = oneStream.prepare({
    problem: {
      adjacency,
      dimension,
      slots: sizes,
      trust: { model: 'secure-aggregation', silos: sizes.length, ...allOfThree },
      domain: around(1),
      loss: loss('linear'),
      capabilities: {},
      facts: {},
    },
    registry,
    budget: { epsilon: 1, delta: 1e-6 },
    params: {
      clip: gridBall(radius, spacing),
      mechanism: mechanismNamed('whole-ruler'),
      prefixSum: prefixSum('prefixes'),
    },
    calibrate: () => {
      throw new Error('nothing is calibrated');
    },
    random,
  });
  const agreement = agreementFor(run, { name: 'run', start, random });
  const open = (store: Store, place?: ReturnType<ReturnType<typeof subject.holdAddends>['place']>) =>
    subject.holdAddends({
      data: openFixture(
        { kind: 'curator', name: 'silo', claims: [], registry, open: centralCurator },
        siloOptions(0, { adjacency, store, run: 'unused' }),
      ).data,
      registry,
      agreement,
      silo: 0,
      random: seededRandom('silo 0'),
      ...(place === null || place === undefined ? {} : { place }),
    });
  const store = memoryStore();
  let silo = open(store);
  yield silo.facts.reserved !== undefined && sameEvent(silo.facts.reserved, run.plan.event)
    ? undefined
    : { what: 'the event of the agreed run is not set aside' };
  yield unlessRefused('an addend of a split', () => silo.addendAt(0, []), refusals);
  silo.answerAt(0, []);
  const opened = silo.answerAt(1, []).answer as Stream;
  void opened;
  let sum = new Float64Array(dimension);
  const free = openAddends(subject, 0, { adjacency, sums: allOfThree }).silo;
  const [split] = queriesOf(free.allRecords);
  free.addendFor(0, split);
  free.addendFor(1, ownOf(opening(), 0));
  for (let t = 0; t < steps; t++) {
    const at = start.map((one) => one / (t + 1));
    yield unlessRefused(`increment ${t} outside a sum`, () => silo.answerAt(2 + t, [at]), refusals);
    const { addend } = silo.addendAt(2 + t, [at]);
    const own = free.addendFor(2 + t, {
      ask: 'push',
      stream: { id: 'run/1' } as Stream,
      batch: { id: `run/0.${t}`, normaliser: 1, size: 'exact', scope: null } as Batch,
      of: { terms: [{ weight: 1, at }] },
    }).answer as Vector;
    sum = sum.map((one, j) => one + own[j]);
    const same = (other: Vector): boolean => other.every((one, j) => one === sum[j]);
    yield same(addend) ? undefined : { what: `addend ${t} is not the running sum` };
    yield same(silo.addendAt(2 + t, [at]).addend)
      ? undefined
      : { what: `addend ${t}, asked again, is another` };
    yield unlessRefused(
      `addend ${t} about another point`,
      () => silo.addendAt(2 + t, [start.map((one) => -one)]),
      ['corrupt'],
    );
    silo = open(store, silo.place());
    yield same(silo.addendAt(2 + t, [at]).addend)
      ? undefined
      : { what: `addend ${t} after a stop is another` };
  }
  yield sameEvent(silo.charged(), run.plan.event)
    ? undefined
    : { what: 'the agreed run costs another event' };
}
