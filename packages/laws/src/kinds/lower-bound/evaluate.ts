import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { type Violation, fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { outcomeOf } from '../curator/outcomes.js';
import { withParameters } from './subject.js';

type Value = ReturnType<Subject<'lowerBound'>['plugin']['evaluate']>;

function wrongWith(found: Value): string | undefined {
  const { value, explicit, terms } = found;
  if (!(value >= 0 && value < Infinity))
    return `its value is ${value}; it must be finite and at least 0, or refused`;
  if (typeof explicit !== 'boolean')
    return `explicit is ${String(explicit)}; it must be true (constants proved) or false`;
  if ('drawn' in found && !(found.drawn === undefined || (found.drawn >= 0 && found.drawn <= value)))
    return `its part drawn is ${found.drawn}; it must be from 0 to the value, ${value}`;
  if ('probability' in found && explicit) {
    const { probability, rootMeanSquare } = found;
    if (!(probability !== null && probability > 0 && probability <= 1))
      return `its probability is ${probability}; with proved constants it must be above 0 and at most 1`;
    if (!(rootMeanSquare !== null && rootMeanSquare >= 0 && rootMeanSquare < Infinity))
      return (
        `its root mean square is ${rootMeanSquare}; ` +
        'with proved constants it must be finite and at least 0'
      );
  }
  const bad = Object.entries(terms).find(([, term]) => !Number.isFinite(term));
  return bad === undefined ? undefined : `its term '${bad[0]}' is ${bad[1]}`;
}

/** The bound has a value at its examples, and a statement. */
export const value = defineLaw<'lowerBound'>({
  id: 'lowerBound/value',
  kind: 'lowerBound',
  tier: 'exact',
  statement:
    'at the tested parameters the value is finite, at least 0 and equal at every call; the part that ' +
    'drawn instances prove is at most the value; its statement is not empty',
  power: 'certain',
  check({ plugin, params }) {
    const before = JSON.stringify(params);
    const first = plugin.evaluate(params);
    const wrong = wrongWith(first);
    if (wrong !== undefined) return fails(1, { what: wrong, input: params });
    if (JSON.stringify(plugin.evaluate(params)) !== JSON.stringify(first))
      return fails(2, { what: 'two evaluations give different values', input: params });
    if (JSON.stringify(params) !== before)
      return fails(2, { what: 'evaluate modified its parameters', input: params });
    return plugin.statement.trim() === ''
      ? fails(2, { what: 'its statement is empty; it must give the inequality with its regime' })
      : holds(2);
  },
});

/** Parameters outside the regime are refused. */
export const regime = defineLaw<'lowerBound'>({
  id: 'lowerBound/regime',
  kind: 'lowerBound',
  tier: 'search',
  statement:
    'for any parameters that its schema accepts, evaluate returns a finite value or throws InvalidParameter',
  power:
    'a value that is infinite, negative or NaN, or an untyped error, ' +
    'at 300 sets of parameters within 2⁴⁰ of the example',
  check(subject, env) {
    const names = Object.entries(subject.params as object)
      .filter(([, given]) => typeof given === 'number')
      .map(([name]) => name);
    const factor = fc.tuple(
      fc.constantFrom(...(names.length > 0 ? names : ['none'])),
      fc.integer({ min: -40, max: 40 }),
    );
    return env.forAll(
      fc.array(factor, { minLength: 1, maxLength: 3 }),
      (factors): Violation | undefined => {
        const changed = Object.fromEntries(
          factors.map(([name, power]) => {
            const given = (subject.params as Readonly<Record<string, number>>)[name] ?? 1;
            const scaled = given * 2 ** power;
            return [name, Number.isInteger(given) ? Math.max(1, Math.round(scaled)) : scaled];
          }),
        );
        const params = withParameters(subject, changed);
        if (params === undefined) return undefined;
        const outcome = outcomeOf(() => subject.plugin.evaluate(params));
        if ('value' in outcome) {
          const wrong = wrongWith(outcome.value);
          return wrong === undefined ? undefined : { what: wrong, input: params };
        }
        return outcome.error instanceof InvalidParameter
          ? undefined
          : {
              what: `it throws ${outcome.message}; outside its regime it must throw InvalidParameter`,
              input: params,
              cause: outcome.error,
            };
      },
      { runs: 300 },
    );
  },
});

const falling = ['n', 'rho', 'epsilon', 'delta'];
const rising = ['radius', 'moment', 'secondMoment', 'lipschitz', 'diameter'];

/** More data or less privacy never increase the bound. */
export const monotone = defineLaw<'lowerBound'>({
  id: 'lowerBound/monotone',
  kind: 'lowerBound',
  tier: 'search',
  onClaim: true,
  statement:
    'within its regime the bound is non-increasing in n, ρ, ' +
    'ε and δ, and non-decreasing in radius and moments',
  power: 'a relative change of 10⁻¹² in the wrong direction between parameters a factor 2 to 2¹⁰ apart',
  exempt: ({ params }) =>
    [...falling, ...rising].some((name) => typeof (params as Record<string, unknown>)[name] === 'number')
      ? undefined
      : `it has none of the parameters ${[...falling, ...rising].join(', ')}`,
  check(subject, env) {
    const given = subject.params as Readonly<Record<string, unknown>>;
    const names = [...falling, ...rising].filter((name) => typeof given[name] === 'number');
    const at = (changed: Readonly<Record<string, unknown>>): number | undefined => {
      const params = withParameters(subject, changed);
      const outcome =
        params === undefined ? undefined : outcomeOf(() => subject.plugin.evaluate(params).value);
      return outcome !== undefined && 'value' in outcome ? outcome.value : undefined;
    };
    return env.forAll(
      fc.tuple(fc.constantFrom(...names), fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 10 })),
      ([name, from, by]): Violation | undefined => {
        const low = (given[name] as number) * (Number.isInteger(given[name]) ? 2 ** from : 2 ** (from - 10));
        const high = low * 2 ** by;
        const [less, more] = [at({ [name]: low }), at({ [name]: high })];
        if (less === undefined || more === undefined) return undefined;
        const grows = rising.includes(name);
        const [small, large] = grows ? [less, more] : [more, less];
        return small <= large * (1 + 1e-12)
          ? undefined
          : {
              what:
                `it ${grows ? 'falls' : 'grows'} from ${less} to ${more} ` +
                `when ${name} goes from ${low} to ${high}`,
              measured: small,
              allowed: large,
              input: { ...given, [name]: high },
            };
      },
      { runs: 200 },
    );
  },
});
