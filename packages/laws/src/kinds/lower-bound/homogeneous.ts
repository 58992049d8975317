import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { outcomeOf } from '../curator/outcomes.js';
import { formulaOnly, norm, parameter, withParameters } from './subject.js';

const groups = [['moment', 'secondMoment'], ['radius'], ['convexity']] as const;
const present = (subject: Subject<'lowerBound'>): readonly (readonly string[])[] =>
  groups
    .map((names) => names.filter((name) => parameter(subject, name) !== undefined))
    .filter((names) => names.length > 0);

/** The bound is homogeneous: it scales like the excess risk of its instance. */
export const homogeneous = defineLaw<'lowerBound'>({
  id: 'lowerBound/homogeneous',
  kind: 'lowerBound',
  tier: 'search',
  onClaim: true,
  statement:
    'when all moments, the radius or the convexity are multiplied by a number, ' +
    'the value and the cost of answering the origin on the same instance change by the same factor: ' +
    'its excess risk, or the norm of the mean of the records',
  power: 'a wrong power of any of them, by a relative error of 10⁻⁹',
  exempt: (subject) =>
    formulaOnly(subject) ??
    (present(subject).length > 0 ? undefined : `it has none of the parameters ${groups.flat().join(', ')}`),
  check(subject, env) {
    const measured = (params: unknown): { readonly value: number; readonly cost: number } | undefined => {
      const outcome = outcomeOf(() => subject.plugin.evaluate(params).value);
      if (params === undefined || !('value' in outcome)) return undefined;
      const found = defined(subject.plugin.instance)(params, env.random('scaled'));
      const cost = 'mean' in found ? norm(found.mean) : found.excessRisk(new Float64Array(found.columns));
      return { value: outcome.value, cost };
    };
    const one = measured(subject.params);
    return env.forAll(
      fc.tuple(
        fc.constantFrom(...present(subject)),
        fc.integer({ min: -30, max: 30 }).filter((e) => e !== 0),
      ),
      ([names, power]): Violation | undefined => {
        const changed = Object.fromEntries(
          names.map((name) => [name, (parameter(subject, name) ?? Number.NaN) * 2 ** (power / 3)]),
        );
        const params = withParameters(subject, changed);
        const other = measured(params);
        if (one === undefined || other === undefined) return undefined;
        const [got, want] = [other.value / one.value, other.cost / one.cost];
        return Math.abs(got - want) <= 1e-9 * want
          ? undefined
          : {
              what:
                `with ${names.join(' and ')} multiplied by ${2 ** (power / 3)}, ` +
                `the value is multiplied by ${got} and the cost of the origin by ${want}`,
              measured: got,
              allowed: want,
              input: params,
            };
      },
      { runs: 40 },
    );
  },
});
