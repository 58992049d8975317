import {
  defined,
  IncompatiblePlugins,
  InvalidParameter,
  LetheError,
  Unsupported,
  withRetries,
  type Adjacency,
  type Answered,
  type Batch,
  type Curator,
  type CuratorFacts,
  type Link,
  type PrivacyEvent,
  type Query,
  type RetryOptions,
  type Vector,
} from '@lethe/core';
import { decode, encode } from '@lethe/numerics';
import { answerFrom, largestBody, vectorBytes, wholeFlag } from './bodies.js';
import { createAssembler, cutFrames, framesOf, isFrom, type Expected, type Kind, type Message } from './frame.js';
import { pairKeys, partyOfSilo, server, type PairKeys, type Party } from './frame-keys.js';
import { publicIdentity, type Identity, type PublicIdentity } from './identity.js';
import { signedText, type SealedPlan } from './plan.js';
import { roundQueries } from './queries.js';
import { refusal, refusalFrom, refusalOf } from './refusal.js';
import { unseal } from './seal.js';
import { isPassing, noPlan, noRun, protocolVersion, stranger } from './silo.js';

/** What travelled between the server and one silo. */
export interface Traffic {
  /** Requests that had a reply, and requests in all. */
  replies: number;
  requests: number;
  /** Bytes of frames in both directions, repeated ones included. */
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
  /** Seconds from any moment on, for {@link Traffic}. @defaultValue no clock: nothing is timed */
  readonly clock?: () => number;
}

/** What a silo says of itself before there is a plan. */
export interface SiloIntroduction {
  readonly records: number;
  readonly adjacency: Adjacency;
  readonly unit: 'record' | 'user';
  /** The run it takes part in; `null` for none. */
  readonly run: string | null;
}

/** A silo of a run, as its server reaches it. */
export interface RemoteSilo extends Curator<Promise<Answered>> {
  readonly traffic: Readonly<Traffic>;
  /** Tells the silo that the run is over. @returns what it has spent. */
  end(reason: string): Promise<PrivacyEvent>;
  /** Sends a message of another kind, such as one of a secure sum. @returns its reply. */
  exchange(message: Outgoing, reply: Kind): Promise<Message>;
}

/** A message to a silo. */
export interface Outgoing {
  readonly kind: Kind;
  readonly round: number;
  readonly attempt?: number;
  readonly body: Uint8Array;
}

interface Channel {
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
  const stranded: Expected = { ...expected, key: lost.received, from: stranger, run: noRun, plan: noPlan };
  /** The reply to a request: not one to another that came late. */
  const replyIn = (bytes: Uint8Array, { round, attempt = 0 }: Outgoing): Message => {
    const assembler = createAssembler();
    for (const frame of cutFrames(bytes)) {
      // A silo that has lost its plan refuses as a stranger.
      if (isFrom(frame, stranger) && party !== stranger) return refusalOnly(assembler.take(frame, stranded));
      const message = assembler.take(frame, expected);
      if (message?.round === round && message.attempt === attempt) return message;
    }
    throw refusal('wrong-length', 'a reply arrived without all its parts, or to another request', {});
  };
  return {
    traffic,
    async ask({ flags = 0, ...message }, reply) {
      const { kind, round, attempt = 0, body } = message;
      const frames = framesOf(
        { kind, flags, from: server, to: party, attempt, round, run, plan },
        body,
        keys.sent,
      );
      let refused: LetheError | undefined;
      const said = await withRetries(async () => {
        const begun = clock();
        traffic.requests += 1;
        traffic.sent += frames.length;
        const bytes = await link.request(frames);
        traffic.received += bytes.length;
        const back = replyIn(bytes, message);
        const waited = clock() - begun;
        traffic.replies += 1;
        traffic.waited += waited;
        traffic.longest = Math.max(traffic.longest, waited);
        if (back.kind !== 'refusal') return back;
        const error = refusalFrom(back.body);
        if (isPassing(refusalOf(error))) throw error;
        refused = error;
        return back;
      }, retry).catch((cause: unknown) => {
        throw outOfReach(name, cause);
      });
      if (refused !== undefined) throw refused;
      if (said.kind === reply) return said;
      throw refusal('wrong-kind', `silo '${name}' replied with '${said.kind}' to '${kind}'`, {});
    },
  };
}

