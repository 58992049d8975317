import {
  type Accountant,
  type AccountingContext,
  type EventKind,
  type FilterMaker,
  type Interval,
  InvalidParameter,
  Unsupported,
} from '@lethe/core';
import type { Bounds } from '@lethe/numerics';
import { pureMethod } from './certify.js';
import { consistent } from './consistent.js';
import { assertTime, startTime, type TimeLimit, type TimeOptions } from './time-limit.js';
import { bestLimit } from '../filters/best-limit.js';

/** One accountant, or several combined. */
type Answering = Pick<Accountant, 'epsilon' | 'delta'>;

/**
 * Combines several accountants: the least certified upper bound and the largest lower bound. `method` names
 * the accountant of the upper bound. Accountants that cannot answer, or that only estimate, are skipped. They
 * run in order, but that those of Rényi divergences, which bound from above only, wait for the first of
 * privacy-loss distributions. They end when an answer is exact, or its ends are within 1/2000 of each other,
 * or, for ε, within ten times the query's `width`. A narrow answer with the query's `near` between its ends
 * does not end them: another accountant may show that a budget of `near` is kept. With a time limit they run
 * in the order given, and those of distributions first give a rough answer; what is known at the end of the
 * time is the answer.
 *
 * `epsilon` and `delta` throw `Unsupported` when no accountant can answer, with the reason of each, and
 * `IncompatiblePlugins` when the certified bounds of two exclude each other.
 *
 * The minimum over accountants is valid only for events fixed in advance. For adaptively chosen events use
 * `filter`, the privacy filter of {@link bestLimit}.
 *
 * @param kinds - Event kinds beyond core's, for queries and limits without `kinds`.
 * @param time - The time for each question. Limits of ledgers have none.
 * @throws {InvalidParameter} when `accountants` is empty, or the time is not positive.
 */
export const bestOf = (
  accountants: readonly Accountant[],
  kinds: readonly EventKind[] = [],
  time?: TimeOptions,
): Answering & { readonly filter: FilterMaker } => ({
  ...bestAnswers(accountants, kinds, time),
  filter: (request) => bestLimit()({ kinds, ...request }),
});

/** {@link bestOf} without its filter. */
export const bestAnswers = (
  accountants: readonly Accountant[],
  kinds: readonly EventKind[] = [],
  time?: TimeOptions,
): Answering => answering(accountants, { kinds, time }, (question) => tightest(accountants, question).answer);

/**
 * Returns the first answer that is not an estimate: sound like {@link bestOf}, faster, and often looser. The
 * accountant that answered is tried first the next time, and is the winner.
 */
export function firstOf(
  accountants: readonly Accountant[],
  kinds: readonly EventKind[],
  time?: TimeOptions,
): Answering & { winner(): Accountant | undefined } {
  let order = accountants;
  let winner: Accountant | undefined;
  const first = answering(accountants, { kinds, time }, (question) => {
    const reasons: Reason[] = [];
    for (const accountant of order) {
      const answer = answerOf(accountant, question, reasons);
      if (answer === undefined) continue;
      if (order[0] !== accountant)
        order = [accountant, ...accountants.filter((other) => other !== accountant)];
      winner = accountant;
      return answer;
    }
    return nothing(question, reasons);
  });
  return { ...first, winner: () => winner };
}

/** {@link bestOf} that also returns the accountant of the last upper bound. */
export function bestWithWinner(
  accountants: readonly Accountant[],
  kinds: readonly EventKind[],
  time?: TimeOptions,
): Answering & { winner(): Accountant | undefined } {
  let winner: Accountant | undefined;
  const best = answering(accountants, { kinds, time }, (question) => {
    const found = tightest(accountants, question);
    winner = found.winner;
    return found.answer;
  });
  return { ...best, winner: () => winner };
}

interface Reason {
  readonly name: string;
  readonly why: string;
  readonly isLate?: boolean;
}

