import { randomBytes } from 'node:crypto';
import {
  InvalidParameter,
  type LetheError,
  Unsupported,
  type Adjacency,
  type Answered,
  type Curator,
  type PrivacyEvent,
  type Store,
  type Vector,
} from '@lethe/core';
import {
  pointsOf,
  withRetries,
  type AddendSilo,
  type Link,
  type RawSilo,
  type RetryOptions,
} from '@lethe/curator/federation';
import { encode } from '@lethe/numerics';
import {
  answerFlags,
  answerFrom,
  largestBodies,
  namedQueryParts,
  pointsParts,
  queryFlags,
  queryParts,
} from './bodies.js';
import { joinedBytes, type Parts } from './bytes.js';
import { bytesOf } from '@lethe/numerics';
import {
  boundTo,
  createAssembler,
  cutFrames,
  framesOf,
  framesSize,
  isFrom,
  kinds,
  planIn,
  type Expected,
  type Kind,
  type Message,
} from './frame.js';
import { pairKeys, partyOfSilo, server, type PairKeys, type Party } from './frame-keys.js';
import { publicIdentity, type Identity, type PublicIdentity } from './identity.js';
import { endText, isAggregatorTrusted, isSecure, signedText, type SealedPlan } from './plan.js';
import type { PointsForAll } from './points-for-all.js';
import { isPassing, refusal, refusalBytes, refusalFrom, refusalOf } from './refusal.js';
import { acceptanceForm, helloForm, introductionForm, saidIn, standingForm } from './said.js';
import { unseal } from './seal.js';
import { replyKind } from './secure-sum/over-links.js';
import { openSums } from './sums.js';
import { longestReason, noPlan, noRun, protocolVersion, shareName, stranger } from './silo.js';

/** What travelled between the server and one silo. */
export interface Traffic {
  /** Requests that had a reply, and requests in all. */
  replies: number;
  requests: number;
  /** Bytes in both directions: of frames, repeated ones included, and of points sent to all silos. */
  sent: number;
  received: number;
  /** Seconds that replies took, in all and at most, by the clock given. */
  waited: number;
  longest: number;
}

/** How a silo is reached. */
export interface RemoteSiloOptions extends RetryOptions {
  readonly link: Link;
  readonly identity: Identity;
  /** The silo's key, as its owner gave it by hand. */
  readonly siloKey: PublicIdentity;
  /**
   * Sends points once to all silos of the server. @defaultValue each silo is sent its points in its queries
   */
  readonly points?: PointsForAll;
  /** Seconds from any moment on, for {@link Traffic}. @defaultValue no clock: nothing is timed */
  readonly clock?: () => number;
  /**
   * Where the last sums of the silo are kept, in runs with gaps: a server that restarts needs them.
   * @defaultValue in memory
   */
  readonly store?: Store;
}

/** What a silo says of itself before there is a plan. */
export interface SiloIntroduction {
  readonly records: number;
  readonly adjacency: Adjacency;
  readonly unit: 'record' | 'owner';
  /** The run it takes part in; `null` for none. */
  readonly run: string | null;
}

/** What every silo of a run has, as its server reaches it. */
interface Reached {
  readonly traffic: Readonly<Traffic>;
  /** Tells the silo that the run is over. @returns what it has spent. */
  end(reason: string): Promise<PrivacyEvent>;
}
/** A silo of a run, as its server reaches it. */
export interface RemoteSilo extends Curator<Promise<Answered>>, Reached {}
/** The same for a server that is trusted with sums without noise, over sealed messages. */
export interface RemoteRawSilo extends RawSilo<Promise<Answered>>, Reached {}

/** The same for secure sums, of which it takes the steps. */
export interface RemoteAddendSilo extends AddendSilo<Promise<Answered>>, Reached {
  /** Whether it had answered queries of the run before. */
  readonly hasBegun: boolean;
  /** Sends a message of a sum. @returns the body of its reply. */
  sumStep(message: Outgoing): Promise<Uint8Array>;
  /** One more than the number of the last query whose answer the server has; 0 for none. */
  known(): number;
  /** The points of a push that the silo does not know. */
  pointsBody(index: number, points: readonly Vector[]): Uint8Array;
  /** Notes that the silo's addend is in the sum of a push. */
  follow(index: number, points: readonly Vector[]): void;
}

