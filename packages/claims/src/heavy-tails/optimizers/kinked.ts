import fc, { type Arbitrary } from 'fast-check';

/**
 * A convex function of one number with one kink: slope `below` left of `at`, `above` right of it, and
 * `curvature/2` times the squared distance from it.
 */
export interface Kinked {
  readonly below: number;
  readonly above: number;
  readonly at: number;
  readonly curvature: number;
}
/** The absolute loss of a record. */
export const absoluteAt = (at: number): Kinked => ({ below: -1, above: 1, at, curvature: 0 });
/** Half the squared distance from a record. */
export const squareAt = (at: number): Kinked => ({ below: 0, above: 0, at, curvature: 1 });
/** The hinge loss `max(0, 1 − margin·w)`. */
const hingeOf = (margin: number): Kinked => ({
  below: Math.min(0, -margin),
  above: Math.max(0, -margin),
  at: 1 / margin,
  curvature: 0,
});

/** Random functions with parameters on a grid. */
export const kinkedInputs = (curvatures: readonly number[] = [0]): Arbitrary<Kinked> =>
  fc.oneof(
    fc.integer({ min: -8, max: 8 }).map((k) => absoluteAt(k / 4)),
    fc
      .integer({ min: -4, max: 4 })
      .filter((k) => k !== 0)
      .map((k) => hingeOf(k / 2)),
    fc
      .record({
        low: fc.integer({ min: -6, max: 6 }),
        rise: fc.integer({ min: 0, max: 6 }),
        at: fc.integer({ min: -8, max: 8 }),
        curvature: fc.constantFrom(...curvatures),
      })
      .map(({ low, rise, at, curvature }) => ({
        below: low / 2,
        above: (low + rise) / 2,
        at: at / 4,
        curvature,
      })),
  );

/** Its value at `w`. */
const kinkedValue = ({ below, above, at, curvature }: Kinked, w: number): number =>
  (w < at ? below : above) * (w - at) + (curvature / 2) * (w - at) ** 2;
/** A subgradient at `w`; at the kink, the one that divides the subdifferential in the proportion `share`. */
export const kinkedSlope = ({ below, above, at, curvature }: Kinked, w: number, share = 0.5): number => {
  const slopeOf = () => {
    if (w < at) return below;
    return w > at ? above : below + share * (above - below);
  };
  return slopeOf() + curvature * (w - at);
};

/** `F̂(w)`: the mean over records. */
export const kinkedRisk = (records: readonly Kinked[], w: number): number =>
  records.reduce((sum, record) => sum + kinkedValue(record, w), 0) / records.length;

/** `F̂_λ` on an interval. */
export interface KinkedProblem {
  readonly records: readonly Kinked[];
  readonly strength: number;
  readonly centre: number;
  readonly lower: number;
  readonly upper: number;
}

/** `F̂_λ(w) = F̂(w) + (λ/2)(w − centre)²`. */
export const regularisedRisk = ({ records, strength, centre }: KinkedProblem, w: number): number =>
  kinkedRisk(records, w) + (strength / 2) * (w - centre) ** 2;

/** The minimiser of `F̂_λ` on the interval, exactly up to rounding: between two kinks it is a parabola. */
export function kinkedMinimiser(problem: KinkedProblem): number {
  const { records, strength, centre, lower, upper } = problem;
  const n = records.length;
  const into = (w: number): number => Math.min(Math.max(w, lower), upper);
  const kinks = [...new Set(records.map(({ at }) => at))].toSorted((a, b) => a - b);
  const bend = strength + records.reduce((sum, { curvature }) => sum + curvature, 0) / n;
  const pull = strength * centre + records.reduce((sum, { curvature, at }) => sum + curvature * at, 0) / n;
  const candidates = [lower, upper, ...kinks.map(into)];
  // Left of all kinks, then right of each.
  for (const from of [-Infinity, ...kinks])
    candidates.push(
      into(
        (pull - records.reduce((sum, { below, above, at }) => sum + (at <= from ? above : below), 0) / n) /
          bend,
      ),
    );
  return candidates.reduce((best, w) =>
    regularisedRisk(problem, w) < regularisedRisk(problem, best) ? w : best,
  );
}

/** A distribution on finitely many records. */
export interface DiscreteDistribution {
  readonly records: readonly Kinked[];
  readonly probabilities: readonly number[];
}

/** `F(w)`. */
export const populationRisk = ({ records, probabilities }: DiscreteDistribution, w: number): number =>
  records.reduce((sum, record, i) => sum + probabilities[i] * kinkedValue(record, w), 0);

/**
 * `sup_w E|∇f(w)|²` on an interval, over all subgradients. It is a convex parabola between kinks, so only the
 * ends of the pieces are compared.
 */
export function secondMoment(
  { records, probabilities }: DiscreteDistribution,
  lower: number,
  upper: number,
): number {
  const ends = [lower, upper, ...records.map(({ at }) => at).filter((at) => at > lower && at < upper)];
  // At a kink of several records, the worst subgradient is on the steeper side of each.
  const worst = (w: number): number =>
    records.reduce(
      (sum, record, i) =>
        sum + probabilities[i] * Math.max(kinkedSlope(record, w, 0) ** 2, kinkedSlope(record, w, 1) ** 2),
      0,
    );
  return Math.max(...ends.map(worst));
}