function refusalOnly(message: Message | undefined): Message {
  if (message?.kind === 'refusal') return message;
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
    ...{ keys, lost: keys, party: stranger, run: noRun, plan: noPlan, largest, name },
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
  const said = (decode(body) ?? {}) as Partial<SiloIntroduction & { version: number }>;
  if (said.version !== protocolVersion || typeof said.records !== 'number')
    throw refusal(
      'unknown-version',
      `silo '${name}' speaks version ${String(said.version)} of the protocol, and this server ${protocolVersion}; ` +
        'install the same version of Lethe on both sides',
      {},
    );
  return said as SiloIntroduction;
}

/**
 * Proposes a signed plan to one of its silos and returns the silo as a curator: of each round it is sent the point,
 * and makes the query itself. The same request is sent until there is a reply or the attempts are used up; a silo
 * never answers one query twice with different noise.
 *
 * @param silo - Index in the plan.
 * @throws the silo's refusal, with its code in `details.refusal`; {Unsupported} for a silo out of reach.
 */
export async function remoteSilo(
  sealed: SealedPlan,
  silo: number,
  options: RemoteSiloOptions,
): Promise<RemoteSilo> {
  const { plan } = sealed;
  const planned = plan.silos[silo];
  if (planned === undefined)
    throw new InvalidParameter(`the plan has ${plan.silos.length} silos, and none of index ${silo}`, { silo });
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
  const said = decode(accepted.body) as {
    readonly signature: Uint8Array;
    readonly facts: CuratorFacts;
    readonly everyone: Batch;
    readonly recorded: number;
    readonly setup: readonly Uint8Array[];
  };
  if (!options.siloKey.verify(signedText('silo', sealed.digest), said.signature))
    throw refusal('wrong-signature', `silo '${name}' did not sign the plan`, {});
  const { traffic, ask } = channel(options, {
    keys: pairKeys(pair, sealed.digest, 'frame'),
    lost: keysOfStrangers(options),
    party,
    run: sealed.run,
    plan: sealed.digest,
    largest: largestBody(plan),
    name,
    traffic: introduction.traffic,
  });
  const sealKeys = plan.trust === 'trusted-aggregator' ? pairKeys(pair, sealed.digest, 'seal') : null;
  const queries = roundQueries(plan, silo);
  let recorded = said.recorded;
  const setup: unknown[] = said.setup.map((told) => decode(told));
  let before: Vector | null = null;
  /** Follows a query that was answered, now or before a restart. */
  const follow = (index: number, query: Query): void => {
    if (index >= plan.setup && queries !== null && query.ask === 'push')
      before = defined(query.of.terms[0]).at.slice();
  };
  const bodyOf = (index: number, query: Query): { readonly flags: number; readonly body: Uint8Array } => {
    if (index < plan.setup || queries === null) return { flags: wholeFlag, body: encode(query) };
    const round = index - plan.setup + 1;
    // After a checkpoint the last point is only in the query; the silo goes by its own.
    const last = before ?? (query.ask === 'push' ? (query.of.terms[1]?.at ?? null) : null);
    const point = queries.pointOf(query, { round, before: round === 1 ? null : last, setup });
    return { flags: 0, body: vectorBytes(point) };
  };
  const standing = async (reason: string | null): Promise<PrivacyEvent> => {
    const { body } = await ask({ kind: 'end', round: 0, body: encode({ reason }) }, 'end');
    return (decode(body) as { readonly spent: PrivacyEvent }).spent;
  };

  return {
    facts: said.facts,
    allRecords: said.everyone,
    traffic,
    async answer(index, query) {
      const { flags, body } = bodyOf(index, query);
      const back = await ask({ kind: 'query', round: index, flags, body }, 'answer');
      const plain =
        sealKeys === null ? back.body : unseal(sealKeys.received, { round: index, attempt: 0 }, back.body);
      const answered = answerFrom(plain, back.flags, plan.dimension);
      recorded = Math.max(recorded, index + 1);
      if (index < plan.setup) setup[index] = answered.answer;
      follow(index, query);
      return answered;
    },
    async replay(index, query, digest) {
      if (index >= recorded)
        throw refusal(
          'rolled-back',
          `the transcript answers query ${index}, and silo '${name}' has answered ${recorded}: its ledger is older ` +
            'than the transcript, and the run cannot go on',
          { index, recorded },
        );
      if (digest === '')
        throw new IncompatiblePlugins(`query ${index} of the transcript has no digest`, { index });
      follow(index, query);
    },
    recorded: () => recorded,
    spent: () => standing(null),
    end: (reason) => standing(reason),
    exchange: (message, reply) => ask(message, reply),
  };
}
