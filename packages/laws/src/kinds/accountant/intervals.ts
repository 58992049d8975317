import { assumptionsOf } from '@lethe/accountants';
import { deepFreeze, type Interval } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { defineLaw } from '../../law/law.js';
import { holds, type Violation } from '../../law/finding.js';
import { answerTo, epsilonOf, type Question, runsFor, sparing } from './ask.js';
import { adjacencyCells, deltas, epsilons, events, samples } from './events.js';

/** Violation in the form of an answer, if any. */
export function malformed(
  { lower, estimate, upper, certificate, method, assumptions }: Interval,
  { event, at }: Pick<Question, 'event' | 'at'>,
): Violation | undefined {
  const name = 'delta' in at ? 'ε' : 'δ';
  const most = 'delta' in at ? Infinity : 1;
  const bad = (what: string, measured?: number, allowed?: number): Violation => ({
    what,
    ...(measured === undefined ? {} : { measured }),
    ...(allowed === undefined ? {} : { allowed }),
  });
  if (!(lower >= 0))
    return bad(`the lower bound of ${name} is ${lower}; it must be a number from 0`, lower, 0);
  if (!(upper >= lower))
    return bad(`the upper bound of ${name} is ${upper}, below its lower bound ${lower}`, upper, lower);
  if (!(upper <= most))
    return bad(`the upper bound of ${name} is ${upper}; it must be at most ${most}`, upper, most);
  if (estimate !== undefined && !(estimate >= lower && estimate <= upper))
    return bad(`the estimate of ${name} is ${estimate}, outside its interval [${lower}, ${upper}]`, estimate);
  if (certificate !== 'exact' && certificate !== 'certified' && certificate !== 'estimate')
    return bad(`the certificate is '${String(certificate)}'; it must be 'exact', 'certified' or 'estimate'`);
  if (certificate === 'exact' && !(upper === lower || upper - lower <= 1e-6 * Math.max(upper, 1e-3)))
    return bad(
      `the certificate is 'exact' although ${name} is only known to be in [${lower}, ${upper}]`,
      upper - lower,
      1e-6 * upper,
    );
  if (typeof method !== 'string' || method === '') return bad('the answer does not name its method');
  if (!Array.isArray(assumptions) || assumptions.some((text) => typeof text !== 'string'))
    return bad(`the assumptions are ${JSON.stringify(assumptions)}; they must be a list of strings`);
  const silent = assumptionsOf(event).filter((assumption) => !assumptions.includes(assumption));
  return silent.length === 0
    ? undefined
    : bad(
        `the answer relies on ${silent.join(', ')} and does not list it: its assumptions are ` +
          `${JSON.stringify(assumptions)}`,
      );
}

export const interval = defineLaw<'accountant'>({
  id: 'accountant/interval',
  kind: 'accountant',
  tier: 'search',
  statement:
    'an answer is an interval 0 ≤ lower ≤ upper without NaN, δ at most 1, the estimate inside, ' +
    'with a certificate that matches its width, a method, and all assumptions of the event',
  power: `any malformed answer on 1 of 60 events at one of two queries; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) =>
    forAll(
      fc.record({ event: events, delta: deltas, epsilon: epsilons }),
      ({ event, delta, epsilon }) => {
        for (const at of [{ delta }, { epsilon }]) {
          const question: Question = deepFreeze({ event, adjacency: defined(cell.adjacency), at });
          const answer = answerTo(plugin, question);
          const violation = answer && malformed(answer, question);
          if (violation) return { ...violation, input: question };
        }
        return undefined;
      },
      { runs: runsFor(plugin, 40), examples: samples.map((event) => ({ event, delta: 1e-5, epsilon: 1 })) },
    ),
});

export const answers = defineLaw<'accountant'>({
  id: 'accountant/answers',
  kind: 'accountant',
  tier: 'exact',
  statement:
    'the accountant has a finite bound on ε for some ordinary release: refusing every event, ' +
    'or answering infinity for every event, is a failure',
  power: 'certain',
  check: ({ plugin }) => {
    const costs = samples.flatMap((event) =>
      (['zero-out', 'replace-one', 'add-remove'] as const).map(
        (adjacency) => epsilonOf(plugin, event, { adjacency, delta: 1e-5 })?.upper,
      ),
    );
    if (costs.some((upper) => upper !== undefined && upper < Infinity)) return holds(costs.length);
    return {
      verdict: 'fails',
      samples: costs.length,
      violation: {
        what:
          `of ${costs.length} queries about ordinary releases, ` +
          `${costs.filter((upper) => upper === undefined).length} are ` +
          'refused and the others answered with ε = ∞',
        input: samples[0],
      },
    };
  },
});
