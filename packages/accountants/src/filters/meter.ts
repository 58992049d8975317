import { addUp, multiplyUp, sumError } from '@lethe/numerics';
import { Corrupt } from '@lethe/core';

/** Cost of one event in each currency of a meter, and its failure probability; rounded up. */
export interface Price {
  readonly costs: readonly number[];
  readonly failure: number;
}

/** A total rounded up: `high + low`; `high` is `null` for infinity, which JSON cannot represent. */
export type SavedTotal = readonly [high: number | null, low: number];

/** A meter as plain data. */
export interface SavedMeter {
  readonly totals: readonly SavedTotal[];
  readonly failures: SavedTotal;
  /** Number of granted runs. */
  readonly granted: number;
}

/** Increasing totals, each an upper bound of its sum, in constant time per addition. */
export interface Meter {
  /**
   * Adds `count` times `price` if at least one total and the failures stay within their budgets; else changes
   * nothing. A total above its budget stays above it.
   */
  add(price: Price, count: number): boolean;
  readonly granted: () => number;
  /** Total in one currency. It may exceed its budget as long as another currency does not. */
  readonly total: (currency: number) => number;
  readonly failures: () => number;
  readonly save: () => SavedMeter;
}

/** A meter with a budget for each currency and for failures; `Infinity` means no limit. */
export function createMeter(budgets: readonly number[], mayFail: number, saved?: SavedMeter): Meter {
  const width = budgets.length;
  // The last entry is the failure probability.
  const high = new Float64Array(width + 1);
  const low = new Float64Array(width + 1);
  const nextHigh = new Float64Array(width + 1);
  const nextLow = new Float64Array(width + 1);
  let granted = 0;
  const total = (i: number): number => (high[i] === Infinity ? Infinity : addUp(high[i], low[i]));
  /**
   * Adds `amount` to a total: the small part holds the rounding error of the large part and is rounded up.
   */
  const step = (i: number, amount: number, budget: number): boolean => {
    const before = high[i];
    const after = before + amount;
    const tail = Number.isFinite(after) ? addUp(low[i], sumError(before, amount, after)) : 0;
    nextHigh[i] = after;
    nextLow[i] = tail;
    return addUp(after, tail) <= budget;
  };
  if (saved !== undefined) {
    if (saved.totals.length !== width)
      throw new Corrupt(`a saved meter has ${saved.totals.length} totals; its options require ${width}`, {
        totals: saved.totals.length,
      });
    [...saved.totals, saved.failures].forEach(([large, small], i) => {
      high[i] = large ?? Infinity;
      low[i] = small;
    });
    granted = saved.granted;
    const isWithinLimit = budgets.some((budget, i) => total(i) <= budget) && total(width) <= mayFail;
    if (!isWithinLimit)
      throw new Corrupt('a saved meter has spent more than its limit; no filter writes such a state', {
        saved,
      });
  }
  const pair = (i: number): SavedTotal => [high[i] === Infinity ? null : high[i], low[i]];
  return {
    add({ costs, failure }, count) {
      let fits = false;
      for (let i = 0; i < width; i++) {
        const cost = costs[i];
        if (step(i, cost === 0 ? 0 : multiplyUp(cost, count), budgets[i])) fits = true;
      }
      if (!step(width, failure === 0 ? 0 : multiplyUp(failure, count), mayFail) || !fits) return false;
      high.set(nextHigh);
      low.set(nextLow);
      granted += count;
      return true;
    },
    granted: () => granted,
    total,
    failures: () => total(width),
    save: () => ({ totals: budgets.map((_, i) => pair(i)), failures: pair(width), granted }),
  };
}
