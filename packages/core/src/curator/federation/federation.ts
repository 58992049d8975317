import { sameBytes } from '../../bytes.js';
import { assertOptions, encode, InvalidParameter, Unsupported } from '@lethe/numerics';
import { parallelEvent } from '../../events/build.js';
import { normalEvent } from '../../events/canonical.js';
import type { PrivacyEvent } from '../../events/schema.js';
import type { Registry } from '../../plugins/registry.js';
import { copyAnswer } from '../../query/answers.js';
import type { Query } from '../../query/query.js';
import type { TrustModel } from '../../trust.js';
import { createIntake } from '../intake.js';
import type { Answered, Curator, CuratorFacts } from '../curator.js';
import { isAveraged, isRound } from './averaged.js';
import { commonRecords, joined } from './joined.js';
import {
  assertSilos,
  joinDigests,
  scaleIn,
  splitDigest,
  weightsOf,
  withScale,
  type SiloReply,
} from './members.js';
import type { RawSilo } from './raw-silo.js';
import { serverNoise, type ServerNoise } from './server-noise.js';
import { siloQuery } from './silo-query.js';

/** Silos of one run, and what is made of their answers. */
export interface FederationOptions<R extends SiloReply = SiloReply> {
  /**
   * The curators of the silos, wherever they are: each with its own data set, ledger and randomness, all with
   * one run name.
   */
  readonly silos: readonly Curator<R>[];
  /** Of each silo in averages; they add up to 1. @defaultValue all equal */
  readonly weights?: readonly number[];
  /**
   * Whether a failure means that a silo misses the round; any other ends the run. A silo that is missed adds
   * nothing to a stream, so that its last sum stands in for it; means are those of the other silos. Where no
   * silo answers, the answer is zero. @defaultValue no silo misses a round
   */
  readonly isAbsence?: (error: unknown) => boolean;
}

/**
 * Silos as one curator, whose server need not be trusted: it asks every silo, and averages what they say.
 * Each silo adds its own noise and charges its own ledger, so that the server sees nothing that is not
 * private.
 *
 * An answer comes at once if all silos answer at once, and as a promise otherwise. Queries whose answers
 * cannot be averaged are refused, unless there is one silo only, which answers as it does alone.
 *
 * @throws {InvalidParameter} for silos with different run names or the same randomness, and for weights that do
 * not add up to 1.
 */
export function federation<R extends SiloReply>(options: FederationOptions<R>): Curator<R> {
  assertOptions(options, 'federation');
  const { isAbsence, weights: given } = options;
  const silos = Object.freeze([...options.silos]);
  assertSilos(silos, 'answer', 'central');
  const weights = weightsOf(given, silos.length);
  return joinedCurator<R>({
    silos,
    ask: (silo, index, query) => silos[silo].answer(index, query),
    trust: trustIn('untrusted', silos.length, given === undefined ? undefined : weights),
    weights,
    isAbsence,
  });
}

/** Silos of one run whose server is trusted, and what is made of their sums. */
export interface TrustedFederationOptions<R extends SiloReply = SiloReply> extends Omit<
  FederationOptions<R>,
  'silos'
> {
  readonly silos: readonly RawSilo<R>[];
  /** The mechanisms and prefix sums that the server draws noise by. */
  readonly registry: Registry;
}

/**
 * Silos as one curator, whose server is trusted with their sums: it averages them, and adds one noise to the
 * average, of the scale that the silo needs whose records move it most. Every silo charges its own ledger for
 * it. Noise is added to the sum, whoever answers; where all are silent nothing is released, and the answer is
 * zero.
 *
 * @throws {InvalidParameter} as {@link federation}.
 */
export function trustedFederation<R extends SiloReply>(options: TrustedFederationOptions<R>): Curator<R> {
  assertOptions(options, 'trustedFederation');
  const { isAbsence, weights: given, registry } = options;
  const silos = Object.freeze([...options.silos]);
  assertSilos(silos, 'sumFor', 'federated');
  const weights = weightsOf(given, silos.length);
  const trust = trustIn('trusted', silos.length, given === undefined ? undefined : weights);
  silos.forEach(({ facts }, silo) => {
    if (facts.trust === undefined || sameBytes(encode(facts.trust), encode(trust))) return;
    throw new InvalidParameter(
      `silo ${silo} was opened for trust ${JSON.stringify(facts.trust)}, and the server has ` +
        `${JSON.stringify(trust)}; give both the same number of silos, and the same weights`,
      { silo, trust: facts.trust },
    );
  });
  return joinedCurator<R>({
    silos,
    ask: (silo, index, query) => silos[silo].sumFor(index, query),
    trust,
    weights,
    isAbsence,
    noise: serverNoise({
      shares: silos.map(({ share }) => share),
      isSeeded: silos.some(({ facts }) => facts.simulation),
      mayMiss: isAbsence !== undefined,
      registry: Object.freeze([...registry]),
    }),
  });
}

/** What silos have in common, whether their answers are private or not. */
type Silo<R extends SiloReply = SiloReply> = Pick<
  Curator<R>,
  'facts' | 'allRecords' | 'replay' | 'recorded' | 'spent'
