import {
  eventKindsOf,
  parseEvent,
  type Answer,
  type Answered,
  type Curator,
  type EventKind,
  type LeftNoise,
  type PrivacyEvent,
  type PrivacyFilter,
  type Query,
  type Ref,
  type Registry,
  type Stream,
  type TrustModel,
  type Vector,
} from '@lethe/core';
import {
  copyAnswer,
  createIntake,
  noteFinite,
  noteMaker,
  pointMemory,
  queryVersion,
  roomOf,
  rootMark,
  version,
} from '@lethe/core/internal';
import {
  assertOptions,
  Corrupt,
  defined,
  encode,
  hexOf,
  IncompatiblePlugins,
  InvalidParameter,
  keyedHash128,
  ownCopy,
  type RandomSource,
  sameBytes,
  secureRandom,
  Unsupported,
} from '@lethe/numerics';
import type { Effect, Entry, Reservation, RunRecord, SlotRange } from '../ledger/index.js';
import { rootPartition } from '../ledger/tally.js';
import { isChangedStore } from './checked-pages.js';
import { pluginMark } from '../optimizer/plugin-mark.js';
import { tokenOf, type Prepared, type PrivateContext, type PublicContext } from './context.js';
import type { DataSet } from './data-set.js';
import { dispatch, type Answers } from './handlers.js';
import { createLiveBatches } from './live-batches.js';
import { createMembers } from './members.js';
import { createPrepaid } from './prepaid.js';
import { rootBatch } from './root-batch.js';
import { registryMark } from './registry-mark.js';
import type { OpenStream, Push } from './stream.js';

/** Data, plugins and randomness of one run. */
export interface CuratorOptions {
  readonly data: DataSet;
  /** Resolves the names in queries; the optimizer's plugins never come along with a query. */
  readonly registry: Registry;
  /** Names the run in the ledger; an existing name goes on with the key it had. */
  readonly run: string;
  /**
   * Root of the curator's randomness, unrelated to the optimizer's. A seeded one makes the run a
   * simulation. @defaultValue `secureRandom()`
   */
  readonly random?: RandomSource;
  /** Public guess of the number of records; needed under add-remove, where the true number is private. */
  readonly publicSlots?: number;
  /**
   * The event the run is planned to cost. It is set aside when the run opens, or refused when the data set's
   * limit has no room for it; what is charged later has to be part of it.
   */
  readonly planned?: PrivacyEvent | undefined;
  /**
   * A filter that the run is held to, for optimizers that decide by their answers what to ask next, and when
   * to stop. The run costs the filter's limit, whatever it asks; `ask.afford` tells it beforehand what there
   * is room for.
   */
  readonly held?: PrivacyFilter | undefined;
  /**
   * Lets queries ask for no noise at all, for baselines on data that need no protection.
   * @defaultValue false
   */
  readonly allowUnprotected?: boolean;
  /**
   * Versions of what the run is made with, by name, such as
   * packages of plugins: the run does not go on with others.
   */
  readonly uses?: Readonly<Record<string, string>>;
}

/** A curator in this process, with what only its owner may use. */
export interface OpenCurator extends Curator<Answered> {
  /** 16 bytes that authenticate the run's transcript; secret, and the same when the run is resumed. */
  readonly transcriptKey: Uint8Array;
  /**
   * Of a curator whose server adds the noise: this silo's share of the server's randomness, 32 bytes, secret.
   */
  readonly share?: Uint8Array;
  /** What the run was really charged; of one that is held to a filter it depends on the answers. */
  charged(): PrivacyEvent;
  /**
   * Ends the run in the ledger, as `endRun` of a ledger: its scopes close, and nothing new is answered. What
   * is on record can still be told again.
   */
  end(options?: { readonly keepReserved?: boolean }): void;
  /** Whether the run has ended in the ledger, by whomever. */
  ended(): boolean;
}

/**
 * The parts of a curator that depend on the trust model: the trusted
 * party, and the handlers of queries.
 */
export interface Model extends Answers {
  readonly trust: TrustModel;
  /** Conditions of every number computed from its events, beyond those that the events carry themselves. */
  readonly assumptions: readonly string[];
  /** Whether answers are left without noise, for a trusted server. */
  readonly isRaw?: true;
  /** As in {@link PublicContext}. */
  readonly noiseShares?: number;
}

/**
 * Opens a run over a data set: ledger, randomness, digests, replay
 * and resumption, the same in every model of trust.
 *
 * @param maker - Name of the public function, for messages.
 * @param modelOf - Called with the data before anything is written; throws to refuse them.
 */
