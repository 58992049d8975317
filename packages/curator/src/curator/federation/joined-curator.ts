import {
  normalEvent,
  parallelEvent,
  type Answered,
  type Curator,
  type CuratorFacts,
  type PrivacyEvent,
  type PushQuery,
  type Query,
  type TrustModel,
} from '@lethe/core';
import { copyAnswer, createIntake } from '@lethe/core/internal';
import { Corrupt, encode, InvalidParameter, sameBytes, Unsupported } from '@lethe/numerics';
import { isAveraged, isRound } from './averaged.js';
import { commonRecords, joined } from './joined.js';
import { joinDigests, rowIn, splitDigest, withRow, type SiloReply } from './members.js';
import { createPlaces } from './places.js';
import type { ServerNoise } from './server-noise.js';
import { siloQuery } from './silo-query.js';
import type { AskSilo, SecureSums } from './secure-sums.js';
import type { AnsweredSum, SumDecoder } from './sum-decoder.js';

/** What silos have in common, whether their answers are private or not. */
type Silo<R extends SiloReply = SiloReply> = Pick<
  Curator<R>,
  'facts' | 'allRecords' | 'replay' | 'recorded' | 'spent'
>;
/** Silos, and how their answers become one. */
export interface Joining {
  readonly silos: readonly Silo[];
  ask(silo: number, index: number, query: Query): SiloReply;
  readonly trust: TrustModel;
  readonly weights: readonly number[];
  readonly isAbsence: ((error: unknown) => boolean) | undefined;
  /** Of a trusted server. */
  readonly noise?: ServerNoise;
  /** Of secure sums: they answer pushes. */
  readonly secure?: {
    /** Or what makes them of the silos' answers. */
    readonly sums: SecureSums | ((silos: number, ask: AskSilo) => SecureSums);
    readonly decoder: SumDecoder;
  };
}

interface Secure {
  readonly sums: SecureSums;
  readonly decoder: SumDecoder;
}

/** Silos as one curator. */
export function joinedCurator<R extends SiloReply>({
  silos,
  ask,
  trust,
  weights,
  isAbsence,
  noise,
  secure,
}: Joining): Curator<R> {
  if (isAbsence !== undefined && typeof isAbsence !== 'function')
    throw new InvalidParameter('isAbsence is a function of an error', {});
  const take = createIntake();
  const places = createPlaces(silos);
  const only = silos.length === 1 && noise === undefined && secure === undefined;
  let last: { readonly digests: string; readonly told: Answered } | undefined;

  const takeIn = (posed: Query): Query => {
    const { query } = take(posed);
    if (only || isAveraged(query.ask)) return query;
    throw new Unsupported(
      `a federation does not answer '${query.ask}': what silos say to it cannot be averaged. ` +
        'Ask for means, values or streams, or run it on one data set.',
      { ask: query.ask },
    );
  };
  const absentOr = (query: Query, error: unknown): undefined => {
    if (isAbsence !== undefined && isRound(query.ask) && isAbsence(error)) return undefined;
    throw error;
  };
  const askOne: AskSilo = (silo, index, query) => {
    if (places.hasMissed(silo, index)) return undefined;
    try {
      const reply = ask(silo, places.indexAt(silo, index), siloQuery(query, silo, silos.length));
      return reply instanceof Promise ? reply.catch((error: unknown) => absentOr(query, error)) : reply;
    } catch (error) {
      return absentOr(query, error);
    }
  };
  const settle = (index: number, query: Query, replies: readonly (Answered | undefined)[]): Answered => {
    const digests = joinDigests(replies.map((reply) => reply?.digest ?? null));
    if (places.isLast(index) && last?.digests === digests)
      return { answer: copyAnswer(query, last.told.answer), digest: last.told.digest };
    const joint = joined({ query, said: replies, weights, dimension: dimensionOf(query) });
    const { answer, row } =
      noise === undefined
        ? { answer: joint }
        : noise.add({ query, index, digest: digests, answer: joint, ...owed(query, replies) });
    places.settle(
      index,
      replies.map((reply) => reply !== undefined),
    );
    const digest = withRow(digests, row);
    last = { digests, told: { answer: copyAnswer(query, answer), digest } };
    return { answer, digest };
  };
  const owed = (query: Query, replies: readonly (Answered | undefined)[]) => {
    const left = replies.flatMap((reply, silo) =>
      reply?.left === undefined ? [] : [{ weight: weights[silo], noise: reply.left }],
    );
    const total =
      query.ask === 'push' || left.length === silos.length
        ? 1
        : left.reduce((sum, { weight }) => sum + weight, 0);
    return { left, total };
  };
  const bySums =
    secure === undefined
      ? undefined
      : {
          decoder: secure.decoder,
          sums: typeof secure.sums === 'function' ? secure.sums(silos.length, askOne) : secure.sums,
        };
  const mayMiss = isAbsence !== undefined || secure !== undefined;
  const wholeTranscript = mayMiss || noise !== undefined;
  const assertPlace = (index: number): void => {
    if (wholeTranscript) places.assertNext(index);
  };
  let lastSum: { readonly index: number; readonly query: Uint8Array; readonly told: Answered } | undefined;
  /** The answer to a push by a secure sum; asked again, the same. */
  const bySum = (index: number, query: PushQuery, { sums, decoder }: Secure): SiloReply => {
    const bytes = encode(query);
    if (lastSum?.index === index) {
      const { told } = lastSum;
      if (sameBytes(lastSum.query, bytes)) return { ...told, answer: copyAnswer(query, told.answer) };
      throw new Corrupt(
        `query ${index} was answered about other points; nothing is answered twice differently`,
        { index },
      );
    }
    return inOrder([sums.round(index, query)], ([round]) => {
      const { answer, digests }: AnsweredSum = decoder.answer(query, round);
      places.settle(
        index,
        digests.map((digest) => digest !== null),
      );
      const told = { answer, digest: joinDigests(digests) };
      lastSum = { index, query: bytes, told };
      return { ...told, answer: copyAnswer(query, answer) };
    });
  };
  const opened = (index: number, query: Query): void => {
    if (query.ask === 'open') bySums?.decoder.open(`${silos[0].facts.run}/${index}`, query);
  };

  return {
    facts: factsOf(silos, trust, { mayMiss, wholeTranscript }),
    allRecords: commonRecords(silos.map(({ allRecords }) => allRecords)),
    answer(index, posed) {
      const query = takeIn(posed);
      assertPlace(index);
      opened(index, query);
      if (bySums !== undefined && query.ask === 'push') return bySum(index, query, bySums) as R;
      const replies = silos.map((_, silo) => askOne(silo, index, query));
      return inOrder(replies, (all) => settle(index, query, all)) as R;
    },
    replay(index, posed, digest) {
      const query = takeIn(posed);
      assertPlace(index);
      const [digests, row] = rowIn(digest);
      const parts = splitDigest(digests, silos.length);
      opened(index, query);
      const waits = silos.map((silo, i) => {
        const part = parts[i];
        if (part === null) return undefined;
        return silo.replay(places.indexAt(i, index), siloQuery(query, i, silos.length), part) as
          | undefined
          | Promise<undefined>;
      });
      return inOrder(waits, () => {
        const isThere = parts.map((part) => part !== null);
        places.settle(index, isThere);
        if (isThere.includes(true)) noise?.replayed(query, row);
        if (query.ask === 'push') bySums?.sums.replayed(index, query, parts);
      }) as ReturnType<Curator<R>['replay']>;
    },
    recorded: () => places.recorded(),
    spent: () =>
      inOrder(
        silos.map((silo) => silo.spent() as PrivacyEvent | Promise<PrivacyEvent>),
        inSilos,
      ) as ReturnType<Curator<R>['spent']>,
  };
}