/** A message to a silo. */
export interface Outgoing {
  readonly kind: Kind;
  readonly round: number;
  readonly attempt?: number;
  readonly body: Uint8Array | Parts;
}

interface Channel {
  /** Of the silo. */
  readonly name: string;
  readonly traffic: Traffic;
  /** @throws the silo's refusal; or {Unsupported} when no attempt had a reply. */
  ask(message: Outgoing & { readonly flags?: number }, reply: Kind): Promise<Message>;
}

interface ChannelOptions {
  readonly keys: PairKeys;
  /** Those of silos without a plan. */
  readonly lost: PairKeys;
  readonly party: Party;
  readonly run: Uint8Array;
  readonly plan: Uint8Array;
  readonly largest: number;
  readonly name: string;
  readonly traffic: Traffic;
}

const noTraffic = (): Traffic => ({
  replies: 0,
  requests: 0,
  sent: 0,
  received: 0,
  waited: 0,
  longest: 0,
});

/** One pair of parties, in one run: frames of a request, and the authentic reply to it. */
function channel(
  { link, clock = () => 0, ...retry }: RemoteSiloOptions,
  { keys, lost, party, run, plan, largest, name, traffic }: ChannelOptions,
): Channel {
  const expected: Expected = { key: keys.received, from: party, to: server, run, plan, largest };
  const isIntroduction = party === stranger;
  /** What a refusal, or a stranger's reply, has to be: one to these frames, and to no request before. */
  const boundReply = (frame: Uint8Array, frames: Uint8Array): Expected => {
    const bound = planIn(frame);
    const isStranger = isFrom(frame, stranger);
    const key = isStranger && !isIntroduction ? null : keys.sent;
    if (cutFrames(frames).some((one) => Buffer.compare(boundTo(one, key), bound) === 0))
      return isStranger
        ? { ...expected, key: lost.received, from: stranger, run: noRun, plan: bound }
        : { ...expected, plan: bound };
    throw refusal(
      'wrong-plan',
      'a reply arrived that is to another request, to one that was changed on its way, or of an earlier ' +
        'version of the protocol, or the silo was given the key of another server',
      {},
    );
  };
  /** The reply to a request: not one to another that came late. */
  const replyIn = (bytes: Uint8Array, frames: Uint8Array, { round, attempt = 0 }: Outgoing): Message => {
    const assembler = createAssembler();
    for (const frame of cutFrames(bytes)) {
      const isStranger = isFrom(frame, stranger);
      const isBound = isStranger || frame[4] === kinds.refusal;
      const message = assembler.take(frame, isBound ? boundReply(frame, frames) : expected);
      // A silo that has lost its plan refuses as a stranger.
      if (isStranger && !isIntroduction) return refusalOnly(name, message);
      if (message?.round === round && message.attempt === attempt) return message;
    }
    throw refusal('wrong-length', 'a reply arrived without all its parts, or to another request', {});
  };
  return {
    name,
    traffic,
    async ask({ flags = 0, ...message }, reply) {
      const { kind, round, attempt = 0, body } = message;
      const named = { run: isIntroduction ? new Uint8Array(randomBytes(16)) : run, plan };
      const frames = framesOf(
        { kind, flags, from: server, to: party, attempt, round, ...named },
        body,
        keys.sent,
      );
      let refused: LetheError | undefined;
      const said = await withRetries(async () => {
        const begun = clock();
        traffic.requests += 1;
        traffic.sent += frames.length;
        // A reply belongs to whoever asked; as plain bytes, since slices of a Buffer share memory.
        const bytes = bytesOf(await link.request(frames, framesSize(largest)));
        traffic.received += bytes.length;
        const back = replyIn(bytes, frames, message);
        // Of the same sum perhaps, and kept by somebody: the right one may come.
        if (back.kind !== reply && back.kind !== 'refusal')
          throw refusal('wrong-kind', `silo '${name}' replied with '${back.kind}' to '${kind}'`, {});
        const waited = clock() - begun;
        traffic.replies += 1;
        traffic.waited += waited;
        traffic.longest = Math.max(traffic.longest, waited);
        if (back.kind !== 'refusal') return back;
        const error = refusalFrom(back.body);
        if (isPassing(refusalOf(error))) throw error;
        refused = refusedBy(name, error);
        return back;
      }, retry).catch((cause: unknown) => {
        throw outOfReach(name, cause);
      });
      if (refused !== undefined) throw refused;
      return said;
    },
  };
}

