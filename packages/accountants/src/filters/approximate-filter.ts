import {
  addUp,
  divideDown,
  logDown,
  multiplyDown,
  multiplyUp,
  sqrtDown,
  sqrtUp,
  subtractDown,
} from '@lethe/numerics';
import { assertOptions, type Adjacency, type EventKind, parseOrThrow } from '@lethe/core';
import { createResolver } from '../events/index.js';
import * as z from 'zod';
import { type Filter, filterOf } from './filter.js';
import { approximateLimit, type ApproximateLimit, parsedLimit, withoutShare } from './limits.js';
import type { SavedMeter } from './meter.js';
import { createPriceList, parsedAdjacency } from './pricing.js';

const rulesSchema = z.array(z.enum(['advanced', 'basic'])).min(1);

/** Options of {@link approximateFilter}. */
export interface ApproximateFilterOptions {
  /** Privacy limit of the whole interaction. */
  readonly limit: ApproximateLimit;
  readonly adjacency: Adjacency;
  /** Event kinds beyond core's. */
  readonly kinds?: readonly EventKind[];
  /**
   * δ″ of the theorem: the part of δ for the sum of the events' δ. The rest, δ′, is for the concentration
   * bound. @defaultValue 0
   */
  readonly failures?: number;
  /**
   * `advanced` is the theorem's rule; `basic` sums ε. With both, one satisfied rule is enough. @defaultValue
   * both
   */
  readonly rules?: readonly ('advanced' | 'basic')[];
}

/** Totals of (ε, δ)-private events. */
export interface ApproximateSpent {
  /** Sum of the ε. In `remaining`: the largest ε of one more event. */
  readonly epsilon: number;
  /** Sum of the squares of the ε. */
  readonly squares: number;
  /** Sum of the δ. */
  readonly failures: number;
}

/**
 * A filter for events that are (εₜ, δₜ)-DP given the past. It admits events while
 * `√(2 ln(1/δ′) Σ εₜ²) + ½ Σ εₜ² ≤ ε` and `Σ δₜ ≤ δ″`, where `δ = δ′ + δ″`, or while `Σ εₜ ≤ ε`. Both rules
 * together cost no more than the first: on transcripts that end within the second, the loss is at most ε with
 * certainty.
 *
 * @throws {InvalidParameter} for options that are not valid.
 * @see Whitehouse, Ramdas, Rogers, Wu 2023; Rogers, Roth, Ullman, Vadhan 2016 for `basic`.
 */
export function approximateFilter(
  options: ApproximateFilterOptions,
  saved?: SavedMeter,
): Filter<ApproximateSpent> {
  assertOptions(options, 'approximateFilter');
  const { kinds, failures = 0 } = options;
  const adjacency = parsedAdjacency(options.adjacency);
  const limit = parsedLimit(options.limit, 'an (ε, δ) filter');
  const rules = parseOrThrow(
    rulesSchema,
    options.rules ?? ['advanced', 'basic'],
    'the rules of an (ε, δ) filter',
  );
  const concentration = withoutShare(limit.delta, failures);
  // An unused rule has a negative budget, which admits nothing.
  const mostSquares = rules.includes('advanced') ? squaresWithin(limit.epsilon, concentration) : -1;
  const mostEpsilon = rules.includes('basic') ? limit.epsilon : -1;
  const prices = createPriceList((event) => {
    const { epsilon, delta } = createResolver(kinds)(event, 'approximate', adjacency);
    return { costs: [multiplyUp(epsilon, epsilon), epsilon], failure: delta };
  }, kinds);
  return filterOf(
    {
      kind: 'approximate-filter',
      options: { limit, adjacency, failures, rules },
      budgets: [mostSquares, mostEpsilon],
      mayFail: failures,
      prices,
      limit: approximateLimit(limit),
      spent: (meter) => ({ squares: meter.total(0), epsilon: meter.total(1), failures: meter.failures() }),
      remaining(meter) {
        const left = (budget: number, i: number): number =>
          meter.total(i) <= budget ? subtractDown(budget, meter.total(i)) : 0;
        const squares = left(mostSquares, 0);
        return {
          squares,
          epsilon: Math.max(left(mostEpsilon, 1), sqrtDown(squares)),
          failures: subtractDown(failures, meter.failures()),
        };
      },
    },
    saved,
  );
}

/**
 * The largest `V` with `√(2 ln(1/δ′) V) + V/2 ≤ ε`, rounded down: the square of `2ε / (√(2ℓ) + √(2ℓ + 2ε))`.
 */
function squaresWithin(epsilon: number, delta: number): number {
  const twice = multiplyUp(2, -logDown(delta));
  const root = divideDown(
    multiplyDown(2, epsilon),
    addUp(sqrtUp(twice), sqrtUp(addUp(twice, multiplyUp(2, epsilon)))),
  );
  return multiplyDown(root, root);
}
