import {
  type Accountant,
  type EventKind,
  type FilterMaker,
  type Interval,
  InvalidParameter,
  Unsupported,
} from '@lethe/core';
import type { Bounds } from '@lethe/numerics';
import { pureMethod } from './certify.js';
import { bestLimit } from '../filters/best-limit.js';

/** One accountant, or several combined. */
type Answering = Pick<Accountant, 'epsilon' | 'delta'>;

/**
 * Combines several accountants: the least certified upper bound and the largest lower bound. `method` names
 * the accountant of the upper bound. Accountants that cannot answer, or that only estimate, are skipped. They
 * run in order, fast ones first, until an answer is exact, or its ends are within 1/2000 of each other, or,
 * for ε, within ten times the query's `width`.
 *
 * `epsilon` and `delta` throw `Unsupported` when no accountant can answer, with the reason of each.
 *
 * The minimum over accountants is valid only for events fixed in advance. For adaptively chosen events use
 * `filter`, the privacy filter of {@link bestLimit}.
 *
 * @param kinds - Event kinds beyond core's, for queries and limits without `kinds`.
 * @throws {InvalidParameter} when `accountants` is empty.
 */
export const bestOf = (
  accountants: readonly Accountant[],
  kinds: readonly EventKind[] = [],
): Answering & { readonly filter: FilterMaker } => ({
  ...answering(accountants, kinds, (...query) => tightest(accountants, ...query).answer),
  filter: (request) => limitsOfBest({ kinds, ...request }),
});

const limitsOfBest = bestLimit();

/**
 * Returns the first answer that is not an estimate: sound like {@link bestOf}, faster, and often looser. The
 * accountant that answered is tried first the next time, and is the winner.
 */
export function firstOf(
  accountants: readonly Accountant[],
  kinds: readonly EventKind[],
): Answering & { winner(): Accountant | undefined } {
  let order = accountants;
  let winner: Accountant | undefined;
  const first = answering(accountants, kinds, (ask) => {
    const reasons: Reason[] = [];
    for (const accountant of order) {
      const answer = answerOf(accountant, ask, reasons);
      if (answer === undefined) continue;
      if (order[0] !== accountant)
        order = [accountant, ...accountants.filter((other) => other !== accountant)];
      winner = accountant;
      return answer;
    }
    throw unanswered(reasons);
  });
  return { ...first, winner: () => winner };
}

/** {@link bestOf} that also returns the accountant of the last upper bound. */
export function bestWithWinner(
  accountants: readonly Accountant[],
  kinds: readonly EventKind[],
): Answering & { winner(): Accountant | undefined } {
  let winner: Accountant | undefined;
  const best = answering(accountants, kinds, (...query) => {
    const found = tightest(accountants, ...query);
    winner = found.winner;
    return found.answer;
  });
  return { ...best, winner: () => winner };
}

interface Reason {
  readonly name: string;
  readonly why: string;
}
type Ask = (accountant: Accountant) => Interval;

/** Relative width of an answer below which no further accountant runs. */
const enough = 1 / 2000;

/**
 * An answer may be this many times wider than the requested width, since accountants reach it only
 * approximately.
 */
const asWide = 10;

function answering(
  accountants: readonly Accountant[],
  kinds: readonly EventKind[],
  choose: (ask: Ask, width?: number, epsilon?: number) => Interval,
): Answering {
  if (accountants.length === 0) throw new InvalidParameter('no accountant was given; give at least one', {});
  return {
    // The accountants refuse a missing query.
    epsilon: (event, query) =>
      choose(
        (accountant) => accountant.epsilon(event, { kinds, ...query }),
        (query as typeof query | undefined)?.width,
      ),
    delta: (event, query) =>
      choose(
        (accountant) => accountant.delta(event, { kinds, ...query }),
        (query as typeof query | undefined)?.width,
        (query as typeof query | undefined)?.epsilon,
      ),
  };
}

/**
 * @param width - Sufficient width of the answer in ε.
 * @param epsilon - Where δ is asked for, if it is.
 */
function tightest(
  accountants: readonly Accountant[],
  ask: Ask,
  width = 0,
  epsilon?: number,
): { readonly answer: Interval; readonly winner: Accountant } {
  const reasons: Reason[] = [];
  let least: Interval | undefined;
  let winner: Accountant | undefined;
  let lower = 0;
  for (const accountant of accountants) {
    const answer = answerOf(accountant, ask, reasons);
    if (answer === undefined) continue;
    lower = Math.max(lower, answer.lower);
    const exact = answer.certificate === 'exact';
    if (
      least === undefined ||
      answer.upper < least.upper ||
      (answer.upper === least.upper && exact && least.certificate !== 'exact')
    ) {
      least = { ...answer, method: methodOf(accountant, answer.method) };
      winner = accountant;
    }
    // No certified upper bound can be below a certified lower bound.
    if (
      exact ||
      least.upper - lower <= least.upper * enough ||
      isNarrow({ lower, upper: least.upper }, asWide * width, epsilon)
    )
      break;
  }
  if (least === undefined || winner === undefined) throw unanswered(reasons);
  return { answer: { ...least, lower: Math.min(lower, least.upper) }, winner };
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

function answerOf(accountant: Accountant, ask: Ask, reasons: Reason[]): Interval | undefined {
  try {
    const answer = ask(accountant);
    if (answer.certificate !== 'estimate') return answer;
    reasons.push({ name: accountant.name, why: 'gives an estimate only' });
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    reasons.push({ name: accountant.name, why: error.message });
  }
  return undefined;
}
