import { divideUp } from '@lethe/numerics';
import { InvalidParameter, renyiEvent, type FilterMaker, type PrivacyEvent } from '@lethe/core';
import { resolveEvent } from '@lethe/accountants';

/**
 * A privacy filter of the kit's own: Rényi divergences at one order add up to at most `ε − ln(1/δ)/(α − 1)`,
 * at the order at which that is half of ε.
 *
 * @see Mironov 2017, Proposition 3; Feldman, Zrnic 2021.
 */
export const filterByOrder: FilterMaker = ({ epsilon, delta, adjacency, kinds }) => {
  if (!(delta > 0))
    throw new InvalidParameter(`the kit's filter keeps no limit at δ = ${delta}; give a positive δ`, {
      epsilon,
      delta,
    });
  const order = 1 - (2 * Math.log(delta)) / epsilon;
  const budget = epsilon - divideUp(-Math.log(delta), order - 1);
  const limit = Object.freeze({
    kind: 'core/filtered',
    v: 1,
    limit: renyiEvent([{ order, divergence: budget }]),
  });
  const used = (event: PrivacyEvent): number =>
    resolveEvent(event, 'rdp', { adjacency, ...(kinds === undefined ? {} : { kinds }) })(order);
  return {
    rule: 'one-order',
    spec: { order, budget },
    limit,
    admits: (event) => used(event) <= budget,
    share: (event) => divideUp(used(event), budget),
  };
};
