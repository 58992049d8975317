import type { DominatingPair, PairFactor } from '@lethe/core';

/** A product that some neighbours come to: the pair itself where it is attained, else its witness, if any. */
export const witnessOf = ({
  attained,
  factors,
  witness,
}: DominatingPair): readonly PairFactor[] | undefined => (attained ? factors : witness);

/** The pair as an upper bound alone. */
export const upperOnly = ({ direction, factors }: DominatingPair): DominatingPair => ({
  direction,
  factors,
  attained: false,
});