export function openCurator(
  maker: string,
  options: CuratorOptions,
  modelOf: (data: DataSet) => Model,
): OpenCurator {
  assertOptions(options, maker);
  const {
    data,
    registry: given,
    run,
    random,
    publicSlots,
    planned,
    held,
    allowUnprotected = false,
    uses = {},
  } = options;
  if (typeof data?.view !== 'object' || !Array.isArray(given))
    throw new InvalidParameter(`${maker} needs data from attachData and a registry, an array of plugins`, {});
  const { ledger } = data;
  const registry = Object.freeze([...given]);
  if (typeof run !== 'string' || run === '')
    throw new InvalidParameter(
      'a run is named by a text that is not empty; got ' +
        `${typeof run === 'string' ? 'an empty one' : typeof run}`,
      {},
    );
  assertVersions(uses);
  const { trust, assumptions, handlers, openStream, isRaw, noiseShares } = modelOf(data);
  const allRecords = rootBatch(data.slots, ledger.adjacency, publicSlots);
  const reservation = reservationOf(planned, held, eventKindsOf(registry));
  const opened = ledger.openRun(run, random ?? secureRandom(), reservation);
  bindToVersions(opened, data, uses);
  const { entries } = opened;
  // Digests, and randomness with them, belong to this run on this view of the data: under another loss,
  // domain or design the same query is another query, and is refused rather than answered with the same
  // noise.
  const boundTo = encode({
    run,
    view: data.view,
    normaliser: allRecords.normaliser,
    adjacency: ledger.adjacency,
    allowUnprotected,
    ...(trust.model === 'central' ? {} : { trust }),
  });
  const digestKey = keyedHash128(opened.random.fork('digest').key().slice(0, 16), boundTo);
  const queryRoot = opened.random.fork('query');
  let lastRandomness: { readonly label: string; readonly randomness: RandomSource } | undefined;
  /**
   * Of a query, of the queries that made the records that it is about, and of their places: a name of a batch
   * stands for other records where other queries made it.
   */
  const randomnessOf = (index: number, digest: string, effect: Effect): RandomSource => {
    const label = `${index}:${digest}`;
    if (lastRandomness?.label !== label)
      lastRandomness = { label, randomness: below(rangeOf(effect)).fork(label) };
    return lastRandomness.randomness;
  };
  const isWhole = ({ space, from, to }: SlotRange): boolean =>
    space === rootPartition && from === 0 && to === data.slots;
  /** Parts in stored order differ in their ranges alone; in a scope there are none. */
  const below = (range: SlotRange): RandomSource => {
    if (isWhole(range)) return queryRoot;
    const { space, from, to } = range;
    const made = space === rootPartition ? queryRoot : members.randomnessOf(space);
    return scoped.has(space) ? made : made.fork(`${from}-${to}`);
  };
  const rangeOf = ({ space, push, charge, prepaid }: Effect): SlotRange => {
    const of = space?.parent ?? push?.batch;
    return of === undefined ? ((charge ?? prepaid)?.on ?? allRecords.stretch) : stored(of).stretch;
  };
  /** Tells a trusted server apart what records an answer is about. */
  const partOf = (effect: Effect): Pick<LeftNoise, 'part'> => {
    const range = rangeOf(effect);
    return isWhole(range) ? {} : { part: hexOf(below(range).fork('part').key().subarray(0, 16)) };
  };
  /** Tells a trusted server apart what was asked of a stream so far; of a push that was counted. */
  const courseOf = ({ push }: Effect): Pick<LeftNoise, 'course'> => ({
    course: defined(streams.get(defined(push).stream)).course(),
  });
  const streams = new Map<string, OpenStream>();
  const prepaid = createPrepaid();
  /** Spaces of batches that lie in a scope. */
  const scoped = new Set<string>();
  const batches = createLiveBatches(allRecords, ({ stretch: { space } }) => {
    scoped.delete(space);
    members.forget(space);
    prepaid.forget(space);
  });
  const { stored } = batches;
  const members = createMembers(data.slots, registry, stored);

  const streamOf = (token: Stream): OpenStream => {
    const found = streams.get(token.id);
    if (found === undefined)
      throw new InvalidParameter(`stream '${token.id}' was never opened`, { stream: token.id });
    return found;
  };

  const context: PublicContext = {
    registry,
    allowUnprotected,
    ...(isRaw === true ? { isRaw } : {}),
    ...(noiseShares === undefined ? {} : { noiseShares }),
    allRecords,
    adjacency: ledger.adjacency,
    dimension: data.dimension,
    ...(data.paged === null ? {} : { isPaged: true as const }),
    loss: {
      name: data.loss.plugin.name,
      isConvex: data.loss.plugin.capabilities.convex === true,
      isLinear: data.loss.plugin.linear !== null,
    },
    facts: data.facts,
    factsWithin(iterateNorm) {
      const { iterateNorm: _, ...record } = data.domain;
      const within = iterateNorm < Infinity ? { iterateNorm } : {};
      return data.loss.plugin.facts(data.loss.params, { ...record, columns: data.columns, ...within });
    },
    isUnplanned: held !== undefined || (ledger.limit !== null && opened.reserved === null),
    isPrepaid: ({ stretch }) => prepaid.covers(stretch.space),
    batch: ({ id }) => stored(id),
    stream: streamOf,
    scopesFrom: ({ id }) => batches.scopesFrom(id),
    affords: (query, id) => affords(query, id),
  };

  const apply = ({ effect, index, digest }: Entry): void => {
    prepaid.apply(effect);
    batches.apply(effect);
    if (effect.space !== undefined) members.learn(effect.space, () => randomnessOf(index, digest, effect));
    for (const { scope, stretch } of effect.batches ?? []) if (scope !== null) scoped.add(stretch.space);
    if (effect.stream !== undefined) {
      if (openStream === undefined)
        throw new Unsupported(
          `run '${run}' opened a stream, which this curator was made without; ` +
            'add streamAnswers of @lethe/curator to its parts',
          { run },
        );
      streams.set(
        effect.stream.id,
        openStream(effect.stream, data.slots, registry, {
          randomness: randomnessOf(index, digest, effect).fork('stream'),
          membersOf: members.of,
          adjacency: ledger.adjacency,
          ...(noiseShares === undefined ? {} : { shares: noiseShares }),
        }),
      );
    }
    if (effect.push !== undefined) {
      const stream = defined(streams.get(effect.push.stream));
      if (stream.sampling === undefined)
        stream.participants.record(members.of(stored(effect.push.batch)), stream.pushed);
      stream.count(pushOf(digest, effect));
    }
  };
  const pushOf = (digest: string, effect: Effect): Push => {
    const range = rangeOf(effect);
    return { digest, origin: isWhole(range) ? null : below(range) };
  };
  let applied = 0;
  /** Answers are given away; `again` gives the last one as it was. */
  let last:
    | {
        readonly index: number;
        readonly digest: string;
        readonly told: Pick<Answered, 'left'>;
        again(query: Query, room: Vector | null): Answer;
      }
    | undefined;
  const advanceTo = (index: number): void => {
    if (!Number.isSafeInteger(index) || index < 0)
      throw new InvalidParameter(
        `query number ${String(index)} was asked; queries are counted by whole numbers from 0`,
        { index: String(index) },
      );
    if (index > entries.length)
      throw new Corrupt(
        `query ${index} was asked, but the ledger of run '${run}' ends at ${entries.length}: ` +
          'it is older than the transcript. Without its latest state the run cannot go on.',
        { index, recorded: entries.length },
      );
    if (index < applied)
      throw new Corrupt(
        `query ${index} was asked again: this curator has answered ${applied} already, ` +
          'and it answers a run once, in order; only the last query, unchanged, is answered again. ' +
          `To resume the run, or begin it again, make a new ${maker} with this run name on the same ` +
          'ledger, or one opened on its store; for another run, give another name.',
        { index, applied },
      );
    while (applied < index) {
      const after = prepaid.isOpen() ? applied : entries.afterSteps(applied, index);
      if (after === applied) apply(entries.entry(applied++));
      else applied = after;
    }
  };
  const recordsFor = (
    { index, digest, effect }: Omit<Entry, 'run'>,
    room: Vector | null,
  ): PrivateContext => ({
    data,
    room,
    rows: (batch) => members.of(batch),
    sample: (sample) => members.sample(sample, () => randomnessOf(index, digest, effect)),
    stream: streamOf,
    push: () => pushOf(digest, effect),
    randomness: () => randomnessOf(index, digest, effect),
  });
  const used: Ref[] = [];
  const points = pointMemory(digestKey, data.sparePoints);
  const take = createIntake((ref) => used.push(ref), points);
  /** Plugins that queries name for the first time are noted before anything is charged for them. */
  const noteUsed = (): void => {
    for (const { kind, name } of used.splice(0)) {
      const plugin = registry.find((one) => one.kind === kind && one.name === name);
      if (plugin !== undefined) opened.uses(`${kind} '${name}'`, pluginMark(plugin));
    }
  };
  /** A query with its effect: releases from a prepaid scope were charged with it. */
  const preparedOf = (query: Query, id: string): Prepared => {
    const prepared = dispatch(handlers, context, query, id);
    const { charge, ...rest } = prepared.effect;
    if (charge === undefined) return prepared;
    if (!prepaid.covers(charge.on.space)) {
      // Such a scope was opened before there was a limit.
      if (context.isUnplanned && scoped.has(charge.on.space))
        throw new Unsupported(
          'this scope did not state what it costs, and the run has no plan, ' +
            'so that no limit could hold; close it, and draw again with costs',
          { space: charge.on.space },
        );
      return prepared;
    }
    return { ...prepared, effect: { ...rest, prepaid: charge } };
  };
  /**
   * The answer just given, for when its reply was lost: a copy, since its receiver may change it, or for a
   * long one of a repeatable release the release itself. Then it is made of the query that is asked again,
   * which is the same: the memory of the first may hold another point by then.
   */
  const againOf = (
    query: Query,
    answer: Answer,
    { isRepeatable = false, effect }: Prepared,
    index: number,
    digest: string,
  ): ((asked: Query, room: Vector | null) => Answer) => {
    if (isLong(answer) && isRepeatable)
      return (asked, room) => {
        const { release } = dispatch(handlers, context, asked, `${run}/${index}`);
        return released(() => defined(release)(recordsFor({ index, digest, effect }, room)));
      };
    const kept = copyAnswer(query, answer);
    return (asked) => copyAnswer(asked, kept);
  };
  /** Asked while query `applied` is taken in. */
  const affords = (query: Query, id: string): boolean => {
    if (held === undefined)
      throw new Unsupported(
        `run '${run}' is not held to a filter, so there is no limit of its own to compare with; ` +
          'make the curator with held',
        { run },
      );
    const { effect } = preparedOf(query, id);
    // What is on record was decided before the charges that followed it.
    const told = applied < entries.length ? entries.effectAt(applied).affords : undefined;
    return told ?? (effect.prepaid === undefined ? opened.affords(effect) : prepaid.hasRoom(effect.prepaid));
  };
  const notOnRecord = (index: number): Corrupt =>
    new Corrupt(
      `query ${index} of run '${run}' is not the one on record: the optimizer, its plan, ` +
        'its start, its randomness or its data changed since. It is refused, not answered twice.',
      { index },
    );
  const assertSame = (index: number, digest: string, effect: Effect): void => {
    const entry = entries.entry(index);
    if (entry.digest !== digest || !sameBytes(encode(effect), encode(entry.effect))) throw notOnRecord(index);
  };

  const curator: OpenCurator = {
    facts: Object.freeze({
      run,
      simulation: opened.random.kind === 'seeded',
      root: rootMark(opened.random),
      trust,
      ...(data.unit === 'owner' ? { unit: data.unit } : {}),
      ...(opened.reserved === null ? {} : { reserved: opened.reserved }),
      assumptions: Object.freeze([...assumptions]),
    }),
    allRecords: tokenOf(allRecords),
    transcriptKey: opened.random.fork('transcript').key().slice(0, 16),
    ...(isRaw === true ? { share: opened.random.fork('share').key() } : {}),
    answer(index, posed) {
      // Read first: what it is read from may be a function of the caller's, which may ask in turn.
      const room = roomOf(posed);
      if (room !== null) noteFinite(room, false);
      const { query, bytes } = take(posed);
      const digest = hexOf(keyedHash128(digestKey, bytes));
      // Repeats the reply to the last query, if it was lost, for the same query only.
      if (last?.index === index && last.digest === digest)
        return { ...last.told, answer: last.again(query, room), digest };
      advanceTo(index);
      const prepared = preparedOf(query, `${run}/${index}`);
      noteUsed();
      if (prepared.isOfRegistry === true) opened.uses('registry of plugins', registryMark(registry));
      if (index < entries.length) assertSame(index, digest, prepared.effect);
      else {
        if (opened.ended()) throw new Corrupt(`run '${run}' has ended; start a new run`, { run });
        if (prepared.effect.prepaid !== undefined) prepaid.assertRoom(prepared.effect.prepaid);
        ledger.append({ run, index, digest, effect: prepared.effect });
      }
      // While the batch is there, which an answer may be the last about.
      const isMean = prepared.left !== undefined && prepared.left.stream === undefined;
      const part = isMean ? partOf(prepared.effect) : {};
      const answer =
        prepared.release === undefined
          ? prepared.blank()
          : released(() =>
              defined(prepared.release)(recordsFor({ index, digest, effect: prepared.effect }, room)),
            );
      apply({ run, index, digest, effect: entries.effectAt(index) });
      applied = index + 1;
      prepared.confirm?.(context);
      const course = isMean || prepared.left === undefined ? {} : courseOf(prepared.effect);
      const told = prepared.left === undefined ? {} : { left: { ...prepared.left, ...part, ...course } };
      last = { index, digest, told, again: againOf(query, answer, prepared, index, digest) };
      return { ...told, answer, digest };
    },
    replay(index, posed, digest) {
      const { bytes } = take(posed);
      if (index >= entries.length)
        throw new Corrupt(
          `the transcript answers query ${index}, but the ledger of run '${run}' ` +
            `ends at ${entries.length}: it is older than the transcript. ` +
            'Without its latest state the run cannot go on.',
          { index, recorded: entries.length },
        );
      advanceTo(index);
      const entry = entries.entry(index);
      if (entry.digest !== digest || digest !== hexOf(keyedHash128(digestKey, bytes)))
        throw notOnRecord(index);
      apply(entry);
      applied = index + 1;
    },
    recorded: () => entries.length,
    spent: () => ledger.spentBy(run),
    charged: () => ledger.chargedBy(run),
    end(how) {
      points.end();
      return ledger.endRun(run, how);
    },
    ended: () => opened.ended(),
  };
  noteMaker(curator.answer);
  return curator;
}

