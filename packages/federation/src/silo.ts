import { createHash } from 'node:crypto';
import {
  defined,
  domainAt,
  type Answered,
  type Curator,
  type Link,
  type Query,
  type Store,
  type Vector,
} from '@lethe/core';
import { decode, encode, type Domain } from '@lethe/numerics';
import { assertAgreeable, isWithin, tolerance, type SiloStanding } from './agreement.js';
import { answerBody, largestBody, vectorFrom, wholeFlag } from './bodies.js';
import { createAssembler, cutFrames, framesOf, kinds, type Envelope, type Expected, type Message } from './frame.js';
import { pairKeys, partyOfSilo, server, type PairKeys, type Party } from './frame-keys.js';
import { largestPlan, queriesOf, readPlan, signedText, type PlannedSilo, type SealedPlan } from './plan.js';
import { roundQueries, type RoundQueries } from './queries.js';
import { refusal, refusalBytes, refusalOf, refusing, type RefusalCode } from './refusal.js';
import { seal } from './seal.js';
import { openSiloLog, type StoredAnswer } from './silo-log.js';

/** The party of a silo that has no place in a plan yet. */
export const stranger = 0xffff;
export const noRun = new Uint8Array(16);
export const noPlan = new Uint8Array(32);
export const protocolVersion = 1;

/** What happens at a silo, for its owner. Nothing in it crosses the network. */
export type SiloEvent =
  | { readonly what: 'agreed'; readonly plan: SealedPlan }
  | { readonly what: 'answered'; readonly index: number; readonly of: number; readonly again: boolean }
  | { readonly what: 'warned'; readonly index: number; readonly message: string }
  | { readonly what: 'refused'; readonly code: RefusalCode | 'failed'; readonly error: unknown }
  | { readonly what: 'ended'; readonly reason: string };

/** A silo's data, keys and owner. */
export interface SiloOptions extends SiloStanding {
  /** What the silo has agreed to and sent, with one writer; on disk when an append returns. */
  readonly store: Store;
  /**
   * Opens the run on the silo's own ledger and reserves the event of the plan. Called when the plan is agreed to,
   * and again when the silo goes on after a restart.
   *
   * @throws {BudgetExceeded} when the ledger has no room; {Corrupt} for other data than the run began with.
   */
  open(plan: SealedPlan): Curator<Answered>;
  /** The owner's decision about a plan that has passed all checks. */
  confirm(plan: SealedPlan, own: PlannedSilo): Promise<boolean>;
  /** Takes part in runs whose noise comes from a seed, for tests. @defaultValue false */
  readonly allowSimulation?: boolean;
  /** Ends the run for a point that no step of the method reaches, in place of a warning. @defaultValue false */
  readonly strict?: boolean;
  readonly onEvent?: (event: SiloEvent) => void;
  /** Answers messages of other kinds, such as those of secure sums. */
  readonly extension?: SiloExtension;
}

/** What else a silo answers in an agreed run. */
export interface SiloExtension {
  /** @returns kind and body of the reply. @throws a refusal. */
  reply(message: Message, agreed: Agreed): Promise<{ readonly kind: Message['kind']; readonly body: Uint8Array }>;
}

/** A run that the silo takes part in. */
export interface Agreed {
  readonly sealed: SealedPlan;
  readonly index: number;
  readonly curator: Curator<Answered>;
}

/** Where messages of an agreed run come from and go to. */
interface Address {
  readonly sealed: SealedPlan;
  readonly party: Party;
  readonly keys: PairKeys;
}
interface Running extends Agreed {
  readonly sealKeys: PairKeys | null;
  readonly queries: RoundQueries | null;
  readonly domain: Domain;
}

/** A silo as a link: bytes of frames in, bytes of frames out. `request` never rejects. */
export interface SiloService extends Link {
  /** The run that it takes part in; `null` before it has agreed, and after the end. */
  standing(): { readonly sealed: SealedPlan; readonly answered: number } | null;
}

const retryLater: ReadonlySet<unknown> = new Set(['waiting-for-owner', 'not-stored']);
/** Whether the same request may be answered later. */
export const isPassing = (code: RefusalCode | undefined): boolean => retryLater.has(code);

/**
 * A silo of a federated run: agrees to a signed plan after its owner, reserves the plan's event on its own ledger,
 * and then answers the queries of that plan in order, each once. The last one asked again has the same bytes; any
 * other repetition is refused. Privacy does not depend on the server.
 */
