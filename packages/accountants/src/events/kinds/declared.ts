import { Unsupported } from '@lethe/numerics';
import type { CoreEvent, GaussianCurve, DominatingPair } from '@lethe/core';
import type { Knower, Knowledge } from '../knowledge.js';
import { approximatePairs, noPairs, unprotectedPairs } from '../pairs/index.js';

/*
 * Events with a stated guarantee. They have no sensitivity, so they hold under the requested adjacency: in a
 * ledger, the adjacency of the run.
 */

export const pure: Knower<'core/pure'> = (event) => ({
  pure: () => event.epsilon,
  pair: () => approximatePairs({ epsilon: event.epsilon, delta: 0 }, true),
});

export const zcdp: Knower<'core/zcdp'> = (event) => ({ zcdp: () => event.rho });

/**
 * Rényi divergences stated at some orders, and a μ of Gaussian differential privacy where one is. The
 * divergence increases with the order, so a stated divergence bounds all lower orders; above the largest
 * order there is no bound.
 */
export const renyi: Knower<'core/renyi'> = ({ orders, mu }) => ({
  ...(mu !== undefined && { gdp: () => ({ lower: 0, mu, exact: false }) }),
  rdp: () => (alpha) =>
    orders.reduce(
      (least, { order, divergence }) => (order >= alpha ? Math.min(least, divergence) : least),
      Infinity,
    ),
});

/** A shuffled protocol reveals the number of messages, and so the number of users. */
export const shuffled: Knower<'core/shuffled'> = (event, adjacency) => {
  if (adjacency === 'add-remove')
    throw new Unsupported(
      'a shuffled protocol reveals the number of users, so it has no add-remove guarantee. ' +
        'Use replace-one or zero-out.',
      { final: true, adjacency },
    );
  return stated(event);
};

/** A stated (ε, δ); some release attains it. */
export const approximate: Knower<'core/approximate'> = (event) => ({
  ...stated(event),
  pair: () => approximatePairs(event, true),
});

/** An (ε, δ) verified by sampling: a bound of the whole procedure, which nothing attains. */
export const verified: Knower<'core/verified'> = ({ epsilon, delta }) => ({
  approximate: () => ({ epsilon, delta }),
  pair: () => approximatePairs({ epsilon, delta }, false),
});

/** A stated (ε, δ); pure if δ = 0. */
function stated({ epsilon, delta }: CoreEvent<'core/approximate'> | CoreEvent<'core/shuffled'>): Knowledge {
  const known: Knowledge = { approximate: () => ({ epsilon, delta }) };
  return delta === 0 ? { ...known, pure: () => epsilon } : known;
}

const constant = (value: number, curve: GaussianCurve, pairs: readonly DominatingPair[]): Knowledge => ({
  pure: () => value,
  approximate: () => ({ epsilon: value, delta: 0 }),
  zcdp: () => value,
  tcdp: () => ({ rho: value, omega: Infinity }),
  rdp: () => () => value,
  gdp: () => curve,
  pair: () => pairs,
});

export const free: Knower<'core/free'> = () => constant(0, { lower: 0, mu: 0, exact: true }, noPairs);

export const unprotected: Knower<'core/unprotected'> = () =>
  constant(Infinity, { lower: Infinity, mu: Infinity, exact: true }, unprotectedPairs);
