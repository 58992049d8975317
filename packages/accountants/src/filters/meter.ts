import { addUp, multiplyUp, sumError } from '@lethe/numerics';
import { Corrupt } from '@lethe/core';

/** What one event costs in each of a meter's currencies, and the probability that it fails; rounded up. */
export interface Price {
  readonly costs: readonly number[];
  readonly failure: number;
}

/** A total rounded up: `high + low`; `high` is `null` where the total is infinite, which JSON cannot say. */
export type SavedTotal = readonly [high: number | null, low: number];

/** A meter as plain data. */
export interface SavedMeter {
  readonly totals: readonly SavedTotal[];
  readonly failures: SavedTotal;
  /** Events granted, counts included. */
  readonly granted: number;
}

/** Totals that only grow, each an upper bound of what was added, at a constant cost per addition. */
export interface Meter {
  /**
   * Adds `count` times `price` if at least one total stays within its budget, and so do the failures; else changes nothing. A total that
   * has passed its budget never comes back.
   */
  add(price: Price, count: number): boolean;
  readonly granted: () => number;
  /** Of everything granted, in one currency; beyond its budget it may be, as long as another is not. */
  readonly total: (currency: number) => number;
  readonly failures: () => number;
  readonly save: () => SavedMeter;
}

/** A meter with a budget for each of its currencies and for failures; without limits, where they are `Infinity`. */
export function createMeter(budgets: readonly number[], mayFail: number, saved?: SavedMeter): Meter {
  const width = budgets.length;
  // One more than there are currencies: the failures.
  const high = new Float64Array(width + 1), low = new Float64Array(width + 1);
  const nextHigh = new Float64Array(width + 1), nextLow = new Float64Array(width + 1);
  let granted = 0;
  const total = (i: number): number => (high[i] === Infinity ? Infinity : addUp(high[i]!, low[i]!));
  /** The total with `amount` more, the rounding error of the large part kept in the small one, which is rounded up. */
  const step = (i: number, amount: number, budget: number): boolean => {
    const before = high[i]!, after = before + amount;
    const tail = Number.isFinite(after) ? addUp(low[i]!, sumError(before, amount, after)) : 0;
    nextHigh[i] = after;
    nextLow[i] = tail;
    return addUp(after, tail) <= budget;
  };
  if (saved !== undefined) {
    if (saved.totals.length !== width) throw new Corrupt(`a saved meter has ${saved.totals.length} totals; its options ask for ${width}`, { totals: saved.totals.length });
    [...saved.totals, saved.failures].forEach(([large, small], i) => { high[i] = large ?? Infinity; low[i] = small; });
    granted = saved.granted;
    const kept = budgets.some((budget, i) => total(i) <= budget) && total(width) <= mayFail;
    if (!kept) throw new Corrupt('a saved meter has spent more than its limit, which no filter does', { saved });
  }
  const pair = (i: number): SavedTotal => [high[i] === Infinity ? null : high[i]!, low[i]!];
  return {
    add({ costs, failure }, count) {
      let fits = false;
      for (let i = 0; i < width; i++) {
        const cost = costs[i]!;
        if (step(i, cost === 0 ? 0 : multiplyUp(cost, count), budgets[i]!)) fits = true;
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