/** A refusal that says whose it is. */
const refusedBy = (name: string, error: LetheError): LetheError =>
  refusal(
    refusalOf(error) ?? 'failed',
    `silo '${name}' refuses (${refusalOf(error) ?? 'failed'}): ${error.message}`,
    { ...plainDetails(error), silo: name },
  );
const plainDetails = ({ details }: LetheError): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(details).filter((entry): entry is [string, string | number] =>
      ['string', 'number'].includes(typeof entry[1]),
    ),
  );

/** What a silo says that does not know the plan of the run. */
function refusalOnly(name: string, message: Message | undefined): Message {
  if (message?.kind === 'refusal') {
    if (refusalOf(refusalFrom(message.body)) !== 'no-plan') return message;
    const lost = refusal(
      'rolled-back',
      `silo '${name}' agreed to this plan, and does not know it any more: its files were lost, or restored ` +
        'from before the run. The run cannot go on; what it has answered stays spent.',
      { silo: name },
    );
    return { ...message, body: refusalBytes(lost) };
  }
  throw refusal('wrong-party', 'a stranger replied with something else than a refusal', {});
}

function outOfReach(name: string, cause: unknown): LetheError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Unsupported(
    `silo '${name}' is out of reach: ${reason}. When it is back, resume the run.`,
    { silo: name },
    { cause },
  );
}

const keysOfStrangers = ({ identity, siloKey }: RemoteSiloOptions): PairKeys =>
  pairKeys({ own: identity, other: siloKey, ownParty: server, otherParty: stranger }, noPlan, 'frame');

function introductionTo(options: RemoteSiloOptions, name: string): Channel {
  const keys = keysOfStrangers(options);
  const largest = 64 * 1024;
  return channel(options, {
    keys,
    lost: keys,
    party: stranger,
    run: noRun,
    plan: noPlan,
    largest,
    name,
    traffic: noTraffic(),
  });
}

/**
 * Asks a silo what it is, before there is a plan.
 *
 * @throws {Unsupported} for a silo out of reach, or of another version.
 */
export async function meetSilo(name: string, options: RemoteSiloOptions): Promise<SiloIntroduction> {
  const { body } = await introductionTo(options, name).ask(
    { kind: 'hello', round: 0, body: encode({ version: protocolVersion }) },
    'hello',
  );
  const { version } = saidIn(helloForm, body, name);
  if (version !== protocolVersion)
    throw refusal(
      'unknown-version',
      `silo '${name}' speaks version ${String(version)} of the protocol, and this server ` +
        `${protocolVersion}; install the same version of Lethe on both sides`,
      {},
    );
  return saidIn(introductionForm, body, name);
}

/**
 * Proposes a signed plan to one of its silos and returns the silo as a curator: of each round it is sent the
 * point, and makes the query itself. The same request is sent until there is a reply or the attempts are used
 * up; a silo never answers one query twice with different noise.
 *
 * @param silo - Index in the plan.
 * @throws the silo's refusal, with its code in `details.refusal`; {Unsupported} for a silo out of reach.
 */
export async function remoteSilo(
  sealed: SealedPlan,
  silo: number,
  options: RemoteSiloOptions,
): Promise<RemoteSilo> {
  if (isAggregatorTrusted(sealed.plan))
    throw new InvalidParameter(
      'the plan trusts its server with sums without noise; reach its silos by remoteRawSilo',
      {},
    );
  if (isSecure(sealed.plan))
    throw new InvalidParameter('the plan has secure sums; reach its silos by remoteAddendSilo', {});
  const { answer, share: _, sum: _sum, ...rest } = await reached(sealed, silo, options);
  return { ...rest, answer };
}