>;
interface Joining {
  readonly silos: readonly Silo[];
  ask(silo: number, index: number, query: Query): SiloReply;
  readonly trust: TrustModel;
  readonly weights: readonly number[];
  readonly isAbsence: ((error: unknown) => boolean) | undefined;
  /** Of a trusted server. */
  readonly noise?: ServerNoise;
}

function joinedCurator<R extends SiloReply>({
  silos,
  ask,
  trust,
  weights,
  isAbsence,
  noise,
}: Joining): Curator<R> {
  if (isAbsence !== undefined && typeof isAbsence !== 'function')
    throw new InvalidParameter('isAbsence is a function of an error', {});
  const take = createIntake();
  const places = createPlaces(silos);
  const only = silos.length === 1 && noise === undefined;
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
  const askOne = (silo: number, index: number, query: Query): SiloReply | undefined => {
    if (places.hasMissed(silo, index)) return undefined;
    try {
      const reply = ask(silo, places.indexAt(silo, index), siloQuery(query, silo, silos.length));
      return reply instanceof Promise
        ? (reply.catch((error: unknown) => absentOr(query, error)) as Promise<Answered>)
        : reply;
    } catch (error) {
      return absentOr(query, error);
    }
  };
  const settle = (index: number, query: Query, replies: readonly (Answered | undefined)[]): Answered => {
    const digests = joinDigests(replies.map((reply) => reply?.digest ?? null));
    if (places.isLast(index) && last?.digests === digests)
      return { answer: copyAnswer(query, last.told.answer), digest: last.told.digest };
    const joint = joined({ query, said: replies, weights, dimension: dimensionOf(query) });
    const { answer, scale } =
      noise === undefined
        ? { answer: joint }
        : noise.add({ query, index, digest: digests, answer: joint, ...owed(query, replies) });
    places.settle(
      index,
      replies.map((reply) => reply !== undefined),
    );
    const digest = withScale(digests, scale);
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
  const assertPlace = (index: number): void => {
    if (isAbsence !== undefined) places.assertNext(index);
  };

  return {
    facts: factsOf(silos, trust, isAbsence !== undefined),
    allRecords: commonRecords(silos.map(({ allRecords }) => allRecords)),
    answer(index, posed) {
      const query = takeIn(posed);
      assertPlace(index);
      const replies = silos.map((_, silo) => askOne(silo, index, query));
      return inOrder(replies, (all) => settle(index, query, all)) as R;
    },
    replay(index, posed, digest) {
      const query = takeIn(posed);
      assertPlace(index);
      const [digests, scale] = scaleIn(digest);
      const parts = splitDigest(digests, silos.length);
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
        if (isThere.includes(true)) noise?.replayed(query, digests, scale);
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
function inOrder<T, U>(values: readonly (T | Promise<T>)[], then: (all: readonly T[]) => U): U | Promise<U> {
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

const trustIn = (
  server: 'trusted' | 'untrusted',
  silos: number,
  weights: readonly number[] | undefined,
): TrustModel =>
  Object.freeze({
    model: 'federated' as const,
    silos,
    server,
    ...(weights === undefined ? {} : { weights }),
  });

function factsOf(silos: readonly Silo[], trust: TrustModel, mayMiss: boolean): CuratorFacts {
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
    assumptions: Object.freeze([...new Set(facts.flatMap(({ assumptions }) => assumptions))]),
  });
}

/** Entries of the answer to a query about points; 0 where it has none. */
function dimensionOf(query: Query): number {
  if (query.ask === 'localUpdate') return query.from.length;
  if (query.ask !== 'mean' && query.ask !== 'push') return 0;
  return query.of.coordinates?.length ?? query.of.terms[0]?.at.length ?? 0;
}

/** Which query each silo is at: a silo that misses one has answered fewer than the federation. */
interface Places {
  hasMissed(silo: number, index: number): boolean;
  isLast(index: number): boolean;
  indexAt(silo: number, index: number): number;
  settle(index: number, isThere: readonly boolean[]): void;
  /** @throws {Unsupported} unless the query is the next one, or the last. */
  assertNext(index: number): void;
  recorded(): number;
}

function createPlaces(silos: readonly Silo[]): Places {
  const missed = silos.map(() => 0);
  let last: { readonly index: number; readonly isThere: readonly boolean[] } | undefined;
  return {
    isLast: (index) => last?.index === index,
    hasMissed: (silo, index) => last?.index === index && !last.isThere[silo],
    // A silo that may skip queries is told the federation's number.
    indexAt: (silo, index) => (silos[silo].facts.gaps === true ? index : index - missed[silo]),
    settle(index, isThere) {
      if (last?.index === index) return;
      isThere.forEach((here, silo) => (missed[silo] += here ? 0 : 1));
      last = { index, isThere };
    },
    assertNext(index) {
      const next = last === undefined ? 0 : last.index + 1;
      if (index <= next) return;
      throw new Unsupported(
        'a run whose silos may miss rounds is resumed answer by answer: keep a transcript without ' +
          'checkpoints, by checkpointEvery: Infinity',
        { index, next },
      );
    },
    recorded: () => Math.min(...silos.map((silo, i) => silo.recorded() + missed[i])),
  };
}
