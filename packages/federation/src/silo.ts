import { defined, domainAt, type LetheError, type Store } from '@lethe/core';
import type { AgreedPart, HeldAddendSilo, Link, SiloPlace } from '@lethe/curator/federation';
import { decode, encode, type Domain } from '@lethe/numerics';
import { assertAgreeable, type SiloStanding } from './agreement.js';
import { answerBody, largestBodies, queryFlags, queryFrom } from './bodies.js';
import {
  boundTo,
  createAssembler,
  cutFrames,
  framesOf,
  kinds,
  runIn,
  type Envelope,
  type Expected,
  type Message,
} from './frame.js';
import {
  addendOf,
  answeredBy,
  assertSameAge,
  openedBy,
  pointsWithin,
  type HeldCurator,
} from './held-curator.js';
import { assertOrder } from './order.js';
import { pairKeys, partyOfSilo, server, type PairKeys, type Party } from './frame-keys.js';
import {
  endText,
  isAggregatorTrusted,
  isSecure,
  largestPlan,
  readPlan,
  signedText,
  type SealedPlan,
} from './plan.js';
import { heardPieces, namesOf } from './points-for-all.js';
import { refusal, refusalBytes, refusalOf } from './refusal.js';
import { seal } from './seal.js';
import type { SiloEvent } from './silo-event.js';
import { assertPointBefore, digestOf, openSiloLog, type AskedQuery, type StoredAnswer } from './silo-log.js';
import { attemptsIn } from './secure-sum/attempts-in.js';
import { sumKinds, sumSteps, type SumSteps } from './secure-sum/over-links.js';

/** The party of a silo that has no place in a plan yet. */
export const stranger = 0xffff;
export const noRun = new Uint8Array(16);
export const noPlan = new Uint8Array(32);
export const protocolVersion = 11;
/** Characters of a reason for an end at most. */
export const longestReason = 300;

/** A silo's data, keys and owner. */
export interface SiloOptions extends SiloStanding {
  /** What the silo has agreed to and sent, with one writer; on disk when an append returns. */
  readonly store: Store;
  /**
   * Opens the run on the silo's own ledger, by `siloCurator`, by `heldRawSilo` for a server that is trusted
   * with sums, or by `heldAddendSilo` for secure sums, which reserve the event that they work out from the
   * plan. Called when the plan is agreed to, and again when the silo goes on after a restart.
   *
   * @param run - The plan, which silo of it this is, and where the silo was.
   * @throws {BudgetExceeded} when the ledger has no room; {Corrupt} for other data than the run began with.
   */
  open(run: OpenedRun): HeldCurator;
  /**
   * The owner's decision about a plan that has passed all checks but for room on the ledger. What the server
   * hears must not depend on a record: a refusal crosses to it, so that one is thrown for what is wrong with
   * the plan alone; anything else that is thrown leaves the plan undecided.
   *
   * @param over - Aborted when the plan is taken back: the decision does not matter any more.
   * @throws a refusal of the plan; and what is wrong with the records, for the owner alone.
   */
  confirm(proposal: Proposal, over: AbortSignal): Promise<boolean>;
  /** Takes part in runs whose noise comes from a seed, for tests. @defaultValue false */
  readonly allowSimulation?: boolean;
  /** Called when a run is agreed to, and when it ends. */
  readonly onEvent?: (event: SiloEvent) => void;
}

/** A plan that a silo is asked to agree to. */
export interface Proposal {
  readonly sealed: SealedPlan;
  readonly silo: number;
  /** What the run costs this silo, as it works out itself. */
  readonly part: AgreedPart;
}

/** A run to be opened. */
export interface OpenedRun {
  readonly sealed: SealedPlan;
  readonly silo: number;
  readonly place: SiloPlace | undefined;
}

/** A plan that the owner was asked about. */
interface Question {
  readonly digest: Uint8Array;
  readonly over: AbortController;
  decided?: boolean;
  /** The refusal of a plan, or of a run that could not be opened. */
  failed?: unknown;
}

/** Where messages of an agreed run come from and go to. */
interface Address {
  readonly sealed: SealedPlan;
  readonly party: Party;
  readonly keys: PairKeys;
}
/** A run that the silo takes part in. */
interface Running {
  readonly sealed: SealedPlan;
  readonly index: number;
  readonly curator: HeldCurator;
  /** Of a plan with secure sums. */
  readonly sums: SumSteps | null;
  readonly sealKeys: PairKeys | null;
  readonly domain: Domain;
}