/** A question to accountants. */
interface Question {
  /** @param rough - Width in ε of a rough answer. */
  ask(accountant: Accountant, rough?: number): Interval;
  /** Sufficient width of the answer in ε. */
  readonly width: number;
  /** Where δ is asked for, if it is. */
  readonly epsilon: number | undefined;
  /** Value of ε that a narrow answer has to decide about, if ε is asked for. */
  readonly near: number | undefined;
  readonly limit: TimeLimit | undefined;
}

/** Relative width of an answer below which no further accountant runs. */
const enough = 1 / 2000;

/**
 * An answer may be this many times wider than the requested width, since accountants reach it only
 * approximately.
 */
const asWide = 10;

/** Relative width in ε of a rough answer. */
const roughShare = 0.05;

function answering(
  accountants: readonly Accountant[],
  { kinds, time }: { readonly kinds: readonly EventKind[]; readonly time: TimeOptions | undefined },
  choose: (question: Question) => Interval,
): Answering {
  if (accountants.length === 0) throw new InvalidParameter('no accountant was given; give at least one', {});
  assertTime(time);
  const about = <Asked extends AccountingContext>(
    query: Asked | undefined,
    epsilon: number | undefined,
    ask: (accountant: Accountant, query: Asked) => Interval,
  ): Question => {
    const limit = startTime(time, query?.signal);
    const watch = limit && { signal: limit.signal };
    const width = query?.width ?? 0;
    return {
      ask: (accountant, rough) =>
        ask(accountant, {
          kinds,
          // The accountants refuse a missing query.
          ...query,
          ...watch,
          ...(rough !== undefined && { width: Math.max(rough, width) }),
        } as Asked),
      width,
      epsilon,
      near: epsilon === undefined ? query?.near : undefined,
      limit,
    };
  };
  return {
    epsilon: (event, query: Query<'delta'> | undefined) =>
      choose(about(query, undefined, (accountant, asked) => accountant.epsilon(event, asked))),
    delta: (event, query: Query<'epsilon'> | undefined) =>
      choose(about(query, query?.epsilon, (accountant, asked) => accountant.delta(event, asked))),
  };
}

type Query<K extends 'delta' | 'epsilon'> = AccountingContext & Readonly<Record<K, number>>;

const wantsPairs = ({ wants }: Accountant): boolean => wants.includes('pair');
const wantsCurves = ({ wants }: Accountant): boolean =>
  !wants.includes('pair') && wants.some((want) => ['rdp', 'zcdp', 'tcdp'].includes(want));

/** The accountants with those of Rényi divergences after the first of privacy-loss distributions. */
function inTurn(accountants: readonly Accountant[]): readonly Accountant[] {
  const first = accountants.findIndex(wantsPairs);
  if (first < 0) return accountants;
  const before = accountants.slice(0, first);
  return [
    ...before.filter((accountant) => !wantsCurves(accountant)),
    accountants[first],
    ...before.filter(wantsCurves),
    ...accountants.slice(first + 1),
  ];
}

/** Whether another accountant may end a question with a narrow answer before `winner` is asked. */
export function isAskedLate(accountants: readonly Accountant[], winner: Accountant): boolean {
  const order = inTurn(accountants);
  return order.slice(0, order.indexOf(winner)).some(wantsPairs);
}

