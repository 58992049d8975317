/** Guesses of a threshold in both groups. */
export interface Guesses {
  /** Included canaries with a score at or above the threshold. */
  readonly hits: number;
  /** Excluded canaries at or above it. */
  readonly misses: number;
}

/**
 * The corners of the concave hull of (misses, hits) over thresholds, from the highest threshold (no guesses)
 * to the lowest (all canaries).
 *
 * @param included - Scores of included canaries; higher scores indicate inclusion.
 * @param excluded - Scores of excluded canaries.
 */
export function thresholds(included: Float64Array, excluded: Float64Array): readonly Guesses[] {
  const high = included.toSorted().toReversed();
  const low = excluded.toSorted().toReversed();
  const corners: Guesses[] = [{ hits: 0, misses: 0 }];
  let [hits, misses] = [0, 0];
  while (hits < high.length || misses < low.length) {
    const score = Math.max(high[hits] ?? -Infinity, low[misses] ?? -Infinity);
    while (hits < high.length && high[hits] >= score) hits++;
    while (misses < low.length && low[misses] >= score) misses++;
    const next = { hits, misses };
    while (corners.length > 1 && !above(corners[corners.length - 2], corners[corners.length - 1], next))
      corners.pop();
    corners.push(next);
  }
  return corners;
}

/** Whether `b` lies strictly above the line from `a` to `c`. */
const above = (a: Guesses, b: Guesses, c: Guesses): boolean =>
  (b.hits - a.hits) * (c.misses - a.misses) > (c.hits - a.hits) * (b.misses - a.misses);