/**
 * {@link remoteSilo} for a plan whose server is trusted with sums, for a `trustedFederation`.
 *
 * @throws as {@link remoteSilo}, and for a plan whose server is not trusted.
 */
export async function remoteRawSilo(
  sealed: SealedPlan,
  silo: number,
  options: RemoteSiloOptions,
): Promise<RemoteRawSilo> {
  const { answer, share, sum: _, ...rest } = await reached(sealed, silo, options);
  if (share === null)
    throw new InvalidParameter('the plan does not trust its server; reach its silos by remoteSilo', {});
  return { ...rest, share, sumFor: answer };
}

/**
 * {@link remoteSilo} for a plan with secure sums, for a `secureFederation` with `networkSums`.
 *
 * @throws as {@link remoteSilo}, and for a plan without secure sums.
 */
export async function remoteAddendSilo(
  sealed: SealedPlan,
  silo: number,
  options: RemoteSiloOptions,
): Promise<RemoteAddendSilo> {
  if (!isSecure(sealed.plan))
    throw new InvalidParameter('the plan has no secure sums; reach its silos by remoteSilo', {});
  const { answer, share: _, sum, ...rest } = await reached(sealed, silo, options);
  return { ...rest, ...sum, addendFor: answer };
}

/** Tells a silo that a run is over, or asks what it has cost. @returns what it has spent, where it knows. */
async function saidOf(
  introduction: Channel,
  { digest }: SealedPlan,
  identity: Identity,
  given: string | null,
  answered: number,
): Promise<PrivacyEvent | null> {
  const reason = given?.slice(0, longestReason) ?? null;
  const end =
    reason === null
      ? { plan: digest, reason }
      : { plan: digest, reason, answered, signature: identity.sign(endText(digest, reason)) };
  const { body } = await introduction.ask({ kind: 'end', round: 0, body: encode(end) }, 'end');
  return saidIn(standingForm, body, introduction.name).spent;
}

/**
 * Tells a silo that the run of a plan is over, whether or not it has agreed to it: a silo that has not does
 * not agree any more, and one that has answers nothing more, releases what it set aside and did not answer,
 * and keeps what it answered charged.
 *
 * @param answered - Queries that the silo has answered, as far as the server knows: one that knows of fewer
 *   was rolled back, and releases nothing.
 * @returns what the run has cost there; `null` where it had not begun, or where the silo does not know.
 * @throws as {@link remoteSilo}.
 */
export async function endAtSilo(
  sealed: SealedPlan,
  name: string,
  options: RemoteSiloOptions,
  reason: string,
  answered = 0,
): Promise<PrivacyEvent | null> {
  return await saidOf(introductionTo(options, name), sealed, options.identity, reason, answered);
}

async function reached(
  sealed: SealedPlan,
  silo: number,
  options: RemoteSiloOptions,
): Promise<
  RemoteSilo & {
    readonly share: Uint8Array | null;
    readonly sum: Pick<RemoteAddendSilo, 'hasBegun' | 'sumStep' | 'known' | 'pointsBody' | 'follow'>;
  }