/** Calls `then` with all values, now if none is a promise. Nothing is left waiting when one of them fails. */
export function inOrder<T, U>(
  values: readonly (T | Promise<T>)[],
  then: (all: readonly T[]) => U,
): U | Promise<U> {
  if (!values.some((value) => value instanceof Promise)) return then(values as readonly T[]);
  return Promise.allSettled(values).then((all) =>
    then(
      all.map((one) => {
        if (one.status === 'rejected') throw one.reason;
        return one.value;
      }),
    ),
  );
}

/** Costs in silos, whose records are different ones: a record bears the cost of its own silo alone. */
export const inSilos = (events: readonly PrivacyEvent[]): PrivacyEvent => normalEvent(parallelEvent(events));

function factsOf(
  silos: readonly Silo[],
  trust: TrustModel,
  { mayMiss, wholeTranscript }: { readonly mayMiss: boolean; readonly wholeTranscript: boolean },
): CuratorFacts {
  const facts = silos.map((silo) => silo.facts);
  const units = new Set(facts.map(({ unit }) => unit));
  if (units.size > 1)
    throw new InvalidParameter(
      'some silos protect one record, others one owner; attach all data by owners',
      {},
    );
  const reserved = facts.flatMap((one) => one.reserved ?? []);
  return Object.freeze({
    run: facts[0].run,
    simulation: facts.some(({ simulation }) => simulation),
    roots: Object.freeze(
      facts.flatMap(({ root, roots = [] }) => [...roots, ...(root === undefined ? [] : [root])]),
    ),
    trust,
    ...(facts[0].unit === undefined ? {} : { unit: facts[0].unit }),
    ...(reserved.length === silos.length ? { reserved: inSilos(reserved) } : {}),
    ...(mayMiss ? { gaps: true as const } : {}),
    ...(wholeTranscript ? { wholeTranscript } : {}),
    assumptions: Object.freeze([...new Set(facts.flatMap(({ assumptions }) => assumptions))]),
  });
}

/** Entries of the answer to a query about points; 0 where it has none. */
function dimensionOf(query: Query): number {
  if (query.ask === 'localUpdate') return query.from.length;
  if (query.ask !== 'mean' && query.ask !== 'push') return 0;
  return query.of.coordinates?.length ?? query.of.terms[0]?.at.length ?? 0;
}