export function siloService(options: SiloOptions): SiloService {
  const { identity, serverKey, store, allowSimulation = false, strict = false, onEvent } = options;
  const log = openSiloLog(store);
  const introduction = pairKeys(
    { own: identity, other: serverKey, ownParty: stranger, otherParty: server },
    noPlan,
    'frame',
  );
  let running: Running | null = null;
  let asked: { readonly digest: Uint8Array; decided?: boolean } | null = null;

  const runningOf = (sealed: SealedPlan, index: number): Running => {
    const pair = { own: identity, other: serverKey, ownParty: partyOfSilo(index), otherParty: server };
    const curator = opened(sealed);
    return {
      sealed,
      index,
      curator,
      sealKeys: sealed.plan.trust === 'trusted-aggregator' ? pairKeys(pair, sealed.digest, 'seal') : null,
      queries: roundQueries(sealed.plan, index),
      domain: domainAt(options.registry, sealed.plan.domain, sealed.plan.dimension),
    };
  };
  const opened = (sealed: SealedPlan): Curator<Answered> => {
    const curator = openedBy(() => options.open(sealed));
    if (curator.facts.simulation && !allowSimulation)
      throw refusal('seeded-coins', 'the noise of this silo comes from a seed, and would protect nobody', {});
    assertSameAge(curator.recorded(), log.agreed() === null ? null : log.last());
    return curator;
  };
  let known: Address | null = null;
  /** The address of the run that was agreed to, whether or not it goes on; `null` before there is one. */
  const address = (): Address | null => {
    const sealed = log.agreed()?.sealed;
    if (sealed === undefined || known?.sealed === sealed) return known;
    const party = partyOfSilo(sealed.plan.silos.findIndex(({ key }) => key === identity.public.text));
    const pair = { own: identity, other: serverKey, ownParty: party, otherParty: server };
    known = { sealed, party, keys: pairKeys(pair, sealed.digest, 'frame') };
    return known;
  };
  /** The run that was agreed to, opened again after a restart. */
  const resumed = (): Running => {
    const { sealed, signature } = defined(log.agreed());
    if (running !== null) return running;
    try {
      running = runningOf(sealed, assertAgreeable(sealed, signature, options));
      return running;
    } catch (error) {
      if (refusalOf(error) === 'rolled-back' && log.ended() === null) end('a log of the silo was rolled back');
      throw error;
    }
  };
  const end = (reason: string): void => {
    log.end(reason);
    running = null;
    onEvent?.({ what: 'ended', reason });
  };

  const assertGoing = (): void => {
    const reason = log.ended();
    if (reason !== null) throw refusal('ended', `the run has ended: ${reason}`, {});
  };

  const agreeTo = async (body: Uint8Array): Promise<Uint8Array> => {
    const { plan: bytes, signature } = (decode(body) ?? {}) as Partial<Record<string, Uint8Array>>;
    if (!(bytes instanceof Uint8Array) || !(signature instanceof Uint8Array))
      throw refusal('malformed-frame', 'a plan arrived without its signature', {});
    const sealed = readPlan(bytes);
    const before = log.agreed();
    const isSame = before !== null && Buffer.compare(before.sealed.digest, sealed.digest) === 0;
    if (before !== null && !isSame && log.ended() === null)
      throw refusal(
        'wrong-plan',
        'this silo is in another run; end that run first, or let its owner end it there',
        {},
      );
    const index = assertAgreeable(sealed, signature, options);
    if (isSame) {
      assertGoing();
      resumed();
    } else {
      decide(sealed, index);
      if (asked?.decided === undefined)
        throw refusal('waiting-for-owner', 'the owner of the silo has not decided yet', {});
      if (!asked.decided) throw refusal('owner-declined', 'the owner of the silo declined the plan', {});
      running = null;
      const next = runningOf(sealed, index);
      log.agree(sealed, signature);
      running = next;
      onEvent?.({ what: 'agreed', plan: sealed });
    }
    return encode({ signature: identity.sign(signedText('silo', sealed.digest)), ...meeting() });
  };
  /** Asks the owner once for each plan. */
  const decide = (sealed: SealedPlan, index: number): void => {
    if (asked !== null && Buffer.compare(asked.digest, sealed.digest) === 0) return;
    const question: { readonly digest: Uint8Array; decided?: boolean } = { digest: sealed.digest };
    asked = question;
    options.confirm(sealed, sealed.plan.silos[index]).then(
      (yes) => {
        question.decided = yes;
      },
      (error: unknown) => {
        question.decided = false;
        onEvent?.({ what: 'refused', code: 'failed', error });
      },
    );
  };
  /** What the server has to know of the silo's curator. */
  const meeting = (): object => {
    const { curator } = defined(running);
    const setup = log.setup().map(({ told }) => defined(told));
    return { facts: curator.facts, everyone: curator.allRecords, recorded: curator.recorded(), setup };
  };

  const answer = (run: Running, { round: index, flags, body }: Message): StoredAnswer => {
    const { sealed, curator } = run;
    const { plan } = sealed;
    const digest = new Uint8Array(createHash('sha256').update(Uint8Array.of(flags)).update(body).digest());
    const last = log.last();
    const next = last === null ? 0 : last.index + 1;
    if (last !== null && index === last.index) {
      if (Buffer.compare(last.digest, digest) === 0) return last;
      throw refusal(
        'changed-round',
        `query ${index} was answered, and is asked now in another form; it is not answered twice`,
        { index },
      );
    }
    if (index >= queriesOf(plan))
      throw refusal('beyond-plan', `query ${index} is beyond the ${queriesOf(plan)} of the plan`, { index });
    if (index < next)
      throw refusal('past-round', `query ${index} is past; the last one answered is ${next - 1}`, { index });
    if (index > next)
      throw refusal('skipped-round', `query ${index} skips ${index - next}; the next one is ${next}`, { index });
    const isSetup = index < plan.setup;
    const { query, point } = queryOf(run, { index, flags, body }, last);
    if (point !== null) assertPoint(run, { index, point, before: last?.point ?? null });
    const answered = answeredBy(() => curator.answer(index, query));
    const { body: plain, flags: form } = answerBody(answered);
    const sealedBody =
      run.sealKeys === null ? plain : seal(run.sealKeys.sent, { round: index, attempt: 0 }, plain);
    const stored: StoredAnswer = {
      index,
      digest,
      point,
      flags: form,
      body: sealedBody,
      told: isSetup ? encode(answered.answer) : null,
    };
    log.answered(stored);
    return stored;
  };
  const assertPoint = (
    { domain, sealed: { plan } }: Running,
    { index, point, before }: { readonly index: number; readonly point: Vector; readonly before: Vector | null },
  ): void => {
    const t = index - plan.setup + 1;
    const fault = pointFault(domain, point, before, t);
    if (fault === null) return;
    if (strict) throw refusal(fault.code, fault.message, { index });
    onEvent?.({ what: 'warned', index, message: fault.message });
  };
  const queryOf = (
    { queries, sealed: { plan } }: Running,
    { index, flags, body }: { readonly index: number; readonly flags: number; readonly body: Uint8Array },
    last: StoredAnswer | null,
  ): { readonly query: Query; readonly point: Vector | null } => {
    const isSetup = index < plan.setup;
    const isWhole = flags === wholeFlag;
    if (flags > wholeFlag || isWhole !== (isSetup || queries === null))
      throw refusal('wrong-query', `query ${index} travels in a form that the plan does not have`, { index, flags });
    if (isWhole) {
      const query = decode(body) as Query;
      if (queries !== null) queries.checkSetup(query, index);
      return { query, point: null };
    }
    const point = vectorFrom(body, plan.dimension);
    const round = index - plan.setup + 1;
    const before = round === 1 ? null : (last?.point ?? null);
    if (round > 1 && before === null)
      throw refusal('rolled-back', 'the silo has lost the point of the last round; the run cannot go on', { index });
    const setup = log.setup().map(({ told }) => decode(defined(told)));
    return { query: defined(queries).queryOf({ round, point, before, setup }), point };
  };

  const assembler = createAssembler();
  const reply = async (frame: Uint8Array): Promise<Uint8Array | null> => {
    const isIntroduction = frame[4] === kinds.hello || frame[4] === kinds.plan;
    let keys = introduction;
    let own = stranger;
    let run: Uint8Array = noRun;
    let plan: Uint8Array = noPlan;
    let largest = largestPlan + 1024;
    let round = 0;
    let attempt = 0;
    const framed = (kind: Envelope['kind'], flags: number, body: Uint8Array): Uint8Array =>
      framesOf({ kind, flags, from: own, to: server, attempt, round, run, plan }, body, keys.sent);
    try {
      const at = isIntroduction ? null : address();
      if (at !== null) {
        ({ keys, party: own } = at);
        ({ run, digest: plan } = at.sealed);
        largest = largestBody(at.sealed.plan);
      } else if (!isIntroduction) throw refusal('no-plan', 'this silo has agreed to no plan yet', {});
      const expected: Expected = { key: keys.received, from: server, to: own, run, plan, largest };
      const message = assembler.take(frame, expected);
      if (message === undefined) return null;
      ({ round, attempt } = message);
      if (!isIntroduction && message.kind !== 'end') assertGoing();
      const current = isIntroduction ? null : resumed();
      switch (message.kind) {
        case 'hello':
          return framed('hello', 0, encode(hello()));
        case 'plan':
          return framed('accept', 0, await agreeTo(message.body));
        case 'query': {
          const again = log.last()?.index === round;
          const { flags, body } = answer(defined(current), message);
          const { sealed } = defined(current);
          onEvent?.({ what: 'answered', index: round, of: queriesOf(sealed.plan), again });
          return framed('answer', flags, body);
        }
        case 'end': {
          const spent = defined(current).curator.spent();
          const { reason } = (decode(message.body) ?? {}) as Partial<Record<string, unknown>>;
          const standing = framed('end', 0, encode({ spent, answered: defined(current).curator.recorded() }));
          // Without a reason the run goes on, and the server asks what it has cost.
          if (typeof reason === 'string' && log.ended() === null) end(reason.slice(0, 200));
          return standing;
        }
        default: {
          if (options.extension === undefined)
            throw refusal('wrong-kind', `a silo does not take messages of kind '${message.kind}'`, {});
          const { kind, body } = await options.extension.reply(message, defined(current));
          return framed(kind, 0, body);
        }
      }
    } catch (error) {
      onEvent?.({ what: 'refused', code: refusalOf(error) ?? 'failed', error });
      return framed('refusal', 0, refusalBytes(error));
    }
  };
  const hello = (): object => ({
    version: protocolVersion,
    records: options.records,
    adjacency: options.adjacency,
    unit: options.unit,
    run: log.ended() === null ? (log.agreed()?.sealed.plan.run ?? null) : null,
  });

  let queue: Promise<unknown> = Promise.resolve();
  const serve = async (bytes: Uint8Array): Promise<Uint8Array> => {
    let frames: readonly Uint8Array[];
    try {
      frames = cutFrames(bytes);
    } catch (error) {
      onEvent?.({ what: 'refused', code: refusalOf(error) ?? 'failed', error });
      return framesOf(
        { kind: 'refusal', flags: 0, from: stranger, to: server, attempt: 0, round: 0, run: noRun, plan: noPlan },
        refusalBytes(error),
        introduction.sent,
      );
    }
    const replies: Uint8Array[] = [];
    for (const frame of frames) {
      const back = await reply(frame);
      if (back !== null) replies.push(back);
    }
    return new Uint8Array(Buffer.concat(replies));
  };
  return {
    request(bytes) {
      const own = bytes.slice();
      const next = queue.then(() => serve(own));
      queue = next;
      return next;
    },
    standing: () =>
      running === null ? null : { sealed: running.sealed, answered: running.curator.recorded() },
  };
}

