import {
  Corrupt,
  memoryStore,
  sameEvent,
  type Adjacency,
  type Answered,
  type Curator,
  type Query,
  type Registry,
  type Store,
  type Vector,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { copyOf } from '../curator/hostile.js';
import { firstOf, unlessRefused } from '../curator/outcomes.js';
import { ball, exactly, mechanismNamed, meanWithin, standIns } from '../curator/stand-ins/index.js';
import { dimension, openRawSilo, openSilo, sizes, weights } from './fixture.js';
import { conversation, linesOf, underFixed } from './joint.js';

/** The queries of a conversation, with another mechanism. */
function withNoise(queries: readonly Query[], name: 'ruler' | 'silent' | 'gaussian'): readonly Query[] {
  return queries.map((query): Query => {
    if (query.ask === 'open') return { ...query, noise: { ...query.noise, mechanism: mechanismNamed(name) } };
    if (query.ask === 'mean')
      return { ...query, mean: meanWithin({ by: 'clip', clip: ball(0.75) }, mechanismNamed(name)) };
    return query;
  });
}

interface Served {
  readonly curator: Curator<Answered>;
  readonly silos: readonly ReturnType<typeof openRawSilo>[];
  /** What silos said, by query. */
  readonly said: (Answered | undefined)[][];
}

const late = new Corrupt('late', {});
function openServer(
  subject: Subject<'federation'>,
  adjacency: Adjacency,
  {
    stores = sizes.map(() => memoryStore()),
    isSilent,
    whenAsked,
    reshared,
    simulatedShares,
  }: {
    readonly stores?: readonly Store[];
    readonly isSilent?: (silo: number, query: Query) => boolean;
    readonly whenAsked?: (silo: number) => void;
    /** The silo whose share of the server's randomness is another. */
    readonly reshared?: number;
    readonly simulatedShares?: number;
  } = {},
): Served {
  const terms = simulatedShares === undefined ? {} : { simulatedShares };
  const silos = stores.map((store, silo) => openRawSilo(subject, silo, { adjacency, store }, terms));
  const said: (Answered | undefined)[][] = [];
  let round = -1;
  const curator = subject.joinTrusted({
    weights,
    ...terms,
    registry: registryOf(subject),
    ...(isSilent === undefined ? {} : { isAbsence: (error: unknown) => error === late }),
    silos: silos.map(({ silo }, i) => ({
      ...silo,
      ...(i === reshared ? { share: silo.share.map((byte) => byte ^ 1) } : {}),
      sumFor(index, query) {
        if (isSilent?.(i, query) === true) throw late;
        const reply = silo.sumFor(index, query);
        whenAsked?.(i);
        said[round][i] = {
          ...reply,
          answer: reply.answer instanceof Float64Array ? reply.answer.slice() : reply.answer,
        };
        return reply;
      },
    })),
  });
  return {
    silos,
    said,
    curator: {
      ...curator,
      answer(index, query) {
        round += 1;
        said.push(sizes.map(() => undefined));
        return curator.answer(index, query);
      },
    },
  };
}

const registryOf = ({ registry }: Subject<'federation'>): Registry => [...standIns(), ...registry];

/** `Σ p_i v_i` of what silos said, over the weights of those that did where it is a mean. */
function averageOf(
  said: readonly (Answered | undefined)[],
  isSum: boolean,
): { readonly value: number[]; readonly total: number } {
  const total = isSum ? 1 : said.reduce((sum, one, i) => sum + (one === undefined ? 0 : weights[i]), 0);
  const value = Array.from({ length: dimension }, (_, j) =>
    said.reduce((sum, one, i) => sum + (one === undefined ? 0 : weights[i] * (one.answer as Vector)[j]), 0),
  );
  return { value: value.map((one) => one / total), total };
}

/** Scale that silo `i` would draw for the last query of the conversation, and for increments. */
const scalesOf = (adjacency: Adjacency, slots: number): number =>
  (1.5 * 0.75 * (adjacency === 'replace-one' ? 2 : 1)) / Math.floor(slots / 4);

export const serverNoise = defineLaw<'federation'>({
  id: 'federation/server-noise',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'A trusted server adds noise to every average of sums, once. ' +
    'To a stream it is of the largest scale p_i s_i of all silos, whoever answers, and a silo that was ' +
    'silent first and needs more is refused; ' +
    'to a mean of some of them of theirs, over their weights. Where nobody answers it tells zeros. ' +
    'In a simulation of secure sums it has √(M/H) times as much.',
  power: 'another scale for any set of silent silos, noise twice, and an answer without any',
  cells: underFixed,
  check: (subject, env) => firstOf(scaled(subject, defined(env.cell.adjacency))),
});

function* scaled(subject: Subject<'federation'>, adjacency: Adjacency): Generator<Violation | undefined> {
  // The silo of the largest scale begins late.
  const { curator: begun } = openServer(subject, adjacency, {
    isSilent: (silo, query) => silo === 0 && query.ask === 'push' && query.batch.id === 'run/0.0',
  });
  const ruled = withNoise(conversation(begun.allRecords), 'ruler');
  const second = ruled.findIndex(({ ask }, k) => ask === 'push' && ruled[k - 1]?.ask === 'push');
  for (let k = 0; k < second; k++) begun.answer(k, copyOf(ruled[k]));
  yield unlessRefused(
    'an increment of a silo that was silent first and needs more noise',
    () => begun.answer(second, copyOf(ruled[second])),
    ['unsupported'],
  );
  const scenes = [
    ...[0, 1, 2, 3, 4, 5, 6, 7].flatMap((set) =>
      [3, 5].map((at) => ({ set, at, simulatedShares: undefined })),
    ),
    { set: 0, at: 3, simulatedShares: 2 },
  ];
  for (const { set, at, simulatedShares } of scenes) {
    const isSilent = (silo: number, query: Query): boolean =>
      Math.floor(set / 2 ** silo) % 2 === 1 &&
      ((at === 3 && query.ask === 'push' && query.batch.id === 'run/0.1') ||
        (at === 5 && query.ask === 'mean'));
    const { curator, said } = openServer(subject, adjacency, {
      isSilent,
      ...(simulatedShares === undefined ? {} : { simulatedShares }),
    });
    const factor = Math.sqrt(sizes.length / (simulatedShares ?? sizes.length));
    const queries = withNoise(conversation(curator.allRecords), 'ruler');
    let total: Vector = new Float64Array(dimension);
    const scales = sizes.map((slots, i) => weights[i] * scalesOf(adjacency, slots));
    for (const [k, query] of queries.entries()) {
      const { answer } = curator.answer(k, copyOf(query));
      if (query.ask !== 'push' && query.ask !== 'mean') continue;
      const there = said[k].some((one) => one !== undefined);
      const got = exactly((answer as Vector).slice());
      if (!there) {
        yield got.every((one) => one === 0)
          ? undefined
          : { what: `where all silos are silent query ${k} is answered`, witness: [...got].join(' ') };
        continue;
      }
      const isSum = query.ask === 'push';
      const { total: share } = averageOf(said[k], isSum);
      total = isSum ? total.map((one, j) => one + got[j]) : got;
      // Beside the ruler's noise no value is left; the noise of a sum is that of its last row, and √T of
      // it.
      const answering = scales.filter((_, i) => isSum || said[k][i] !== undefined);
      const wanted = (factor * Math.max(...answering) * (isSum ? Math.sqrt(4) : 1)) / share;
      const [noise] = total;
      yield Math.abs(noise - wanted) <= 1e-4 * wanted
        ? undefined
        : {
            what: `the noise of ${isSum ? 'sum' : 'mean'} ${k} with silent silos ${set}`,
            measured: noise,
            allowed: wanted,
          };
    }
  }
}

/** What one silo is asked. */
function ownOf(query: Query, silo: number): Query {
  if (query.ask !== 'open') return query;
  const { normalisers = [], ...rest } = query;
  return { ...rest, normaliser: normalisers[silo] };
}

export const serverCharges = defineLaw<'federation'>({
  id: 'federation/server-charges',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-2',
  statement:
    'A silo that trusts its server charges what it would with noise of its own, ' +
    'and before it says anything. It is no curator, its facts name the ' +
    'server and the assumption, and means that are no averages are refused.',
  power: 'another charge, one that comes late, and a server that nobody names',
  cells: underFixed,
  check: (subject, env) => firstOf(charged(subject, defined(env.cell.adjacency))),
});

function* charged(subject: Subject<'federation'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const opened: Served[] = [];
  const counts: number[][] = [];
  const served = openServer(subject, adjacency, {
    whenAsked: (silo) =>
      counts.push([
        silo,
        opened[0]?.silos[silo].fixture.ledger.runs().length ?? 0,
        opened[0]?.silos[silo].silo.recorded() ?? 0,
      ]),
  });
  opened.push(served);
  const queries = conversation(served.curator.allRecords);
  const alone = sizes.map((_, silo) => openSilo(subject, silo, { adjacency }));
  for (const [k, query] of queries.entries()) {
    counts.length = 0;
    served.curator.answer(k, copyOf(query));
    for (const [silo, runs, recorded] of counts)
      yield runs === 1 && recorded === k + 1
        ? undefined
        : { what: `silo ${silo} says something about query ${k} before it is on record` };
    for (const [silo, { ledger, curator }] of alone.entries()) {
      const own = ownOf(query, silo);
      curator.answer(k, copyOf(own));
      yield sameEvent(ledger.total(), served.silos[silo].fixture.ledger.total())
        ? undefined
        : { what: `silo ${silo} charges for query ${k} something else than with noise of its own` };
    }
  }
  const { facts } = served.curator;
  yield facts.trust?.model === 'federated' &&
  facts.trust.server === 'trusted' &&
  facts.assumptions.includes('trusted-server')
    ? undefined
    : { what: 'the facts of the federation do not name the trusted server', witness: JSON.stringify(facts) };
  const { facts: simulated } = openServer(subject, adjacency, { simulatedShares: 2 }).curator;
  yield simulated.assumptions.includes('simulated-sums') && !simulated.assumptions.includes('trusted-server')
    ? undefined
    : { what: 'the facts of a simulation do not say that it is one', witness: JSON.stringify(simulated) };
  yield 'answer' in served.silos[0].silo ? { what: 'a silo without noise is a curator' } : undefined;
  yield unlessRefused(
    'a curator in place of a silo that trusts the server',
    () => subject.joinTrusted({ silos: [alone[0].curator] as never, registry: subject.registry }),
    ['invalid-parameter'],
  );
}

export const serverRandomness = defineLaw<'federation'>({
  id: 'federation/server-coins',
  kind: 'federation',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'A server that is started again gives the same answers, with the same noise, on a grid. With other ' +
    'silos that are silent, the secret of one silo changed, a query asked a second time, or a part of the ' +
    'same name that another split made, its noise is another; so is that of an increment, and of every ' +
    'increment after it where silos and server were all restored from a copy and asked otherwise.',
  power:
    'noise that depends on the server, or that does not depend on any one of the silos, on who answers, on ' +
    'the number of the query, on what made its part, or on what was asked of the stream before',
  cells: underFixed,
  check: (subject, env) => firstOf(drawn(subject, defined(env.cell.adjacency))),
});

function* drawn(subject: Subject<'federation'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const stores = sizes.map(() => memoryStore());
  const first = openServer(subject, adjacency, { stores });
  const queries = conversation(first.curator.allRecords);
  const lines = linesOf(first.curator, queries);
  for (const [k, line] of lines.entries()) {
    const [, answer] = JSON.parse(line) as [string, unknown];
    const entries = Array.isArray(answer) ? answer.filter((one) => typeof one === 'number') : [];
    yield entries.every((one) => Number.isInteger(one * 2 ** 30))
      ? undefined
      : { what: `the answer to query ${k} is on no grid, so that its last digits tell of records` };
  }
  for (let at = 0; at < queries.length; at++) {
    const again = openServer(subject, adjacency, { stores });
    for (let k = 0; k < at; k++)
      again.curator.replay(k, copyOf(queries[k]), JSON.parse(lines[k])[0] as string);
    const rest = queries.slice(at).map((query, k) => {
      const { answer, digest } = again.curator.answer(at + k, copyOf(query));
      return JSON.stringify([digest, answer instanceof Float64Array ? [...answer] : null]);
    });
    const wanted = lines.slice(at).map((line) => {
      const [digest, answer] = JSON.parse(line) as [string, unknown];
      return JSON.stringify([digest, Array.isArray(answer) && typeof answer[0] === 'number' ? answer : null]);
    });
    yield JSON.stringify(rest) === JSON.stringify(wanted)
      ? undefined
      : { what: `a server that goes on at query ${at} answers otherwise` };
  }
  // A server that is started again while the silo of the largest scale is silent keeps the scale of the
  // stream.
  const kept = sizes.map(() => memoryStore());
  const isAway = (silo: number, query: Query): boolean =>
    silo === 0 && query.ask === 'push' && query.batch.id === 'run/0.1';
  const before = openServer(subject, adjacency, { stores: kept, isSilent: isAway });
  const ruled = withNoise(queries, 'ruler');
  const told = ruled.slice(0, 3).map((query, k) => before.curator.answer(k, copyOf(query)));
  const whole = before.curator.answer(3, copyOf(ruled[3]));
  const after = openServer(subject, adjacency, { stores: kept, isSilent: isAway });
  told.forEach(({ digest }, k) => after.curator.replay(k, copyOf(ruled[k]), digest));
  const resumed = after.curator.answer(3, copyOf(ruled[3]));
  yield [...(resumed.answer as Vector)].every((one, j) => one === (whole.answer as Vector)[j])
    ? undefined
    : { what: 'a server that is started again while a silo is silent draws noise of another scale' };
  const goesOn = openServer(subject, adjacency, { stores: kept, isSilent: isAway });
  [...told, whole].forEach(({ digest }, k) => goesOn.curator.replay(k, copyOf(ruled[k]), digest));
  const increments = [null, 1, 2].map((silent) => {
    const served = openServer(subject, adjacency, {
      isSilent: (silo, query) => silo === silent && query.ask === 'push' && query.batch.id === 'run/0.1',
    });
    const at = queries.findIndex((query) => query.ask === 'push' && query.batch.id === 'run/0.1');
    for (let k = 0; k < at; k++) served.curator.answer(k, copyOf(queries[k]));
    const { answer } = served.curator.answer(at, copyOf(queries[at]));
    const { value } = averageOf(served.said[at], true);
    return [...(answer as Vector)].map((one, j) => one - value[j]);
  });
  for (let a = 0; a < increments.length; a++)
    for (let b = 0; b < a; b++)
      yield increments[a].some((one, j) => Math.abs(one - increments[b][j]) < 1e-6)
        ? { what: `with other silos silent, a server draws the same noise of an increment (${a}, ${b})` }
        : undefined;
  const noiseWith = (
    silent: number | null,
    { reshared, repeats = 0, isWhole = false }: NoiseOptions = {},
  ): readonly number[] => {
    const served = openServer(subject, adjacency, {
      ...(reshared === undefined ? {} : { reshared }),
      isSilent: (silo, query) => silo === silent && query.ask === 'mean',
    });
    const last = queries.length - 1;
    for (let k = 0; k < last + repeats; k++) served.curator.answer(k, copyOf(queries[Math.min(k, last)]));
    const asked = copyOf(queries[last]);
    const { answer } = served.curator.answer(
      last + repeats,
      isWhole ? ({ ...asked, batch: served.curator.allRecords } as Query) : asked,
    );
    const { value, total } = averageOf(served.said[last + repeats], false);
    return [...(answer as Vector)].map((one, j) => (one - value[j]) * total);
  };
  const noises = [
    ...[null, 0, 1, 2].map((silo) => noiseWith(silo)),
    ...[0, 1, 2].map((reshared) => noiseWith(null, { reshared })),
    noiseWith(null, { repeats: 1 }),
    // All records have no part whose name tells who answers.
    ...[null, 0, 1, 2].map((silo) => noiseWith(silo, { isWhole: true })),
  ];
  for (let a = 0; a < noises.length; a++)
    for (let b = 0; b < a; b++)
      yield noises[a].some((one, j) => Math.abs(one - noises[b][j]) < 1e-6)
        ? {
            what:
              'with other silos silent, another secret of one, or for a query asked a second time, a ' +
              `server draws the same noise (${a}, ${b})`,
          }
        : undefined;
  // Silos and server that were all restored from before the split, and are asked for another one.
  const [stored, other] = (['stored', 'shuffled'] as const).map((order) => {
    const served = openServer(subject, adjacency);
    served.curator.answer(0, { ...copyOf(queries[0]), order } as Query);
    const { answer } = served.curator.answer(1, copyOf(queries[queries.length - 1]));
    const { value } = averageOf(served.said[1], false);
    return [...(answer as Vector)].map((one, j) => one - value[j]);
  });
  yield stored.some((one, j) => Math.abs(one - other[j]) < 1e-6)
    ? { what: 'a part that another split made under the same name has the same noise' }
    : undefined;
  yield* afterCoursesPart(subject, adjacency, queries);
}

/** Silos and server that were all restored from the start, and are asked otherwise at a step of a stream. */
function* afterCoursesPart(
  subject: Subject<'federation'>,
  adjacency: Adjacency,
  queries: readonly Query[],
): Generator<Violation | undefined> {
  const steps = queries.flatMap(({ ask }, k) => (ask === 'push' ? [k] : []));
  /** Noise of the running sums, which is that of one row each, where the weight of a step is another. */
  const rowsOf = (other: number | null): readonly number[][] => {
    const served = openServer(subject, adjacency);
    let sum: readonly number[] = Array.from({ length: dimension }, () => 0);
    return queries.slice(0, defined(steps.at(-1)) + 1).flatMap((query, k) => {
      const { answer } = served.curator.answer(k, k === other ? reweighed(query) : copyOf(query));
      if (query.ask !== 'push') return [];
      const { value } = averageOf(served.said[k], true);
      sum = sum.map((one, j) => one + (answer as Vector)[j] - value[j]);
      return [[...sum]];
    });
  };
  const earlier = rowsOf(null);
  for (const [at, step] of steps.entries()) {
    const later = rowsOf(step);
    for (const [k, row] of later.entries()) {
      // Far above the steps of the grid that answers are rounded to, and far below the noise.
      const isShared = row.every((one, j) => Math.abs(one - earlier[k][j]) < 1e-3);
      yield isShared === k < at
        ? undefined
        : {
            what: isShared
              ? `where step ${at} was another, the noise of sum ${k} is that of a course that was forgotten`
              : `the noise of sum ${k} depends on step ${at}, which is later`,
          };
    }
  }
}

/** An increment with twice the weights. */
const reweighed = (query: Query): Query =>
  query.ask === 'push'
    ? {
        ...query,
        of: {
          ...query.of,
          terms: query.of.terms.map(({ weight, at }) => ({ weight: 2 * weight, at: at.slice() })),
        },
      }
    : query;

/** Which answer of a server is taken. */
interface NoiseOptions {
  /** The silo whose secret is another. */
  readonly reshared?: number;
  /** Times that the same query was asked before. @defaultValue 0 */
  readonly repeats?: number;
  /** Whether the query is about all records, and not about a part. @defaultValue false */
  readonly isWhole?: boolean;
}