/** Entries of an answer from which a copy, kept for a reply that may be lost, costs more than it is worth. */
const longAnswer = 4096;
const isLong = (answer: Answer): boolean => answer instanceof Float64Array && answer.length >= longAnswer;

/** What the run sets aside, as the curator's own. */
function reservationOf(
  planned: CuratorOptions['planned'],
  held: CuratorOptions['held'],
  kinds: readonly EventKind[],
): Reservation | undefined {
  if (planned !== undefined && held !== undefined)
    throw new InvalidParameter(
      'a curator takes planned, for a run whose event is known beforehand, or held, ' +
        'for one that decides as it goes; give one of them',
      {},
    );
  if (planned !== undefined) return { planned: parseEvent(ownCopy(planned), kinds) };
  if (held === undefined) return undefined;
  const { rule, spec, limit } = held;
  if (typeof held.admits !== 'function' || typeof rule !== 'string')
    throw new InvalidParameter('held is a privacy filter, as the filter of an accountant makes it', {});
  return {
    held: {
      rule,
      spec: ownCopy(spec),
      limit: parseEvent(ownCopy(limit), kinds),
      admits: (event) => held.admits(event),
      share: (event) => held.share(event),
    },
  };
}

/**
 * Randomness is a function of the query, not of the code that answers it:
 * with other code they would draw the same noise for another value.
 */
