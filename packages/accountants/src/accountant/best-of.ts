import { type Accountant, type EventKind, type FilterMaker, type Interval, InvalidParameter, Unsupported } from '@lethe/core';
import { pureMethod } from './certify.js';
import { bestLimit } from '../filters/best-limit.js';

/** What answers: one accountant, or several as one. */
type Answering = Pick<Accountant, 'epsilon' | 'delta'>;

/**
 * Asks several accountants and keeps the least certified upper and the largest lower bound; `method` names whose upper bound
 * it is. An accountant that cannot answer is passed over, and so is one that only estimates. They are asked in order, and no
 * further once an answer is exact, or its ends are within 1/2000 of each other, or for ε ten times the question's width: so put quick ones first.
 *
 * The answers throw `Unsupported` when no accountant can answer, with the reason of each.
 *
 * The least of several answers holds for what was fixed in advance, and is no filter: limits on what is chosen answer by answer are
 * kept by `filter`, which is that of {@link bestLimit}.
 *
 * @param kinds - Event kinds beyond core's, for queries and limits that bring none.
 * @throws {InvalidParameter} when `accountants` is empty.
 */
export const bestOf = (accountants: readonly Accountant[], kinds: readonly EventKind[] = []): Answering & { readonly filter: FilterMaker } => ({
  ...answering(accountants, kinds, (ask, width) => tightest(accountants, ask, width).answer),
  filter: (request) => limitsOfBest({ kinds, ...request }),
});

const limitsOfBest = bestLimit();

/**
 * Asks in order and keeps the first answer that is no estimate: sound like {@link bestOf}, quick, and often looser. Whoever
 * answered is asked first the next time.
 */
export function firstOf(accountants: readonly Accountant[], kinds: readonly EventKind[]): Answering {
  let order = accountants;
  return answering(accountants, kinds, (ask) => {
    const reasons: Reason[] = [];
    for (const accountant of order) {
      const answer = answerOf(accountant, ask, reasons);
      if (answer === undefined) continue;
      if (order[0] !== accountant) order = [accountant, ...accountants.filter((other) => other !== accountant)];
      return answer;
    }
    throw nobody(reasons);
  });
}

/** {@link bestOf} that tells who gave the upper bound of an answer. */
export function bestWithWinner(accountants: readonly Accountant[], kinds: readonly EventKind[]): Answering & { winner(): Accountant | undefined } {
  let winner: Accountant | undefined;
  const best = answering(accountants, kinds, (ask, width) => {
    const found = tightest(accountants, ask, width);
    winner = found.winner;
    return found.answer;
  });
  return { ...best, winner: () => winner };
}

interface Reason { readonly name: string; readonly why: string }
type Ask = (accountant: Accountant) => Interval;

/** Relative gap between the ends of an answer below which no further accountant is asked. */
const enough = 1 / 2000;

/** Times the width that is enough which an answer may be wide, since widths are approached and not promised. */
const asWide = 10;

function answering(accountants: readonly Accountant[], kinds: readonly EventKind[], choose: (ask: Ask, width?: number) => Interval): Answering {
  if (accountants.length === 0) throw new InvalidParameter('no accountant was given; give at least one', {});
  return {
    // A query that is missing is refused by the accountants, by name.
    epsilon: (event, query) => choose((accountant) => accountant.epsilon(event, { kinds, ...query }), (query as typeof query | undefined)?.width),
    delta: (event, query) => choose((accountant) => accountant.delta(event, { kinds, ...query })),
  };
}

/** @param width - What is left open of an answer that is narrow enough, in what is asked. */
function tightest(accountants: readonly Accountant[], ask: Ask, width = 0): { readonly answer: Interval; readonly winner: Accountant } {
  const reasons: Reason[] = [];
  let least: Interval | undefined;
  let winner: Accountant | undefined;
  let lower = 0;
  for (const accountant of accountants) {
    const answer = answerOf(accountant, ask, reasons);
    if (answer === undefined) continue;
    lower = Math.max(lower, answer.lower);
    const exact = answer.certificate === 'exact';
    if (least === undefined || answer.upper < least.upper || (answer.upper === least.upper && exact && least.certificate !== 'exact')) {
      least = { ...answer, method: says(accountant, answer.method) };
      winner = accountant;
    }
    // No certified upper bound is below a certified lower bound.
    if (exact || least.upper - lower <= Math.max(asWide * width, least.upper * enough)) break;
  }
  if (least === undefined || winner === undefined) throw nobody(reasons);
  return { answer: { ...least, lower: Math.min(lower, least.upper) }, winner };
}

/** A method with whose it is; what rests on ε alone is nobody's. */
const says = ({ name }: Accountant, method: string): string => (method.startsWith(name) || method.startsWith(pureMethod) ? method : `${name}: ${method}`);

/** The error that lists each accountant's reason, equal reasons once. */
function nobody(reasons: readonly Reason[]): Unsupported {
  const names = new Map<string, string[]>();
  for (const { name, why } of reasons) names.set(why, [...names.get(why) ?? [], name]);
  const said = [...names].map(([why, who]) => `${who.join(', ')}: ${why}`);
  return new Unsupported(`no accountant can answer: ${said.join('; ')}`, { reasons: said });
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