/**
 * A ledger that is older than what was sent on its word was rolled back; so was a log of answers that is older than
 * the ledger by more than the answer under way.
 */
function assertSameAge(recorded: number, last: StoredAnswer | null): void {
  const sent = last === null ? 0 : last.index + 1;
  if (recorded === sent || recorded === sent + 1) return;
  throw refusal(
    'rolled-back',
    `the silo's ledger holds ${recorded} queries of the run, and its log of answers ${sent}: one of them was rolled ` +
      'back. The run ends; what was spent stays spent.',
    { recorded, sent },
  );
}

const openedBy = <T>(open: () => T): T =>
  refusing(open, { 'budget-exceeded': 'no-room', corrupt: 'data-changed' });
const answeredBy = <T>(answer: () => T): T =>
  refusing(answer, {
    'budget-exceeded': 'beyond-plan',
    corrupt: 'changed-round',
    'invalid-parameter': 'wrong-query',
    unsupported: 'wrong-query',
    'incompatible-plugins': 'wrong-query',
  });

/** The point of round t: in the domain and within a step of the method from the last one, `2D/(t + 1)`. */
function pointFault(
  domain: Domain,
  point: Vector,
  before: Vector | null,
  t: number,
): { readonly code: 'outside-domain' | 'unreachable'; readonly message: string } | null {
  if (!isWithin(domain, point))
    return { code: 'outside-domain', message: `the point of round ${t} is outside the domain of the plan` };
  if (before === null || !(domain.diameter < Infinity)) return null;
  let moved = 0;
  for (let j = 0; j < point.length; j++) moved = Math.hypot(moved, point[j] - before[j]);
  const most = ((2 * domain.diameter) / (t + 1)) * (1 + tolerance);
  return moved <= most
    ? null
    : {
        code: 'unreachable',
        message: `the point of round ${t} is ${moved} from the last one; the method moves at most ${most}`,
      };
}
