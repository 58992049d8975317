import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { firstOf, unlessRefused } from '../curator/outcomes.js';

export const refusals = defineLaw<'selector'>({
  id: 'selector/refusals',
  kind: 'selector',
  tier: 'exact',
  statement:
    'an empty list of candidates, a utility that is not finite at any position, ' +
    'and an ε that is not positive and finite throw a typed error',
  power: 'certain for each of 23 invalid choices',
  check: ({ plugin, params }, env) =>
    firstOf(
      (function* (): Generator<Violation | undefined> {
        const refused = (
          what: string,
          utilities: readonly number[],
          epsilon: number,
        ): Violation | undefined =>
          unlessRefused(
            what,
            () => plugin.choose(params, Float64Array.from(utilities), epsilon, env.random('refused')),
            ['invalid-parameter'],
            { utilities, epsilon },
          );
        yield refused('a choice among no candidates', [], 1);
        for (const bad of [NaN, Infinity, -Infinity]) {
          yield refused(`the only utility ${bad}`, [bad], 1);
          for (const at of [0, 1, 4])
            yield refused(
              `a utility ${bad} at ${at}`,
              [5, 1, 2, 3, 4].map((u, i) => (i === at ? bad : u)),
              1,
            );
          yield refused(`utilities all ${bad}`, [bad, bad], 1);
        }
        for (const epsilon of [0, -0, -1, NaN, Infinity, -Infinity, -5e-324])
          yield refused(`ε = ${epsilon}`, [0, 1], epsilon);
      })(),
    ),
});
