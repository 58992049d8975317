import { openLog, type LetheError, type Store } from '@lethe/core';
import type { SiloPlace } from '@lethe/curator/federation';
import { isSecure, readPlan, type FederatedPlan, type SealedPlan } from './plan.js';
import { namesOf } from './points-for-all.js';
import { refusal } from './refusal.js';
import { sha256 } from './sha256.js';

/** An answer as it was sent: asked again, the same bytes are sent again. */
export interface StoredAnswer {
  /** Where the silo is after it; `place.index` is the number of the query. */
  readonly place: SiloPlace;
  /** SHA-256 of the names of the query's newest point. */
  readonly digest: Uint8Array;
  /** The digest of the last query about points, where one is known. */
  readonly newest?: Uint8Array | undefined;
  readonly flags: number;
  /** Sealed, where the server is a trusted aggregator. */
  readonly body: Uint8Array;
}

/** Digest of a query: SHA-256 of the names of its newest point, or of nothing. */
export const digestOf = (names: Uint8Array): Uint8Array => sha256(names);

/**
 * @param older - Bytes of the older point of a query; empty where it was not sent.
 * @throws a refusal, where it is not the newest point of the query before, which a log keeps the digest of.
 */
export function assertPointBefore(last: StoredAnswer | null, index: number, older: Uint8Array): void {
  if (older.length === 0 || last?.newest === undefined || index !== last.place.index + 1) return;
  if (Buffer.compare(last.newest, digestOf(namesOf(older))) === 0) return;
  throw refusal(
    'wrong-query',
    `the older point of query ${index} is not the newest that the silo was asked about before; send that`,
    { index },
  );
}

type Line =
  | { readonly plan: Uint8Array; readonly signature: Uint8Array }
  | { readonly ended: string }
  | { readonly withdrawn: readonly Uint8Array[] }
  | { readonly asked: AskedQuery }
  | { readonly answer: AnswerLine }
  | { readonly begun: SumAttempt }
  | { readonly signed: number };

/** An answer on disk: what a silo that goes on needs of its place. */
type AnswerLine = Omit<StoredAnswer, 'place'> & {
  readonly place: Omit<SiloPlace, 'point'> & Partial<Pick<SiloPlace, 'point'>>;
};

/** A query that is about to be charged. */
export interface AskedQuery {
  readonly index: number;
  readonly body: Uint8Array;
}

/** An attempt at a secure sum. */
export interface SumAttempt {
  readonly round: number;
  readonly attempt: number;
}

/** What a silo has agreed to and answered. Lines are on disk before the message that they record is sent. */
export interface SiloLog {
  /** The plan of the run, and the server's signature of it; `null` before there is one. */
  agreed(): { readonly sealed: SealedPlan; readonly signature: Uint8Array } | null;
  /** Why the run is over; `null` while it goes on. */
  ended(): string | null;
  last(): StoredAnswer | null;
  /** The query that was about to be charged after the last answer; `null` where none is noted. */
  asked(): AskedQuery | null;
  /** Notes a query before it is charged: after a crash its answer can be made again from it. */
  ask(query: AskedQuery): void;
  /** Begins a run; what is stored of an ended one is dropped. */
  agree(sealed: SealedPlan, signature: Uint8Array): void;
  answered(answer: StoredAnswer): void;
  /** The last attempt at a secure sum; `null` before the first. */
  begun(): SumAttempt | null;
  begin(attempt: SumAttempt): void;
  /** The last sum whose survivors were signed; −1 before the first. */
  signed(): number;
  sign(round: number): void;
  end(reason: string): void;
  /** Whether the plan of this digest has ended here, or was taken back by its server. */
  isWithdrawn(digest: Uint8Array): boolean;
  /** Notes a plan that is not agreed to any more, whenever it comes again. */
  withdraw(digest: Uint8Array): void;
}

/** The refusal of a message whose answer, or whose charge, cannot be written. */
export const notStored = (cause: unknown): LetheError =>
  refusal(
    'not-stored',
    'the silo cannot store what it is about to send, so it sends nothing; its owner finds the reason there',
    {},
    cause,
  );

/** Plans taken back that are remembered: the last ones. */
const mostWithdrawn = 256;

/** Only the last answer is ever sent again: the log is rewritten when it has so many lines and bytes. */
const mostLines = 16;
const mostBytes = 16 * 2 ** 20;

/**
 * @throws {Corrupt} when the stored bytes were damaged.
 */