/** A silo as a link, of frames. `request` rejects for what has no bytes, and with what `onEvent` throws. */
export interface SiloService extends Link {
  /**
   * Takes what its server sent to all silos: a piece of a point, of which a query may have the name alone. It
   * is copied; whatever else arrives here is dropped, or is never asked about.
   */
  take(piece: Uint8Array): void;
  /** The plan that it has agreed to; `null` before there is one, and after the end of its run. */
  agreed(): SealedPlan | null;
  /** How far it is; `null` where it has not opened its run. */
  standing(): { readonly sealed: SealedPlan; readonly answered: number } | null;
}

/** Under which the share of the server's randomness is sealed: no query has this number. */
export const shareName = { round: 0xffff_ffff, attempt: 0 };

/** Messages about a plan that need not be agreed to. */
const introductions: ReadonlySet<number | undefined> = new Set([kinds.hello, kinds.plan, kinds.end]);
const endedByOwner = 'it was ended on the ledger of the silo';
const endedHere = (): Error => refusal('ended', `the run has ended: ${endedByOwner}`, {});

/**
 * A silo of a federated run: agrees to a signed plan after its owner, reserves the plan's event on its own
 * ledger, and then answers the queries of that plan in order, each once. The last one asked again has the
 * same bytes; any other repetition is refused. Privacy does not depend on the server.
 */
