import type { HardProblem } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { domainIn } from '../../engines/ball-domain.js';
import { type Violation, fails, judge } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { outcomeOf } from '../curator/outcomes.js';
import { lossOf, momentsOf, noInstance, parameter, problemOf } from './subject.js';

/** The problem of the instances is public and consistent. */
export const problem = defineLaw<'lowerBound'>({
  id: 'lowerBound/problem',
  kind: 'lowerBound',
  tier: 'exact',
  statement:
    'a bound with instances declares their problem, equal at every call: a loss, a valid domain, bounds ' +
    'of records and declared facts; moments are non-decreasing in their order, moments with the supremum ' +
    'inside are at least those with it outside, and the population is at least as smooth as each record',
  power: 'certain',
  exempt: noInstance,
  check(subject) {
    const { plugin, params } = subject;
    const given = problemOf(subject);
    if (given === undefined) return fails(1, { what: 'it draws instances and declares no problem' });
    if (JSON.stringify(defined(plugin.problem)(params)) !== JSON.stringify(given))
      return fails(2, { what: 'two calls of problem give different problems', input: params });
    return judge(2, parts(subject, given) ?? moments(subject, given) ?? smoothness(subject, given));
  },
});

function parts(
  subject: Subject<'lowerBound'>,
  { loss, domain, record: { columns: dimension }, facts }: HardProblem,
): Violation | undefined {
  if (loss.kind !== 'loss' || domain.kind !== 'domain')
    return {
      what: `its loss and domain are references of the kinds '${loss.kind}' and '${domain.kind}'`,
      input: { loss, domain },
    };
  const built = outcomeOf(() => domainIn(subject.registry, domain, dimension));
  const said = parameter(subject, 'dimension');
  if (!('value' in built))
    return { what: `its domain is invalid: ${built.message}`, input: domain, cause: built.error };
  if (said !== undefined && dimension !== said)
    return {
      what: `its records have ${dimension} columns; the parameters say ${said}`,
      measured: dimension,
      allowed: said,
    };
  const bad = Object.entries(facts).find(
    ([, { value, provenance }]) =>
      !Number.isFinite(value) || (provenance !== 'declared' && provenance !== 'from-domain'),
  );
  return bad === undefined
    ? undefined
    : { what: `the fact '${bad[0]}' is not a public fact with a finite value`, input: bad[1] };
}

function moments(subject: Subject<'lowerBound'>, { facts }: HardProblem): Violation | undefined {
  let below = 0;
  for (const [order, value] of momentsOf(subject)) {
    if (value < below)
      return {
        what: `the moment of order ${order} is said to be ${value}, less than a moment of a lower order`,
        measured: value,
        allowed: below,
      };
    below = value;
    const uniform = facts[`uniformGradientMoment.${order}`]?.value;
    if (uniform !== undefined && uniform < value)
      return {
        what:
          `with the supremum inside, the moment of order ${order} is said to be ${uniform}, ` +
          'less than with it outside',
        measured: uniform,
        allowed: value,
      };
  }
  return undefined;
}

function smoothness(subject: Subject<'lowerBound'>, { facts, record }: HardProblem): Violation | undefined {
  const loss = lossOf(subject);
  const [population, each] = [
    facts['populationSmoothness']?.value,
    loss?.plugin.facts(loss.params, record)['smoothness']?.value,
  ];
  return population === undefined || each === undefined || population <= each * (1 + 1e-9)
    ? undefined
    : {
        what:
          `the Lipschitz constant of the population's gradient is declared as ${population}, ` +
          `that of every record as at most ${each}`,
        measured: population,
        allowed: each,
      };
}
