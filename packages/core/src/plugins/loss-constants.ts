import { addUp, multiplyUp, sqrtUp } from '@lethe/numerics';
import { coordinateFact } from './coordinate-facts.js';
import type { Fact } from './fact.js';

type Facts = Readonly<Record<string, Fact>>;

const certified = (fact: Fact | undefined): number | undefined =>
  fact?.scope === 'every-record' ? fact.value : undefined;

/**
 * A Lipschitz constant `L_U` of every record's loss along the coordinates `U`: the least of `lipschitz` and
 * `(Σ_{j ∈ U} L_j²)^½` with `L_j` the facts `coordinateLipschitz`, rounded up. Only facts that hold for
 * every record count; `undefined` where none tells. The larger `U`, the larger the constant.
 *
 * For linear models with bounded columns it is the least there is.
 *
 * @param coordinates - `U`; all of them if left out: then the fact `lipschitz`, or what follows from a
 * constant for each of `dimension` coordinates.
 * @see Maranjyan, Sadiev and Richtárik 2024, Assumption 3.7.
 */
export function blockLipschitz(
  facts: Facts,
  dimension: number,
  coordinates?: ArrayLike<number>,
): number | undefined {
  const whole = certified(facts['lipschitz']);
  let sum = 0;
  for (let k = 0; k < (coordinates?.length ?? dimension); k++) {
    const constant = certified(coordinateFact(facts, 'coordinateLipschitz', coordinates?.[k] ?? k));
    if (constant === undefined) return whole;
    sum = addUp(sum, multiplyUp(constant, constant));
  }
  const root = sqrtUp(sum);
  return whole === undefined ? root : Math.min(whole, root);
}