export function siloService(options: SiloOptions): SiloService {
  const { identity, serverKey, store, allowSimulation = false, onEvent } = options;
  const log = openSiloLog(store);
  const introduction = pairKeys(
    { own: identity, other: serverKey, ownParty: stranger, otherParty: server },
    noPlan,
    'frame',
  );
  let running: Running | null = null;
  let asked: Question | null = null;

  const isAgreed = ({ digest }: SealedPlan): boolean => {
    const agreed = log.agreed();
    return agreed !== null && Buffer.compare(agreed.sealed.digest, digest) === 0;
  };
  const runningOf = (sealed: SealedPlan, index: number): Running => {
    const pair = { own: identity, other: serverKey, ownParty: partyOfSilo(index), otherParty: server };
    const curator = opened(sealed, index);
    const { domain: ref, dimension } = sealed.plan.agreement.plan.problem;
    const domain = domainAt(options.registry, ref, dimension);
    return {
      sealed,
      index,
      curator,
      sums: 'addendAt' in curator ? stepsOf(sealed, index, { curator, domain }) : null,
      sealKeys: isAggregatorTrusted(sealed.plan) ? pairKeys(pair, sealed.digest, 'seal') : null,
      domain,
    };
  };
  const stepsOf = (
    sealed: SealedPlan,
    own: number,
    { curator, domain }: { readonly curator: HeldAddendSilo; readonly domain: Domain },
  ): SumSteps =>
    sumSteps({
      identity,
      sealed,
      own,
      signed: attemptsIn(log),
      assertKnown: (known) => assertKnown(known, curator),
      addendAt: (index, body) => addedAt({ sealed, curator, domain }, index, body),
    });
  /** The silo's addend of a sum: where it is new, noted and then charged. */
  const addedAt = (
    { sealed, curator, domain }: Pick<Running, 'sealed' | 'domain'> & { readonly curator: HeldAddendSilo },
    index: number,
    body: Uint8Array,
  ): ReturnType<typeof addendOf> => {
    const { gaps } = sealed.plan;
    const again = log.last()?.place.index === index;
    if (!again) assertNext(index, curator, gaps);
    const points = pointsWithin(domain, index, body);
    if (!again) note({ index, body }, gaps);
    const added = addendOf(curator, { index, points, sealed });
    if (!again)
      log.answered({ place: defined(curator.place()), digest: noPlan, flags: 0, body: new Uint8Array(0) });
    onEvent?.({ what: 'answered', index, of: curator.part.queries, again });
    return added;
  };
  /**
   * Notes a query before it is charged, where the server may go on without the answer: after a crash between
   * ledger and log nobody may ask it again, and the silo makes the answer from the note.
   */
  const note = (query: AskedQuery, gaps: boolean): void => {
    if (gaps) log.ask(query);
  };
  /** Makes the answer again that a crash has cut between ledger and log. */
  const catchUp = (run: Running): void => {
    const { curator } = run;
    const noted = log.asked();
    if (noted === null || curator.recorded() === (log.last()?.place.answered ?? 0)) return;
    const { index, body } = noted;
    if ('addendAt' in curator && curator.isSummed(index)) addedAt({ ...run, curator }, index, body);
    else answer(run, { round: index, flags: 0, body });
  };
  /** @throws as {@link assertOrder}; a query that skips some ends the run. */
  const assertNext = (index: number, curator: HeldCurator, gaps: boolean): void => {
    try {
      assertOrder(index, log.last(), { queries: curator.part.queries, gaps });
    } catch (error) {
      if (refusalOf(error) === 'skipped-round')
        endWhole(
          curator,
          'a query came that skips some: the ledger and the log of the silo may have been rolled back',
        );
      throw error;
    }
  };
  /**
   * Ends a run whose server has answers that the log does not know: ledger and log came back from a copy, and
   * another answer could have the noise of one that was given. No coins depend on the server's word, so that
   * a false one can end the run and nothing else.
   *
   * @param known - One more than the number of the last query whose answer the server has.
   */
  const assertKnown = (known: number, curator: HeldCurator): void => {
    const own = (log.last()?.place.index ?? -1) + 1;
    if (known <= own) return;
    endWhole(curator, 'the server has later answers: the ledger and the log of the silo were rolled back');
    throw refusal(
      'rolled-back',
      `the server has an answer to query ${known - 1}, and the silo knows of none after query ${own - 1}: ` +
        'its ledger and its log were rolled back. The run cannot go on; what was spent stays spent.',
      { known, own },
    );
  };
  /** Ends a run whose ledger may lack charges, so that nothing is released. */
  const endWhole = (curator: HeldCurator, reason: string): void => {
    curator.end({ keepReserved: true });
    end(reason);
  };
  const opened = (sealed: SealedPlan, silo: number): HeldCurator => {
    const curator = openedOrEnded(sealed, silo);
    if (curator.ended()) throw endedHere();
    return curator;
  };
  const openedOrEnded = (sealed: SealedPlan, silo: number): HeldCurator => {
    const place = isAgreed(sealed) ? log.last()?.place : undefined;
    const curator = openedBy(() => options.open({ sealed, silo, place }));
    if (
      'sumAt' in curator !== isAggregatorTrusted(sealed.plan) ||
      'addendAt' in curator !== isSecure(sealed.plan)
    )
      throw refusal(
        'wrong-optimizer',
        'the silo opened its run for another trust in the server than the plan says',
        {},
      );
    if (curator.facts.simulation && !allowSimulation)
      throw refusal('seeded-coins', 'the noise of this silo comes from a seed, and would protect nobody', {});
    assertSameAge(curator, place?.answered ?? 0);
    return curator;
  };
  /** Why what is in memory may not be on disk; only a new process knows what is. */
  let lost: LetheError | null = null;
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
      const run = runningOf(sealed, assertAgreeable(sealed, signature, options).index);
      catchUp(run);
      running = run;
      return run;
    } catch (error) {
      const code = refusalOf(error);
      if (log.ended() === null && code === 'rolled-back') end('a log of the silo was rolled back');
      if (log.ended() === null && code === 'ended') end(endedByOwner);
      throw error;
    }
  };
  const end = (reason: string): void => {
    const run = running;
    log.end(reason);
    running = null;
    onEvent?.({
      what: 'ended',
      reason,
      run: run && {
        plan: run.sealed,
        silo: run.index,
        answered: run.curator.recorded(),
        spent: run.curator.spent(),
        planned: run.curator.part.event,
      },
    });
  };
  /**
   * What the server says of a plan: that its run is over, with its signature, or nothing, to hear what it has
   * cost. The ledger ends first: after a crash the run is found ended there, and nothing is answered.
   */
  const heard = (body: Uint8Array): object => {
    const said = (decode(body) ?? {}) as Partial<Record<string, unknown>>;
    const { plan: digest, reason, signature, answered = 0 } = said;
    if (!(digest instanceof Uint8Array)) throw refusal('malformed-frame', 'an end names no plan', {});
    const agreed = log.agreed();
    const isOwn = agreed !== null && Buffer.compare(agreed.sealed.digest, digest) === 0;
    const isOver = typeof reason === 'string';
    if (isOver) assertEnd(digest, reason, signature);
    else if (!isOwn) throw refusal('no-plan', 'this silo has not agreed to that plan', {});
    if (!isOwn) {
      takeBack(digest, String(reason));
      return { spent: null, answered: 0 };
    }
    const current = goingOn();
    if (current === null) return (lastStanding ??= standingOf(agreed.sealed));
    if (!isOver) return toldOf(current.curator);
    // What the server says that it was answered can only keep more: one that lies regains nothing.
    const isOlder = !(Number(answered) <= current.curator.recorded());
    current.curator.end({ keepReserved: isOlder });
    lastStanding = toldOf(current.curator);
    end(isOlder ? `${reason} (the ledger and the log of the silo were rolled back)` : reason);
    return lastStanding;
  };
  const toldOf = (curator: HeldCurator): object => ({ spent: curator.spent(), answered: curator.recorded() });
  /** The run that was agreed to; `null` where it has ended, which the ledger alone may know after a crash. */
  const goingOn = (): Running | null => {
    if (log.ended() !== null) return null;
    try {
      return resumed();
    } catch (error) {
      if (refusalOf(error) === 'ended') return null;
      throw error;
    }
  };
  /** What a run that has ended has cost, as far as its records are there. */
  const standingOf = (sealed: SealedPlan): object => {
    const index = sealed.plan.silos.findIndex(({ key }) => key === identity.public.text);
    try {
      return toldOf(openedOrEnded(sealed, index));
    } catch {
      return { spent: null, answered: 0 };
    }
  };
  /** What the run that ended last has cost, for a server that asks again. */
  let lastStanding: object | null = null;
  const assertEnd = (digest: Uint8Array, reason: string, signature: unknown): void => {
    if (reason.length > longestReason)
      throw refusal('wrong-length', `a reason has at most ${longestReason} characters`, {});
    if (!(signature instanceof Uint8Array) || !serverKey.verify(endText(digest, reason), signature))
      throw refusal('wrong-signature', 'an end is not signed by the server of this silo', {});
  };
  const takeBack = (digest: Uint8Array, reason: string): void => {
    if (log.isWithdrawn(digest)) return;
    log.withdraw(digest);
    if (asked === null || Buffer.compare(asked.digest, digest) !== 0) return;
    asked.over.abort(new Error(reason));
    asked = null;
    onEvent?.({ what: 'withdrawn', reason });
  };

  const assertGoing = (): void => {
    const reason = log.ended();
    if (reason !== null) throw refusal('ended', `the run has ended: ${reason}`, {});
    if (lost !== null) throw lost;
  };

  const agreeTo = async (body: Uint8Array): Promise<Uint8Array> => {
    const { plan: bytes, signature } = (decode(body) ?? {}) as Partial<Record<string, Uint8Array>>;
    if (!(bytes instanceof Uint8Array) || !(signature instanceof Uint8Array))
      throw refusal('malformed-frame', 'a plan arrived without its signature', {});
    const sealed = readPlan(bytes);
    const isSame = isAgreed(sealed);
    if (asked?.failed !== undefined && Buffer.compare(asked.digest, sealed.digest) === 0) throw asked.failed;
    if (!isSame && log.isWithdrawn(sealed.digest))
      throw refusal('ended', 'the run of this plan is over at this silo', {});
    if (!isSame && log.agreed() !== null && goingOn() !== null)
      throw refusal(
        'wrong-plan',
        'this silo is in another run; end that run first, or let its owner end it there',
        {},
      );
    const { index, part } = assertAgreeable(sealed, signature, options);
    if (isSame) {
      assertGoing();
      resumed();
    } else {
      decide({ sealed, silo: index, part });
      if (asked?.failed !== undefined) throw asked.failed;
      if (asked?.decided === undefined)
        throw refusal('waiting-for-owner', 'the owner of the silo has not decided yet', {});
      if (!asked.decided) throw refusal('owner-declined', 'the owner of the silo declined the plan', {});
      running = null;
      lastStanding = null;
      // The log comes first: after a crash before the ledger has the run it is opened, or ended, by the log.
      log.agree(sealed, signature);
      try {
        running = runningOf(sealed, index);
      } catch (error) {
        // What is no refusal may pass, such as a full disk: the run is then opened when it is asked for.
        if (refusalOf(error) !== undefined) {
          asked.failed = error;
          log.end('the silo could not open it');
        }
        throw error;
      }
      onEvent?.({ what: 'agreed', plan: sealed });
    }
    return encode({ signature: identity.sign(signedText('silo', sealed.digest)), ...meeting() });
  };
  /** Asks the owner once for each plan. */
  const decide = (proposal: Proposal): void => {
    const { sealed } = proposal;
    if (asked !== null && Buffer.compare(asked.digest, sealed.digest) === 0) return;
    asked?.over.abort(new Error('another plan was proposed'));
    const over = new AbortController();
    const question: Question = { digest: sealed.digest, over };
    asked = question;
    options.confirm(proposal, over.signal).then(
      (yes) => {
        question.decided = yes;
      },
      (error: unknown) => {
        if (refusalOf(error) !== undefined) question.failed = error;
        else if (!over.signal.aborted) onEvent?.({ what: 'undecided', error });
      },
    );
  };
  /** What the server has to know of the silo's curator. */
  const meeting = (): object => {
    const { curator, sealKeys } = defined(running);
    return {
      // Of which a trusted server makes its randomness.
      ...('share' in curator && sealKeys !== null
        ? { share: seal(sealKeys.sent, shareName, curator.share) }
        : {}),
      facts: curator.facts,
      everyone: curator.allRecords,
      answered: log.last()?.place.answered ?? 0,
      index: log.last()?.place.index ?? null,
    };
  };

  const answer = (
    run: Running,
    { round: index, flags, body }: Pick<Message, 'round' | 'flags' | 'body'>,
  ): StoredAnswer => {
    const { sealed, curator, domain } = run;
    if (flags !== queryFlags.points && flags !== queryFlags.named)
      throw refusal('wrong-query', `query ${index} has flags ${flags}, and queries have none such`, {
        flags,
      });
    // Of the newest point alone: the one before is sent or not.
    const size = 8 * domain.dimension;
    const names = flags === queryFlags.named ? body : namesOf(body.subarray(0, size));
    const digest = digestOf(names);
    const last = log.last();
    if (last !== null && index === last.place.index) {
      if (Buffer.compare(last.digest, digest) === 0) return last;
      throw refusal(
        'changed-round',
        `query ${index} was answered, and is asked now in another form; it is not answered twice`,
        { index },
      );
    }
    assertNext(index, curator, sealed.plan.gaps);
    const sent = flags === queryFlags.named ? pieces.find(names) : body;
    if (sent === null)
      throw refusal('lacks-point', `the point of query ${index} has not come to this silo; send it`, {
        index,
      });
    const points = pointsWithin(domain, index, sent);
    if (answeredBy(() => curator.lacksPoint(index, points)))
      throw refusal(
        'lacks-point',
        `query ${index} is about the point of the query before as well, which the silo does not keep when ` +
          'it is started again; send both',
        { index },
      );
    assertPointBefore(last, index, sent.subarray(size));
    note({ index, body: sent }, sealed.plan.gaps);
    const said = answeredBy(() =>
      'sumAt' in curator ? curator.sumAt(index, points) : curator.answerAt(index, points),
    );
    const place = defined(curator.place());
    const { body: plain, flags: form } = answerBody(
      said,
      domain.dimension,
      sealed.plan.gaps ? place.sum : null,
      run.sealKeys === null,
    );
    const stored: StoredAnswer = {
      place,
      digest,
      newest: points.length > 0 ? digest : last?.newest,
      flags: form,
      body: run.sealKeys === null ? plain : seal(run.sealKeys.sent, { round: index, attempt: 0 }, plain),
    };
    log.answered(stored);
    return stored;
  };

  const pieces = heardPieces();
  const assembler = createAssembler();
  const reply = async (frame: Uint8Array): Promise<Uint8Array | null> => {
    const isIntroduction = introductions.has(frame[4]);
    let keys = introduction;
    let own = stranger;
    let run: Uint8Array = noRun;
    let plan: Uint8Array = noPlan;
    let largest = largestPlan + 1024;
    let round = 0;
    let attempt = 0;
    let bound: Uint8Array = noPlan;
    const framed = (kind: Envelope['kind'], flags: number, body: Uint8Array): Uint8Array => {
      const named = own === stranger ? { run: noRun, plan: bound } : { run, plan };
      return framesOf({ kind, flags, from: own, to: server, attempt, round, ...named }, body, keys.sent);
    };
    try {
      const at = isIntroduction ? null : address();
      if (at !== null) {
        ({ keys, party: own } = at);
        ({ run, digest: plan } = at.sealed);
        largest = largestBodies(at.sealed.plan).toSilo;
      } else {
        bound = boundTo(frame, isIntroduction ? introduction.received : null);
        if (!isIntroduction) throw refusal('no-plan', 'this silo has agreed to no plan yet', {});
        run = runIn(frame);
      }
      const expected: Expected = { key: keys.received, from: server, to: own, run, plan, largest };
      const message = assembler.take(frame, expected);
      if (message === undefined) return null;
      ({ round, attempt } = message);
      if (!isIntroduction) assertGoing();
      const current = isIntroduction ? null : resumed();
      switch (message.kind) {
        case 'hello':
          return framed('hello', 0, encode(hello()));
        case 'plan':
          return framed('accept', 0, await agreeTo(message.body));
        case 'query': {
          const going = defined(current);
          const query = queryFrom(message.body, message.flags, going.domain.dimension);
          assertKnown(query.known, going.curator);
          const again = log.last()?.place.index === round;
          const { flags, body } = answer(going, { ...message, body: query.rest });
          onEvent?.({ what: 'answered', index: round, of: going.curator.part.queries, again });
          return framed('answer', flags, body);
        }
        case 'end':
          return framed('end', 0, encode(heard(message.body)));
        default: {
          const { sums } = defined(current);
          if (sums === null || !sumKinds.has(message.kind))
            throw refusal('wrong-kind', `a silo does not take messages of kind '${message.kind}'`, {});
          const { kind, body } = await sums.reply(message);
          return framed(kind, 0, body);
        }
      }
    } catch (error) {
      const code = refusalOf(error) ?? 'failed';
      if (code === 'not-stored' && !isIntroduction) lost ??= error as LetheError;
      // The server sends what is missing, and nothing is amiss.
      if (code !== 'lacks-point') onEvent?.({ what: 'refused', code, error });
      if (own !== stranger) plan = boundTo(frame, keys.received);
      return framed('refusal', 0, refusalBytes(error));
    }
  };
  const hello = (): object => ({
    version: protocolVersion,
    records: options.records,
    adjacency: options.adjacency,
    unit: options.unit,
    run: log.ended() === null ? (log.agreed()?.sealed.plan.agreement.run ?? null) : null,
  });

  let queue: Promise<unknown> = Promise.resolve();
  const serve = async (bytes: Uint8Array): Promise<Uint8Array> => {
    let frames: readonly Uint8Array[];
    try {
      frames = cutFrames(bytes);
    } catch (error) {
      onEvent?.({ what: 'refused', code: refusalOf(error) ?? 'failed', error });
      return framesOf(
        {
          kind: 'refusal',
          flags: 0,
          from: stranger,
          to: server,
          attempt: 0,
          round: 0,
          run: noRun,
          plan: noPlan,
        },
        refusalBytes(error),
        introduction.sent,
      );
    }
    // A request has one reply, however many frames a stranger puts into it.
    for (const frame of frames) {
      const back = await reply(frame);
      if (back !== null) return back;
    }
    return new Uint8Array(0);
  };
  return {
    async request(bytes) {
      // A copy, as the owner is asked meanwhile; and no Buffer: those share memory in slices.
      const own = new Uint8Array(bytes);
      const next = queue.then(() => serve(own));
      // Later requests do not reject with it.
      queue = next.catch(() => undefined);
      return await next;
    },
    take(piece) {
      const at = address();
      if (at !== null && log.ended() === null)
        pieces.take(piece, 8 * at.sealed.plan.agreement.plan.problem.dimension);
    },
    agreed: () => (log.ended() === null ? (log.agreed()?.sealed ?? null) : null),
    standing: () =>
      running === null ? null : { sealed: running.sealed, answered: running.curator.recorded() },
  };
}