function bindToVersions(
  opened: RunRecord,
  { loss: { plugin } }: DataSet,
  uses: Readonly<Record<string, string>>,
): void {
  opened.uses('version of Lethe', version, { always: true });
  opened.uses('version of queries', String(queryVersion), { always: true });
  opened.uses(`loss '${plugin.name}'`, pluginMark(plugin));
  for (const [what, mark] of Object.entries(uses)) opened.uses(what, mark);
}

function assertVersions(uses: unknown): void {
  if (
    typeof uses === 'object' &&
    uses !== null &&
    Object.values(uses).every((mark) => typeof mark === 'string' && mark !== '')
  )
    return;
  throw new InvalidParameter(
    'uses names what the run is made with, each with its version as a text, ' +
      "such as { 'version of my-clip': '1.0.0' }",
    {},
  );
}

/**
 * Runs what reads records. Whatever a plugin throws there may quote them, so none of it crosses to the
 * optimizer: the owner finds it as the cause. That it failed at all is one bit, and ends the run.
 */
function released<A>(release: () => A): A {
  try {
    return release();
  } catch (cause) {
    if (isChangedStore(cause))
      throw new Corrupt(
        'records that are kept outside memory are not those that were attached, or cannot be read; the ' +
          'charge stands. Attach the data again, and resume the run.',
        {},
        { cause },
      );
    throw new IncompatiblePlugins(
      'a plugin failed while it read records; the charge stands. ' +
        'The data owner finds the reason in the cause.',
      {},
      { cause },
    );
  }
}
