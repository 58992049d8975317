import {
  Corrupt,
  memoryStore,
  parallelEvent,
  sameEvent,
  seededRandom,
  type Adjacency,
  type Answered,
  type Batch,
  type Query,
  type Stream,
  type Vector,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { everyQuery } from '../curator/every-query.js';
import type { Fixture } from '../curator/fixture.js';
import { under } from '../curator/fixture.js';
import { copyOf } from '../curator/hostile.js';
import { firstOf, outcomeOf, unlessRefused } from '../curator/outcomes.js';
import { ball, mechanismNamed, meanWithin, prefixSum } from '../curator/stand-ins/index.js';
import { dimension, openJoint, openSilo, sizes, weights, type Joint } from './fixture.js';

/** Adjacencies of silos with public sizes. */
export const underFixed = under('replace-one', 'zero-out');

/** The federation as a fixture, by which examples of queries are asked. */
const asFixture = ({ curator, silos: [first] }: Joint): Fixture => {
  let asked = 0;
  return {
    ...first,
    curator,
    allRecords: curator.allRecords,
    asked: () => asked,
    ask<A>(query: Query): A {
      const { answer } = curator.answer(asked, query);
      asked++;
      return answer as A;
    },
  };
};
const entriesOf = (answer: unknown): readonly number[] | null => {
  if (typeof answer === 'number') return [answer];
  return answer instanceof Float64Array ? [...answer] : null;
};
const tokensOf = (answer: unknown): readonly Batch[] =>
  (Array.isArray(answer) ? answer : [answer]).filter(
    (one): one is Batch => typeof one === 'object' && one !== null,
  );
const wholeOnes: ReadonlySet<string> = new Set(['minimiser', 'descend', 'choose', 'select', 'afford']);

export const averages = defineLaw<'federation'>({
  id: 'federation/averages',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'Every silo is asked every query once, and says what it says alone. ' +
    'Vectors and numbers are averaged with the weights; batches have the name that all silos give them, ' +
    'and as many slots as all silos together. What cannot be averaged is refused before a silo is asked.',
  power:
    'another weight, another average, a silo that is not asked, ' +
    'and any kind of query that is joined otherwise',
  cells: underFixed,
  check: (subject, env) => firstOf(everyKind(subject, defined(env.cell.adjacency))),
});

function* everyKind(subject: Subject<'federation'>, adjacency: Adjacency): Generator<Violation | undefined> {
  for (const [what, one] of everyQuery) {
    const joint = openJoint(subject, adjacency);
    const fixture = asFixture(joint);
    const prepared = outcomeOf(() => one.before?.(fixture));
    if ('refused' in prepared) continue;
    const query = one.query(fixture, prepared.value);
    const heardBefore = joint.heard.length;
    const outcome = outcomeOf(() => joint.curator.answer(fixture.asked(), query));
    if (wholeOnes.has(query.ask)) {
      yield 'refused' in outcome && joint.heard.length === heardBefore
        ? undefined
        : { what: `${what} is asked of silos, whose answers to it have no average` };
      continue;
    }
    if ('refused' in outcome) continue;
    const heard = joint.heard.slice(heardBefore);
    yield heard.length === sizes.length
      ? undefined
      : { what: `${what} is asked of ${heard.length} silos of ${sizes.length}` };
    // Each silo alone, asked the same from the start.
    for (const [silo, own] of joint.silos.entries()) {
      const alone = openSilo(subject, silo, { adjacency });
      const asked = joint.heard.filter((line) => line.silo === silo);
      const last = asked.map((line) => alone.curator.answer(line.index, line.query)).at(-1);
      const said = asked.at(-1)?.said;
      yield JSON.stringify(last?.digest) === JSON.stringify(said?.digest) &&
      sameAnswer(last?.answer, said?.answer)
        ? undefined
        : { what: `silo ${silo} says something else to ${what} than it does alone` };
      yield sameEvent(own.ledger.total(), alone.ledger.total())
        ? undefined
        : { what: `silo ${silo} charges something else for ${what} than it does alone` };
    }
    yield sameEvent(joint.curator.spent(), parallelEvent(joint.silos.map(({ ledger }) => ledger.total())))
      ? undefined
      : { what: `after ${what} the federation has not spent what its silos have` };
    yield joins(
      what,
      heard.map(({ said }) => said.answer),
      outcome.value.answer,
    );
  }
}

const sameAnswer = (a: unknown, b: unknown): boolean =>
  JSON.stringify(entriesOf(a) ?? tokensOf(a)) === JSON.stringify(entriesOf(b) ?? tokensOf(b));

function joins(what: string, said: readonly unknown[], answer: unknown): Violation | undefined {
  const entries = entriesOf(answer);
  if (entries === null) {
    const own = tokensOf(answer);
    const bad = own.findIndex((token, k) => {
      const each = said.map((one) => tokensOf(one)[k]);
      const slots = each.reduce((sum, one) => sum + (one.normaliser ?? 0), 0);
      return each.some((one) => one.id !== token.id) || (token.normaliser ?? 0) !== slots;
    });
    return bad < 0 ? undefined : { what: `${what}: name or size of token ${bad} is not that of the silos` };
  }
  const wanted = entries.map((_, j) =>
    said.reduce<number>((sum, one, silo) => sum + weights[silo] * (entriesOf(one) ?? [])[j], 0),
  );
  const j = entries.findIndex(
    (entry, k) => !(Math.abs(entry - wanted[k]) <= 1e-12 * (1 + Math.abs(wanted[k]))),
  );
  return j < 0
    ? undefined
    : { what: `entry ${j} of the answer to ${what} is no average`, measured: entries[j], allowed: wanted[j] };
}

/** A split, a stream and increments of it, and a mean. */
export function conversation(all: Batch): readonly Query[] {
  const point = (value: number): Vector => new Float64Array(dimension).fill(value);
  const batch = (k: number): Batch =>
    ({ id: `run/0.${k}`, normaliser: 1, size: 'exact', scope: null }) as Batch;
  return [
    { ask: 'split', of: all, order: 'stored', parts: { by: 'count', count: 4 } },
    {
      ask: 'open',
      prefixSum: prefixSum('prefixes'),
      steps: 4,
      dimension,
      bound: { by: 'clip', clip: ball(0.75) },
      noise: { mechanism: mechanismNamed('gaussian'), target: { noiseMultiplier: 1.5 } },
      participation: { times: 1, gap: 4 },
      normaliser: 1,
      normalisers: sizes.map((slots) => Math.floor(slots / 4)),
    },
    ...[0, 1, 2].map((k): Query => ({
      ask: 'push',
      stream: { id: 'run/1' } as Stream,
      batch: batch(k),
      of: { terms: [{ weight: 1, at: point(0.1 * k) }] },
    })),
    {
      ask: 'mean',
      of: { terms: [{ weight: 1, at: point(0.5) }] },
      batch: batch(3),
      mean: meanWithin({ by: 'clip', clip: ball(0.75) }, mechanismNamed('gaussian')),
      target: { noiseMultiplier: 1.5 },
    },
  ];
}
/** Asks all queries, and says what was answered as text. */
export const linesOf = (
  curator: { answer(index: number, query: Query): Answered },
  queries: readonly Query[],
): readonly string[] =>
  queries.map((query, index) => {
    const { answer, digest } = curator.answer(index, copyOf(query));
    return JSON.stringify([digest, entriesOf(answer) ?? tokensOf(answer)]);
  });

export const lies = defineLaw<'federation'>({
  id: 'federation/lies',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'An answer of a silo that is not finite, or of another shape, length or name than ' +
    'those of the others, ends the run with a typed error. No part of it is averaged.',
  power: 'any such answer of any silo that is let through',
  cells: underFixed,
  check: (subject, env) => firstOf(lied(subject, defined(env.cell.adjacency))),
});

function* lied(subject: Subject<'federation'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const vectors: readonly (readonly [string, (answer: Vector) => unknown])[] = [
    ['a NaN', (answer) => answer.map((one, j) => (j === 1 ? Number.NaN : one))],
    ['an infinity', (answer) => answer.map((one, j) => (j === 2 ? Infinity : one))],
    ['a longer vector', (answer) => Float64Array.from([...answer, 0])],
    ['a shorter vector', (answer) => answer.slice(1)],
    ['a number', () => 0],
    ['an array of numbers', (answer) => [...answer]],
    ['nothing', () => undefined],
  ];
  const others: readonly (readonly [string, number, (answer: unknown) => unknown])[] = [
    [
      'batches of other names',
      0,
      (answer) => (answer as readonly Batch[]).map((one) => ({ ...one, id: `${one.id}x` })),
    ],
    ['fewer batches', 0, (answer) => (answer as readonly Batch[]).slice(1)],
    [
      'a batch of an infinite size',
      0,
      (answer) => (answer as readonly Batch[]).map((one) => ({ ...one, normaliser: Infinity })),
    ],
    ['a stream of another name', 1, (answer) => ({ ...(answer as Stream), id: 'another' })],
    ...vectors.flatMap(([what, change]) =>
      [2, 5].map((at) => [what, at, change as (answer: unknown) => unknown] as const),
    ),
  ];
  for (const liar of [0, 1, 2])
    for (const [what, at, change] of others) {
      const { curator } = openJoint(subject, adjacency, {
        after: (silo, index, said) =>
          silo === liar && index === at ? ({ ...said, answer: change(said.answer) } as Answered) : said,
      });
      const queries = conversation(curator.allRecords);
      for (let k = 0; k < at; k++) curator.answer(k, copyOf(queries[k]));
      yield unlessRefused(`${what} of silo ${liar}`, () => curator.answer(at, copyOf(queries[at])), [
        'incompatible-plugins',
      ]);
    }
}

export const membership = defineLaw<'federation'>({
  id: 'federation/membership',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-7',
  statement:
    'Silos with the same root of randomness, with other run names, of the shuffle model ' +
    'or without noise, weights that do not add up to 1 and lists that are not as long ' +
    'as there are silos are refused. The roots of all silos are known to the driver.',
  power: 'any of these that is taken',
  cells: underFixed,
  check: (subject, env) => firstOf(refusedSilos(subject, defined(env.cell.adjacency))),
});

function* refusedSilos(
  subject: Subject<'federation'>,
  adjacency: Adjacency,
): Generator<Violation | undefined> {
  const silo = (i: number, given: object = {}) => openSilo(subject, i, { adjacency, ...given }).curator;
  const joined = (silos: readonly unknown[], rest: object = {}) => subject.join({ silos, ...rest } as never);
  const invalid = ['invalid-parameter'] as const;
  yield unlessRefused(
    'one root for two silos',
    () =>
      joined([silo(0, { randomness: seededRandom('same') }), silo(1, { randomness: seededRandom('same') })]),
    invalid,
  );
  yield unlessRefused('two run names', () => joined([silo(0), silo(1, { run: 'another' })]), invalid);
  yield unlessRefused('no silo', () => joined([]), invalid);
  yield unlessRefused('a silo that is none', () => joined([silo(0), {}]), invalid);
  yield unlessRefused(
    'a silo without noise',
    () => {
      const { sumFor, ...rest } = subject.raw({ ...rawOptions(subject, adjacency), silos: 2 });
      return joined([silo(0), { ...rest, answer: sumFor }]);
    },
    invalid,
  );
  for (const bad of [
    [0.5, 0.5],
    [0.5, 0.4, 0.2],
    [1.5, -0.25, -0.25],
    [0.5, 0.5, Number.NaN],
    [1, 0, 0],
  ])
    yield unlessRefused(
      `weights ${bad.join(', ')} for three silos`,
      () => joined([silo(0), silo(1), silo(2)], { weights: bad }),
      invalid,
    );
  const { curator } = openJoint(subject, adjacency);
  const [split, open] = conversation(curator.allRecords);
  curator.answer(0, split);
  yield unlessRefused(
    'two normalisers for three silos',
    () => curator.answer(1, { ...open, normalisers: [1, 1] } as Query),
    invalid,
  );
  const roots = curator.facts.roots ?? [];
  const own = [0, 1, 2].map((i) => silo(i).facts.root);
  yield own.every((root) => root !== undefined && roots.includes(root))
    ? undefined
    : { what: 'the root of some silo is not among the facts of the federation' };
}

const rawOptions = (subject: Subject<'federation'>, adjacency: Adjacency) => {
  const { data } = openSilo(subject, 1, { adjacency });
  return { data, registry: subject.registry, run: 'run', random: seededRandom('raw') };
};

export const siloResume = defineLaw<'federation'>({
  id: 'federation/resume',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'A run that stops between the answers of two silos goes on: with the silos opened again, ' +
    'all queries get the answers they would have had, and every ledger is as if ' +
    'nothing had happened. A query that one silo has answered is not asked otherwise.',
  power: 'an answer, or a charge, that differs after a stop at any query and any silo',
  cells: underFixed,
  check: (subject, env) => firstOf(stopped(subject, defined(env.cell.adjacency))),
});

function* stopped(subject: Subject<'federation'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const whole = openJoint(subject, adjacency);
  const queries = conversation(whole.curator.allRecords);
  const lines = linesOf(whole.curator, queries);
  const totals = whole.silos.map(({ ledger }) => ledger.total());
  for (let at = 0; at < queries.length; at++)
    for (const stopping of [0, 1, 2]) {
      const stores = sizes.map(() => memoryStore());
      const crash = new Error('crash');
      const first = openJoint(subject, adjacency, {
        stores,
        before: (silo, index) => {
          if (silo === stopping && index === at) throw crash;
        },
      });
      for (let k = 0; k < at; k++) first.curator.answer(k, copyOf(queries[k]));
      const end = outcomeOf(() => first.curator.answer(at, copyOf(queries[at])));
      yield 'refused' in end && end.error === crash
        ? undefined
        : { what: `silo ${stopping} failed at query ${at}, and the federation answered` };
      const again = openJoint(subject, adjacency, { stores });
      yield again.curator.recorded() === at
        ? undefined
        : { what: 'queries on record', measured: again.curator.recorded(), allowed: at };
      for (let k = 0; k < at; k++)
        again.curator.replay(k, copyOf(queries[k]), JSON.parse(lines[k])[0] as string);
      const rest = queries.slice(at).map((query, k) => {
        const { answer, digest } = again.curator.answer(at + k, copyOf(query));
        return JSON.stringify([digest, entriesOf(answer) ?? tokensOf(answer)]);
      });
      yield JSON.stringify(rest) === JSON.stringify(lines.slice(at))
        ? undefined
        : { what: `after a stop at query ${at} and silo ${stopping} answers differ` };
      yield again.silos.every(({ ledger }, i) => sameEvent(ledger.total(), totals[i]))
        ? undefined
        : { what: `after a stop at query ${at} and silo ${stopping} a ledger differs` };
      if (stopping === 0 || at < 2) continue;
      const other = openJoint(subject, adjacency, {
        stores: sizes.map(() => memoryStore()),
        before: (silo, index) => {
          if (silo === stopping && index === at) throw crash;
        },
      });
      for (let k = 0; k < at; k++) other.curator.answer(k, copyOf(queries[k]));
      outcomeOf(() => other.curator.answer(at, copyOf(queries[at])));
      const reopened = openJoint(subject, adjacency, { stores: other.stores });
      for (let k = 0; k < at; k++)
        reopened.curator.replay(k, copyOf(queries[k]), JSON.parse(lines[k])[0] as string);
      const changed = copyOf(queries[at]) as Query & {
        of: { terms: readonly { weight: number; at: Vector }[] };
      };
      const moved = {
        ...changed,
        of: { terms: [{ weight: 1, at: new Float64Array(dimension).fill(-0.3) }] },
      } as Query;
      yield unlessRefused(
        `another query ${at} than silo 0 has answered`,
        () => reopened.curator.answer(at, moved),
        ['corrupt'],
      );
    }
}

export const silence = defineLaw<'federation'>({
  id: 'federation/silence',
  kind: 'federation',
  tier: 'exact',
  statement:
    'Where silos may miss rounds, a mean is that of the silos that answer, an increment lacks those ' +
    'of the silent, and where all are silent the answer is zero. Asked again, the answer is the same, ' +
    'and a silo that was silent stays so. A silent silo is charged nothing for the round, ' +
    'and goes on in the next. Other failures, and silence at splits and openings, end the run.',
  power: 'any other answer for any set of silent silos',
  cells: underFixed,
  check: (subject, env) => firstOf(silent(subject, defined(env.cell.adjacency))),
});

function* silent(subject: Subject<'federation'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const late = new Corrupt('late', {});
  for (let set = 0; set < 8; set++) {
    const isSilent = (silo: number): boolean => Math.floor(set / 2 ** silo) % 2 === 1;
    for (const at of [3, 5]) {
      let on = true;
      const { curator, heard, silos } = openJoint(subject, adjacency, {
        before: (silo, _index, query) => {
          const isThere = on && isSilent(silo) && heard.length > 0;
          if (
            isThere &&
            ((at === 3 && query.ask === 'push' && query.batch.id === 'run/0.1') ||
              (at === 5 && query.ask === 'mean'))
          )
            throw late;
        },
        isAbsence: (error) => error === late,
      });
      const queries = conversation(curator.allRecords);
      for (let k = 0; k < at; k++) curator.answer(k, copyOf(queries[k]));
      const before = silos.map(({ ledger }) => ledger.total());
      const from = heard.length;
      const { answer, digest } = curator.answer(at, copyOf(queries[at]));
      const said = heard.slice(from);
      const total = at === 5 ? said.reduce((sum, { silo }) => sum + weights[silo], 0) : 1;
      const wanted = new Float64Array(dimension).map((_, j) =>
        said.length === 0
          ? 0
          : said.reduce((sum, one) => sum + weights[one.silo] * (one.said.answer as Vector)[j], 0) / total,
      );
      const got = answer as Vector;
      yield got.every((one, j) => Math.abs(one - wanted[j]) <= 1e-12)
        ? undefined
        : {
            what: `with silent silos ${set} the answer to query ${at} is another`,
            witness: [...got].join(' '),
          };
      on = false;
      const again = curator.answer(at, copyOf(queries[at]));
      yield again.digest === digest && (again.answer as Vector).every((one, j) => one === got[j])
        ? undefined
        : {
            what: `query ${at}, asked again, has another answer once the silent silos of ${set} would speak`,
          };
      for (const [silo, { ledger }] of silos.entries())
        if (isSilent(silo))
          yield sameEvent(ledger.total(), before[silo])
            ? undefined
            : { what: `silo ${silo} was silent at query ${at} and is charged for it` };
      for (let k = at + 1; k < queries.length; k++) curator.answer(k, copyOf(queries[k]));
      yield silos.every(
        ({ curator: { recorded } }, silo) => recorded() === queries.length - Number(isSilent(silo)),
      )
        ? undefined
        : { what: `a silo that was silent at query ${at} does not go on` };
    }
  }
  for (const [at, error, isAbsence] of [
    [0, late, (one: unknown) => one === late],
    [1, late, (one: unknown) => one === late],
    [3, new Error('another'), (one: unknown) => one === late],
    [3, late, undefined],
  ] as const) {
    const { curator } = openJoint(subject, adjacency, {
      before: (silo, index) => {
        if (silo === 1 && index === at) throw error;
      },
      ...(isAbsence === undefined ? {} : { isAbsence }),
    });
    const queries = conversation(curator.allRecords);
    const outcome = outcomeOf(() =>
      queries.slice(0, at + 1).map((query, k) => curator.answer(k, copyOf(query))),
    );
    yield 'refused' in outcome && outcome.error === error
      ? undefined
      : { what: `a failure of silo 1 at query ${at} that is no absence does not end the run` };
  }
}
