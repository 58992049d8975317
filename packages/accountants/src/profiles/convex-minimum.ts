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
    const { least, where } = lowest(points);
    const [from, to] = [points[where - 1].at, points[where].at];
    const middle = middleOf(from, to);
    const isNarrow = upper - least <= tolerance * Math.abs(upper);
    const isKnown = isNarrow || upper - least <= 3 * (upper - best.lower);
    if (isKnown || least >= enough || calls >= mostCalls || middle <= from || middle >= to)
      return {
        lower: Math.min(least, upper),
        upper: isNarrow || least >= enough ? upper : leastUpper(points, f),
      };
    points.splice(where, 0, point(middle));
  }
}

/** Where upper bounds alone decide: their relative tolerance, and the most calls for it. */
const [fine, mostFine] = [2e-4, 16];

/**
 * The least upper bound that is found where the upper bounds are taken for the function itself: with wide
 * bounds, the search for both ends stops far from it. Upper bounds need not be convex; each of them holds.
 */
function leastUpper(known: readonly Point[], f: (at: number) => Bounds): number {
  const point = (at: number, { upper }: Bounds): Point => ({ at, value: { lower: upper, upper } });
  const points = known.map(({ at, value }) => point(at, value));
  for (let calls = 0; ; calls++) {
    const upper = points.reduce((least, { value }) => Math.min(least, value.upper), Infinity);
    const { least, where } = lowest(points);
    const [from, to] = [points[where - 1].at, points[where].at];
    const middle = middleOf(from, to);
    if (upper - least <= fine * Math.abs(upper) || calls >= mostFine || middle <= from || middle >= to)
      return upper;
    points.splice(where, 0, point(middle, f(middle)));
  }
}

/** The least of the lower bounds between points, and the point after it. */
function lowest(points: readonly Point[]): { readonly least: number; readonly where: number } {
  let [least, where] = [Infinity, 1];
  for (let i = 1; i < points.length; i++) {
    const bound = between(points, i);
    if (bound < least) [least, where] = [bound, i];
  }
  return { least, where };
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
