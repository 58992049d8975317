import { Unsupported } from '@lethe/numerics';
import type { CoreEvent, GaussianCurve, DominatingPair } from '@lethe/core';
import type { Knower, Knowledge } from '../knowledge.js';
import { approximatePairs, noPairs, unprotectedPairs } from '../pairs/index.js';

/*
 * Events that state their guarantee. They carry no sensitivity, so they hold under the adjacency that is asked for: whoever
 * writes one into a ledger states it for the run's.
 */

export const pure: Knower<'core/pure'> = (event) => ({ pure: () => event.epsilon, pair: () => approximatePairs({ epsilon: event.epsilon, delta: 0 }, true) });

export const zcdp: Knower<'core/zcdp'> = (event) => ({ zcdp: () => event.rho });

/**
 * Rényi divergences stated at some orders. The divergence of a pair grows with its order, so what is stated at an order
 * bounds every lower one; of orders above the last nothing is known.
 */
export const renyi: Knower<'core/renyi'> = ({ orders }) => ({
  rdp: () => (alpha) => orders.reduce((least, { order, divergence }) => (order >= alpha ? Math.min(least, divergence) : least), Infinity),
});

/** A shuffled protocol shows how many messages there are, and with it how many users took part. */
export const shuffled: Knower<'core/shuffled'> = (event, adjacency) => {
  if (adjacency === 'add-remove') throw new Unsupported('a shuffled protocol shows how many users took part; it cannot hide whether one did. Use replace-one or zero-out.', { final: true, adjacency });
  return stated(event);
};

/** Nothing but an (ε, δ): some release costs as much. */
export const approximate: Knower<'core/approximate'> = (event) => ({ ...stated(event), pair: () => approximatePairs(event, true) });

/** A stated (ε, δ). With δ = 0 it is pure. */
function stated({ epsilon, delta }: CoreEvent<'core/approximate'> | CoreEvent<'core/shuffled'>): Knowledge {
  const known: Knowledge = { approximate: () => ({ epsilon, delta }) };
  return delta === 0 ? { ...known, pure: () => epsilon } : known;
}

const everywhere = (value: number, curve: GaussianCurve, pairs: readonly DominatingPair[]): Knowledge => ({
  pure: () => value,
  approximate: () => ({ epsilon: value, delta: 0 }),
  zcdp: () => value,
  tcdp: () => ({ rho: value, omega: Infinity }),
  rdp: () => () => value,
  gdp: () => curve,
  pair: () => pairs,
});

export const free: Knower<'core/free'> = () => everywhere(0, { lower: 0, mu: 0, exact: true }, noPairs);

export const unprotected: Knower<'core/unprotected'> = () => everywhere(Infinity, { lower: Infinity, mu: Infinity, exact: true }, unprotectedPairs);