> {
  const { plan } = sealed;
  const planned = plan.silos[silo];
  if (planned === undefined)
    throw new InvalidParameter(`the plan has ${plan.silos.length} silos, and none of index ${silo}`, {
      silo,
    });
  const { name, key } = planned;
  if (key !== options.siloKey.text)
    throw new InvalidParameter(`the plan has another key for silo '${name}'`, { silo });
  const party = partyOfSilo(silo);
  const pair = { own: options.identity, other: publicIdentity(key), ownParty: server, otherParty: party };
  const introduction = introductionTo(options, name);
  const signature = options.identity.sign(signedText('server', sealed.digest));
  const accepted = await introduction.ask(
    { kind: 'plan', round: 0, body: encode({ plan: sealed.bytes, signature }) },
    'accept',
  );
  const said = saidIn(acceptanceForm, accepted.body, name);
  if (!options.siloKey.verify(signedText('silo', sealed.digest), said.signature))
    throw refusal('wrong-signature', `silo '${name}' did not sign the plan`, {});
  const { traffic, ask } = channel(options, {
    keys: pairKeys(pair, sealed.digest, 'frame'),
    lost: keysOfStrangers(options),
    party,
    run: sealed.run,
    plan: sealed.digest,
    largest: largestBodies(plan).toServer,
    name,
    traffic: introduction.traffic,
  });
  const sealKeys = isAggregatorTrusted(plan) ? pairKeys(pair, sealed.digest, 'seal') : null;
  const { dimension } = plan.agreement.plan.problem;
  const sums =
    plan.gaps && !isSecure(plan)
      ? openSums(options.store, {
          run: plan.agreement.run,
          isBegun: said.index !== null,
        })
      : null;
  /** Queries that the silo has answered, and the number of the last. */
  const standingAt = { recorded: said.answered, index: said.index ?? -1 };
  /** The last query that was answered in this conversation, and whether a point was sent so far. */
  let last: { readonly index: number; readonly hasPoint: boolean } | null = null;
  const follow = (index: number, points: readonly Vector[]): void => {
    last = { index, hasPoint: points.length > 0 || last?.hasPoint === true };
    if (index <= standingAt.index) return;
    standingAt.index = index;
    standingAt.recorded += 1;
  };
  /** The silo knows the point of the query before, if it has answered it. */
  const newPoints = (index: number, points: readonly Vector[]): readonly Vector[] =>
    last?.index === index - 1 && last.hasPoint ? points.slice(0, 1) : points;
  const known = (): number => standingAt.index + 1;
  const askAbout = (index: number, points: readonly Vector[]): Promise<Message> =>
    ask({ kind: 'query', round: index, body: queryParts(known(), points) }, 'answer');
  /** The same about a point that is sent to all silos. */
  const askNaming = (index: number, point: Vector, { send }: PointsForAll): Promise<Message> => {
    const body = namedQueryParts(known(), send(point));
    traffic.sent += point.byteLength;
    return ask({ kind: 'query', flags: queryFlags.named, round: index, body }, 'answer');
  };
  const askFirst = (index: number, points: readonly Vector[]): Promise<Message> =>
    points.length === 1 && options.points !== undefined
      ? askNaming(index, points[0], options.points)
      : askAbout(index, points);
  const standing = async (reason: string | null): Promise<PrivacyEvent> => {
    const spent = await saidOf(introduction, sealed, options.identity, reason, standingAt.recorded);
    if (spent === null) throw refusal('ended', `silo '${name}' has ended the run, and does not say its cost`);
    return spent;
  };

  return {
    facts: said.facts,
    allRecords: said.everyone,
    share:
      sealKeys === null || said.share === undefined ? null : unseal(sealKeys.received, shareName, said.share),
    traffic,
    async answer(index, query) {
      const points = pointsOf(query);
      const back = await askFirst(index, newPoints(index, points)).catch(async (error: unknown) => {
        if (refusalOf(error) !== 'lacks-point') throw error;
        return await askAbout(index, points);
      });
      const plain =
        sealKeys === null ? back.body : unseal(sealKeys.received, { round: index, attempt: 0 }, back.body);
      const answered = answerFrom(plain, back.flags, dimension);
      follow(index, points);
      if (sums === null) return answered;
      if ((back.flags & answerFlags.sum) !== 0 && answered.answer instanceof Float64Array)
        return { ...answered, answer: sums.increment(index, answered.answer) };
      sums.pass(index);
      return answered;
    },
    async replay(index, query) {
      // Noted first: an end tells the silo of the answer.
      follow(index, pointsOf(query));
      if (said.index === null || index > said.index)
        throw refusal(
          'rolled-back',
          `the transcript answers query ${index}, and silo '${name}' has none so late: its ledger is ` +
            'older than the transcript, and the run cannot go on',
          { index },
        );
    },
    recorded: () => standingAt.recorded,
    spent: () => standing(null),
    end: (reason) => standing(reason),
    sum: {
      hasBegun: said.index !== null,
      sumStep: async (message) => (await ask(message, replyKind(message.kind))).body,
      known,
      pointsBody: (index, points) => joinedBytes(pointsParts(newPoints(index, points))),
      follow,
    },
  };
}
