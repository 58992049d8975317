import type { Bounds } from '@lethe/numerics';

interface Point {
  readonly at: number;
  readonly value: Bounds;
}

/**
 * Bounds on the minimum over `[low, high]` of a convex function from bounds on its values.
 *
 * Between two evaluated points, a convex function lies above the extensions of the chords on either side. The
 * search halves the interval whose lower bound is smallest, until the bounds are within `tolerance` of each
 * other, or within three widths of the value at the best point, below which chords between values of that
 * width tell little; or until the function has been evaluated `mostCalls` times.
 *
 * @param options - `enough`: the search also ends once the minimum is at least this.
 */
export function convexMinimum(
  f: (at: number) => Bounds,
  low: number,
  high: number,
  {
    tolerance = 1e-9,
    mostCalls = 96,
    enough = Infinity,
  }: { readonly tolerance?: number; readonly mostCalls?: number; readonly enough?: number } = {},
): Bounds {
  const point = (at: number): Point => ({ at, value: f(at) });
  const points = [point(low), point(middleOf(low, high)), point(high)];
  for (let calls = points.length; ; calls++) {
    const { value: best } = points.reduce((a, b) => (b.value.upper < a.value.upper ? b : a));
    const { upper } = best;
    let [least, where] = [Infinity, 1];
    for (let i = 1; i < points.length; i++) {
      const bound = between(points, i);
      if (bound < least) [least, where] = [bound, i];
    }
    const [from, to] = [points[where - 1].at, points[where].at];
    const middle = middleOf(from, to);
    const isKnown = upper - least <= Math.max(tolerance * Math.abs(upper), 3 * (upper - best.lower));
    if (isKnown || least >= enough || calls >= mostCalls || middle <= from || middle >= to)
      return { lower: Math.min(least, upper), upper };
    points.splice(where, 0, point(middle));
  }
}

/** The geometric mean where the ends are far apart, otherwise the arithmetic mean. */
const middleOf = (from: number, to: number): number =>
  from > 0 && to > 4 * from ? Math.sqrt(from) * Math.sqrt(to) : from + (to - from) / 2;

/** The lower bound that convexity gives between the points `i − 1` and `i`. */
function between(points: readonly Point[], i: number): number {
  const [before, from, to, after] = [points[i - 2], points[i - 1], points[i], points[i + 1]];
  // To the right of a point, values are above the least slope that the bounds allow before it; likewise to
  // the left.
  const forward =
    before === undefined ? -Infinity : (from.value.lower - before.value.upper) / (from.at - before.at);
  const backward = after === undefined ? Infinity : (after.value.upper - to.value.lower) / (after.at - to.at);
  const width = to.at - from.at;
  if (forward >= 0) return from.value.lower;
  if (backward <= 0) return to.value.lower;
  const [ahead, behind] = [from.value.lower + forward * width, to.value.lower - backward * width];
  if (before === undefined) return after === undefined ? -Infinity : Math.min(behind, to.value.lower);
  if (after === undefined) return Math.min(ahead, from.value.lower);
  // The two lines meet inside the interval, or one is above the other on all of it.
  const meet = (from.value.lower - to.value.lower + backward * width) / (backward - forward);
  if (meet <= 0) return Math.min(from.value.lower, behind);
  if (meet >= width) return Math.min(to.value.lower, ahead);
  return from.value.lower + forward * meet;
}
