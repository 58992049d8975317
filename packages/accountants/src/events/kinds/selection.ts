import { addUp, divideUp, logUp } from '@lethe/numerics';
import type { Knower, Knowledge } from '../knowledge.js';
import { failureOfAny, meanRepetitions, worstPureTail, worstRenyiTail } from '../selection/index.js';
import { allRecords } from './sampled/all-records.js';

/** Orders at which the base's Rényi divergence bounds its tails. */
const tailOrders: readonly number[] = [2, 4, 8, 16, 32, 64, 128, 512];

/**
 * Releases the best of K independent runs of the base. K does not depend on the data: after each run the
 * selection stops with the stop probability, and at the cap. An output `y` of the base includes its score;
 * ties have a fixed order.
 *
 * Let `f(x) = E x^K`, and let `F` be the probability that a run is worse than `y`. The best is `y` with
 * probability `f(F + p(y)) − f(F)`, which is `p(y)` times a mean of `f′` over `[F, F + p(y)]`. So the loss of
 * the selection is at most the loss of the base plus the largest `log f′(a)/f′(b)` over pairs `a`, `b` of
 * probabilities of one set of outputs on the two sides.
 *
 * If a run fails with probability δ, the selection fails when any run does. Given no failure, smaller K are
 * more likely, and `f′` is evaluated at `(1 − δ)a` and `(1 − δ)b`, which are also such a pair.
 */
export const selection: Knower<'core/selection'> = (event, adjacency, nested): Knowledge => {
  const { base, stopProbability, cap } = event;
  if (stopProbability === 1 || cap === 1) return allRecords(base, adjacency, nested, 'base');
  const cost = (epsilon: number): number => {
    if (epsilon === Infinity) return Infinity;
    return epsilon === 0 ? 0 : addUp(epsilon, worstPureTail(event, epsilon));
  };
  const pure = (): number => nested(base, 'pure', adjacency, 'base');
  return {
    pure: () => cost(pure()),
    approximate: () => {
      const { epsilon, delta } = nested(base, 'approximate', adjacency, 'base');
      return { epsilon: cost(epsilon), delta: failureOfAny(event, delta) };
    },
    /**
     * As in Papernot and Steinke's bound, one factor `f′` is at most `E K`, and the other powers are of
     * ratios.
     */
    rdp: () => {
      const curve = nested(base, 'rdp', adjacency, 'base');
      const epsilon = nested.known(base, 'pure', adjacency, 'base') ?? Infinity;
      const bounds = tailOrders
        .map((order) => ({ order, divergence: curve(order) }))
        .filter(({ divergence }) => divergence < Infinity);
      const byOrders = worstRenyiTail(event, bounds);
      const added = epsilon < Infinity ? worstPureTail(event, epsilon) : Infinity;
      const [ceiling, ratio] = [addUp(epsilon, added), Math.min(byOrders, added)];
      const repetitions = addUp(logUp(meanRepetitions(event)), 2 ** -46);
      return (alpha) =>
        Math.min(ceiling, addUp(addUp(curve(alpha), ratio), divideUp(repetitions, alpha - 1)));
    },
  };
};