export function openSiloLog(store: Store): SiloLog {
  const log = openLog(store, { magic: 'lethe-silo' });
  let state: State = nothing;
  for (const line of log.records) state = after(state, line as Line);
  log.forget();
  const guarded = (write: () => void): void => {
    try {
      write();
    } catch (cause) {
      throw notStored(cause);
    }
  };
  const append = (line: Line): void => {
    const next = after(state, line);
    const isShort = log.count < mostLines || log.size < mostBytes;
    guarded(() => (isShort ? log.append(line) : log.rewrite(linesOf(next))));
    state = next;
  };
  return {
    agreed: () => state.agreed,
    ended: () => state.ended,
    last: () => state.last,
    asked: () => state.asked,
    begun: () => state.begun,
    signed: () => state.signed,
    agree(sealed, signature) {
      const next = after(state, { plan: sealed.bytes, signature });
      guarded(() => log.rewrite(linesOf(next)));
      state = next;
    },
    ask: (asked) => append({ asked }),
    answered: (answer) => append({ answer: lineOf(answer, state.agreed?.sealed.plan) }),
    begin: (begun) => append({ begun }),
    sign: (signed) => append({ signed }),
    end: (reason) => append({ ended: reason }),
    isWithdrawn: (digest) => state.withdrawn.some((one) => Buffer.compare(one, digest) === 0),
    withdraw: (digest) => append({ withdrawn: [digest] }),
  };
}

/**
 * What the log of a silo says was answered of its run, to be compared with its ledger: one that holds fewer
 * queries is older than its answers. `null` for a log without a run.
 *
 * @throws {Corrupt} when the stored bytes were damaged.
 */
export function toldBySiloLog(store: Store): { readonly run: string; readonly answered: number } | null {
  const log = openSiloLog(store);
  const agreed = log.agreed();
  if (agreed === null) return null;
  return { run: agreed.sealed.plan.agreement.run, answered: log.last()?.place.answered ?? 0 };
}

interface State {
  readonly agreed: ReturnType<SiloLog['agreed']>;
  readonly ended: string | null;
  readonly last: StoredAnswer | null;
  readonly asked: AskedQuery | null;
  readonly begun: SumAttempt | null;
  readonly signed: number;
  readonly withdrawn: readonly Uint8Array[];
}
const nothing: State = {
  agreed: null,
  ended: null,
  last: null,
  asked: null,
  begun: null,
  signed: -1,
  withdrawn: [],
};

function after(state: State, line: Line): State {
  if ('plan' in line)
    return {
      ...nothing,
      withdrawn: state.withdrawn,
      agreed: { sealed: readPlan(line.plan), signature: line.signature },
    };
  if ('withdrawn' in line)
    return { ...state, withdrawn: [...state.withdrawn, ...line.withdrawn].slice(-mostWithdrawn) };
  if ('ended' in line) return afterEnd(state, line.ended);
  if ('begun' in line) return { ...state, begun: line.begun };
  if ('signed' in line) return { ...state, signed: line.signed };
  if ('asked' in line) return { ...state, asked: line.asked };
  const { place } = line.answer;
  return {
    ...state,
    last: { ...line.answer, place: { ...place, point: place.points[0] ?? place.point ?? null } },
    asked: null,
  };
}

/**
 * Points and sums are most of a line. In secure sums a point is asked about again, and sums are told there;
 * where silos may miss rounds, sums are, and a noted query is answered with the newest point. Elsewhere the
 * bytes of an answer are sent again, and the server sends the point once more to a silo that lacks it, which
 * knows it by its digest.
 */
function lineOf({ place, ...answer }: StoredAnswer, plan: FederatedPlan | undefined): AnswerLine {
  const { point, ...rest } = place;
  if (plan === undefined || isSecure(plan))
    return { ...answer, place: { ...rest, ...(place.points.length === 0 ? { point } : {}) } };
  if (!plan.gaps) return { ...answer, place: { ...rest, points: [], sum: null } };
  const isNew = place.points.length > 0;
  return { ...answer, place: { ...rest, points: place.points.slice(0, 1), ...(isNew ? {} : { point }) } };
}

/** Not agreed to again, also after other runs. */
function afterEnd(state: State, reason: string): State {
  const digest = state.agreed?.sealed.digest;
  const others = state.withdrawn.filter((one) => digest === undefined || Buffer.compare(one, digest) !== 0);
  const withdrawn = digest === undefined ? others : [...others, digest];
  return { ...state, ended: reason, withdrawn: withdrawn.slice(-mostWithdrawn) };
}

/** What matters of all lines so far. */
const linesOf = ({ agreed, ended, last, asked, begun, signed, withdrawn }: State): readonly Line[] => [
  ...(withdrawn.length === 0 ? [] : [{ withdrawn }]),
  ...(agreed === null ? [] : [{ plan: agreed.sealed.bytes, signature: agreed.signature }]),
  ...(last === null ? [] : [{ answer: lineOf(last, agreed?.sealed.plan) }]),
  ...(asked === null ? [] : [{ asked }]),
  ...(begun === null ? [] : [{ begun }]),
  ...(signed < 0 ? [] : [{ signed }]),
  ...(ended === null ? [] : [{ ended }]),
];
