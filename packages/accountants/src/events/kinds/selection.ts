import { addUp, divideUp, multiplyUp } from '@lethe/numerics';
import type { Adjacency, Characterisations, CoreEvent, PrivacyEvent } from '@lethe/core';
import { gaussianDelta } from '../../gaussian/gaussian-curve.js';
import { deltaOfOrder } from '../../renyi/renyi-conversion.js';
import { soleLossDistribution } from '../amplification/index.js';
import type { Knowledge, NestedResolver } from '../knowledge.js';
import { approximatePairs, unprotectedPairs } from '../pairs/index.js';
import { pureRenyi } from '../renyi/index.js';
import {
  runsOf,
  type Runs,
  type SelectionEvent,
  someFails,
  witnessOfSelection,
  worstRenyiTail,
} from '../selection/index.js';
import { allRecords } from './sampled/all-records.js';

/** Orders at which the base's Rényi divergence bounds its tails. */
const tailOrders: readonly number[] = [2, 4, 8, 16, 32, 64, 128, 512];

/**
 * Releases the best of K ≥ 1 independent runs of the base. K does not depend on the data. An output `y` of
 * the base includes its score; ties have a fixed order.
 *
 * Let `f(x) = E x^K`, and let `F` be the probability that a run is worse than `y`. The best is `y` with
 * probability `f(F + p(y)) − f(F)`, which is `p(y)` times a mean of `f′` over `[F, F + p(y)]`. So the loss of
 * the selection is at most the loss of the base plus the largest `log f′(a)/f′(b)` over pairs `a`, `b` of
 * probabilities of one set of outputs on the two sides.
 *
 * If a run fails with probability δ, the selection fails when any run does. Given no failure, smaller K are
 * more likely, and `f′` is evaluated at `(1 − δ)a` and `(1 − δ)b`, which are also such a pair.
 */
export function selection(event: SelectionEvent, adjacency: Adjacency, nested: NestedResolver): Knowledge {
  const { base } = event;
  const runs = runsOf(event);
  if (runs === null) return allRecords(base, adjacency, nested, 'base');
  const cost = (epsilon: number): number => {
    if (epsilon === Infinity) return Infinity;
    return epsilon === 0 ? 0 : addUp(epsilon, runs.worstRatio(epsilon));
  };
  return {
    pure: () => cost(nested(base, 'pure', adjacency, 'base')),
    approximate: () => {
      const { epsilon, delta } = nested(base, 'approximate', adjacency, 'base');
      return { epsilon: cost(epsilon), delta: someFails(event, delta) };
    },
    rdp: () => renyi(base, runs, adjacency, nested),
    ...statedPair(event, runs, cost),
  };
}

/** The pair of a selection over a stated guarantee, whose worst base is known. */
function statedPair(event: SelectionEvent, runs: Runs, cost: (epsilon: number) => number): Knowledge {
  const base = event.base as CoreEvent;
  if (base.kind !== 'core/pure' && base.kind !== 'core/approximate') return {};
  const stated = { epsilon: base.epsilon, delta: base.kind === 'core/pure' ? 0 : base.delta };
  return {
    pair: () => {
      const bound = { epsilon: cost(stated.epsilon), delta: someFails(event, stated.delta) };
      const witness = witnessOfSelection(runs, stated);
      return approximatePairs(bound, false).map((pair) =>
        witness === undefined ? pair : { ...pair, witness: [{ distribution: witness, count: 1 }] },
      );
    },
  };
}

/**
 * `∫ p^α q^(1−α) f′(a)^α f′(b)^(1−α)`, where `a` and `b` are the probabilities of the outputs up to one of
 * them. As in Papernot and Steinke's Theorem 2, one factor `f′` is at most `E K`, and the other powers are of
 * ratios. Where `f′(x)` is proportional to `e^(μx)`, as in their Theorem 6, it is `E K` times
 * `e^(μ(α−1)(t − sα/(α−1)))` with the tails `s = 1 − a` and `t = 1 − b`, and the difference is at most the
 * base's δ at `ε = log α/(α−1)`.
 */
function renyi(
  base: PrivacyEvent,
  runs: Runs,
  adjacency: Adjacency,
  nested: NestedResolver,
): Characterisations['rdp'] {
  const curve = nested(base, 'rdp', adjacency, 'base');
  const epsilon = nested.known(base, 'pure', adjacency, 'base') ?? Infinity;
  const bounds = tailOrders
    .map((order) => ({ order, divergence: curve(order) }))
    .filter(({ divergence }) => divergence < Infinity);
  const added = epsilon < Infinity ? runs.worstRatio(epsilon) : Infinity;
  const response = epsilon < Infinity ? pureRenyi(addUp(epsilon, added)) : () => Infinity;
  const ratio = ratioByOrder();
  return (alpha) =>
    Math.min(response(alpha), addUp(addUp(curve(alpha), ratio(alpha)), divideUp(runs.logMean, alpha - 1)));

  function ratioByOrder(): (alpha: number) => number {
    const { exponent } = runs;
    if (exponent === undefined) {
      const most = Math.min(worstRenyiTail(runs, bounds), added);
      return () => most;
    }
    const pairs = nested.known(base, 'pair', adjacency, 'base') ?? unprotectedPairs;
    const mu = nested.known(base, 'gdp', adjacency, 'base')?.mu ?? Infinity;
    return (alpha) => {
      const log = alpha < 2 ? Math.log((alpha - 1) / alpha) : Math.log1p(-1 / alpha);
      const at = -log * (1 - 2 ** -48);
      const delta = Math.min(
        ...bounds.map(({ order, divergence }) => deltaOfOrder({ alpha: order, divergence }, at)),
        gaussianDelta(mu, at).upper,
        // Of a product nothing is known here.
        Math.max(...pairs.map((pair) => soleLossDistribution(pair)?.hockeyStick(at).upper ?? 1)),
      );
      return multiplyUp(exponent, delta);
    };
  }
}
