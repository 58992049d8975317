import { type Accountant, type EventKind, type Interval, InvalidParameter, Unsupported } from '@lethe/core';

/**
 * Asks several accountants and keeps the least certified upper and the largest lower bound; `method` names whose upper bound
 * it is. An accountant that cannot answer is passed over, and so is one that only estimates.
 *
 * The answers throw `Unsupported` when no accountant can answer, with the reason of each.
 *
 * @param kinds - Event kinds beyond core's, for queries that bring none.
 * @throws {InvalidParameter} when `accountants` is empty.
 */
export function bestOf(accountants: readonly Accountant[], kinds: readonly EventKind[] = []): Pick<Accountant, 'epsilon' | 'delta'> {
  if (accountants.length === 0) throw new InvalidParameter('no accountant was given; give at least one', {});
  return {
    epsilon: (event, query) => best(accountants, (accountant) => accountant.epsilon(event, { kinds, ...query })),
    delta: (event, query) => best(accountants, (accountant) => accountant.delta(event, { kinds, ...query })),
  };
}

function best(accountants: readonly Accountant[], ask: (accountant: Accountant) => Interval): Interval {
  const reasons: string[] = [];
  let least: Interval | undefined;
  let lower = 0;
  for (const accountant of accountants) {
    const answer = answerOf(accountant, ask, reasons);
    if (answer === undefined) continue;
    lower = Math.max(lower, answer.lower);
    const method = answer.method.startsWith(accountant.name) ? answer.method : `${accountant.name}: ${answer.method}`;
    if (least === undefined || answer.upper < least.upper || (answer.upper === least.upper && answer.certificate === 'exact' && least.certificate !== 'exact')) {
      least = { ...answer, method };
    }
  }
  if (least === undefined) throw new Unsupported(`no accountant can answer: ${reasons.join('; ')}`, { reasons });
  return { ...least, lower: Math.min(lower, least.upper) };
}

function answerOf(accountant: Accountant, ask: (accountant: Accountant) => Interval, reasons: string[]): Interval | undefined {
  try {
    const answer = ask(accountant);
    if (answer.certificate !== 'estimate') return answer;
    reasons.push(`${accountant.name}: gives an estimate only`);
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    reasons.push(`${accountant.name}: ${error.message}`);
  }
  return undefined;
}
