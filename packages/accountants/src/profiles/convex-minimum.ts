import type { Bounds } from '@lethe/numerics';

interface Point { readonly at: number; readonly value: Bounds }

/**
 * Bounds of the minimum on `[low, high]` of a convex function that is itself known between bounds.
 *
 * Between two points it is above the lines through the pairs of points beside them; the interval where that allows least
 * is halved, until the bounds are within `tolerance` of each other or it was asked `mostCalls` times.
 *
 * @param floor - A bound from below on an interval, where something else is known.
 */
export function convexMinimum(f: (at: number) => Bounds, low: number, high: number, { tolerance = 1e-9, mostCalls = 96, floor = () => -Infinity }: { readonly tolerance?: number; readonly mostCalls?: number; readonly floor?: (from: Point, to: Point) => number } = {}): Bounds {
  const point = (at: number): Point => ({ at, value: f(at) });
  const points = [point(low), point(middleOf(low, high)), point(high)];
  for (let calls = points.length; ; calls++) {
    const upper = Math.min(...points.map(({ value }) => value.upper));
    let [least, where] = [Infinity, 1];
    for (let i = 1; i < points.length; i++) {
      const bound = Math.max(floor(points[i - 1]!, points[i]!), between(points, i));
      if (bound < least) [least, where] = [bound, i];
    }
    const [from, to] = [points[where - 1]!.at, points[where]!.at], middle = middleOf(from, to);
    if (calls >= mostCalls || upper - least <= tolerance * Math.abs(upper) || middle <= from || middle >= to) return { lower: Math.min(least, upper), upper };
    points.splice(where, 0, point(middle));
  }
}

/** By ratio where the ends are far apart. */
const middleOf = (from: number, to: number): number => (from > 0 && to > 4 * from ? Math.sqrt(from) * Math.sqrt(to) : from + (to - from) / 2);

/** The least that convexity allows between the points `i − 1` and `i`. */
function between(points: readonly Point[], i: number): number {
  const [before, from, to, after] = [points[i - 2], points[i - 1]!, points[i]!, points[i + 1]];
  // Values ahead of a point are above the steepest line that can lead to it.
  const forward = before === undefined ? -Infinity : (from.value.lower - before.value.upper) / (from.at - before.at);
  const backward = after === undefined ? Infinity : (after.value.upper - to.value.lower) / (after.at - to.at);
  const width = to.at - from.at;
  if (forward >= 0) return from.value.lower;
  if (backward <= 0) return to.value.lower;
  const [ahead, behind] = [from.value.lower + forward * width, to.value.lower - backward * width];
  if (before === undefined) return after === undefined ? -Infinity : Math.min(behind, to.value.lower);
  if (after === undefined) return Math.min(ahead, from.value.lower);
  // The lines meet inside, or one is above the other at an end already.
  const meet = (from.value.lower - to.value.lower + backward * width) / (backward - forward);
  return meet <= 0 ? Math.min(from.value.lower, behind) : meet >= width ? Math.min(to.value.lower, ahead) : from.value.lower + forward * meet;
}
