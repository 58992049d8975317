import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { realDraws, recordedDraws } from '../mechanism/lattice.js';
import { choicesOf } from './choices.js';

/**
 * `exact` says that choices assume no real arithmetic. What a draw from a density in doubles leaves out, such
 * as a candidate whose probability is below 2⁻⁵³, no number of choices shows; the draw itself does. Whether a
 * selector makes doubles of its own from whole draws is beyond any law: its choices may be those of an exact
 * one, draw by draw.
 */
export const exactDraws = defineLaw<'selector'>({
  id: 'selector/exact-coins',
  kind: 'selector',
  tier: 'search',
  statement: 'a selector whose numerics are exact draws whole numbers alone, none from a density',
  power: 'one real-valued draw in 60 choices',
  exempt: ({ plugin }) =>
    plugin.numerics === 'exact' ? undefined : 'it declares idealised numerics, which assume real arithmetic',
  check: ({ plugin, params }, env) =>
    env.forAll(
      choicesOf(6),
      ({ utilities, epsilon }): Violation | undefined => {
        const seen = new Set<string>();
        plugin.choose(
          params,
          Float64Array.from(utilities),
          epsilon,
          recordedDraws(env.random('coins'), seen),
        );
        const real = realDraws(seen);
        return real.length === 0
          ? undefined
          : {
              what:
                `exact numerics are declared, and a choice draws ${real.join(', ')}: doubles, which have a ` +
                'least probability',
              input: { utilities, epsilon },
            };
      },
      { runs: 60 },
    ),
});