function tightest(
  accountants: readonly Accountant[],
  question: Question,
): { readonly answer: Interval; readonly winner: Accountant | undefined } {
  const { width, epsilon, near, limit } = question;
  const reasons: Reason[] = [];
  let least: { readonly answer: Interval; readonly winner: Accountant } | undefined;
  let lower = 0;
  let shownBy = '';
  /** Whether no further accountant is needed. */
  const consider = (accountant: Accountant, rough?: number): boolean => {
    const answer = answerOf(accountant, question, reasons, rough);
    if (answer === undefined) return false;
    if (answer.lower > lower) {
      lower = answer.lower;
      shownBy = methodOf(accountant, answer.method);
    }
    const isExact = answer.certificate === 'exact';
    if (
      least === undefined ||
      answer.upper < least.answer.upper ||
      (answer.upper === least.answer.upper &&
        (isExact === (least.answer.certificate === 'exact')
          ? accountants.indexOf(accountant) < accountants.indexOf(least.winner)
          : isExact))
    )
      least = { answer: { ...answer, method: methodOf(accountant, answer.method) }, winner: accountant };
    const { upper } = least.answer;
    if (isExact) return true;
    if (near !== undefined && lower <= near && near < upper) return false;
    // No certified upper bound can be below a certified lower bound.
    return upper - lower <= upper * enough || isNarrow({ lower, upper }, asWide * width, epsilon);
  };
  for (const accountant of limit === undefined ? inTurn(accountants) : accountants) {
    if (limit !== undefined && wantsPairs(accountant)) {
      const about = epsilon ?? least?.answer.upper ?? 1;
      const rough = about > 0 && about < Infinity ? roughShare * about : roughShare;
      if (consider(accountant, rough)) break;
    }
    if (consider(accountant)) break;
  }
  if (least === undefined) return { answer: nothing(question, reasons), winner: undefined };
  const { answer, winner } = least;
  const late =
    limit !== undefined && reasons.some(({ isLate }) => isLate) ? `, ended by ${limit.seconds} s` : '';
  const bounds = consistent({ lower, upper: answer.upper }, epsilon === undefined ? 'epsilon' : 'delta', {
    lower: shownBy,
    upper: answer.method,
  });
  return { answer: { ...answer, ...bounds, method: `${answer.method}${late}` }, winner };
}

/** What is known without an answer, if time was missing. @throws {Unsupported} if it was not. */
function nothing({ epsilon, limit }: Question, reasons: readonly Reason[]): Interval {
  if (limit === undefined || !reasons.some(({ isLate }) => isLate)) throw unanswered(reasons);
  return {
    lower: 0,
    upper: epsilon === undefined ? Infinity : 1,
    certificate: 'certified',
    method: `no answer within ${limit.seconds} s`,
    assumptions: [],
  };
}

/**
 * Whether an answer is as narrow as `width` in ε. A profile falls about as `e^(−slope ε)`, and that of
 * Gaussian noise has a slope of at least `log(1/δ)/ε`.
 */
function isNarrow({ lower, upper }: Bounds, width: number, epsilon: number | undefined): boolean {
  if (epsilon === undefined) return upper - lower <= width;
  return lower > 0 && Math.log(upper / lower) <= width * Math.max(1, -Math.log(upper) / epsilon);
}

/** Method with the accountant's name, except for methods that use only pure ε. */
const methodOf = ({ name }: Accountant, method: string): string =>
  method.startsWith(name) || method.startsWith(pureMethod) ? method : `${name}: ${method}`;

/** The error that lists each accountant's reason, equal reasons once. */
function unanswered(reasons: readonly Reason[]): Unsupported {
  const names = new Map<string, string[]>();
  for (const { name, why } of reasons) names.set(why, [...(names.get(why) ?? []), name]);
  const lines = [...names].map(([why, who]) => `${who.join(', ')}: ${why}`);
  return new Unsupported(`no accountant can answer: ${lines.join('; ')}`, { reasons: lines });
}

function answerOf(
  accountant: Accountant,
  { ask, limit }: Question,
  reasons: Reason[],
  rough?: number,
): Interval | undefined {
  const { name } = accountant;
  try {
    const answer = ask(accountant, rough);
    if (answer.certificate !== 'estimate') return answer;
    reasons.push({ name, why: 'gives an estimate only' });
  } catch (error) {
    const isLate = limit?.isOver(error) ?? false;
    if (!isLate && !(error instanceof Unsupported)) throw error;
    reasons.push({ name, why: (error as Error).message, isLate });
  }
  return undefined;
}
