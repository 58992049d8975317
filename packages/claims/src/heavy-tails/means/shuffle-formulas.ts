/* Formulas of the paper about shuffled oracles. */

/**
 * Lemma 56: the smallest number of bits `b > 180g² ln(2/δ)/(ε²s)` of one user and their probability
 * `p = 90g² ln(2/δ)/(bε²s)`.
 */
export function countNoise({
  users: s,
  levels: g,
  epsilon,
  delta,
}: {
  readonly users: number;
  readonly levels: number;
  readonly epsilon: number;
  readonly delta: number;
}): { readonly noiseBits: number; readonly probability: number } {
  const needed = (180 * g ** 2 * Math.log(2 / delta)) / (epsilon ** 2 * s);
  const noiseBits = Math.floor(needed) + 1;
  return { noiseBits, probability: needed / (2 * noiseBits) };
}

/** Number of levels for which rounding adds at most a quarter of the squared range, in any unit. */
export const countLevels = ({ users, range }: { readonly users: number; readonly range: number }): number =>
  Math.max(2, Math.ceil(Math.sqrt(users)), Math.ceil(range * Math.sqrt(users)));
/** The same as printed, `g ≥ τ√s`. */
export const countLevelsPrinted = ({
  users,
  range,
}: {
  readonly users: number;
  readonly range: number;
}): number => Math.max(1, Math.ceil(range * Math.sqrt(users)));

/**
 * Variance of Algorithm 14: `(τ/g)²(Σ frac(1 − frac) + noiseBits · p(1 − p))`, the noise bits of all users.
 */
export const countVariance = ({
  range,
  levels,
  fractions,
  noiseBits,
  probability,
}: {
  readonly range: number;
  readonly levels: number;
  readonly fractions: readonly number[];
  readonly noiseBits: number;
  readonly probability: number;
}): number =>
  (range / levels) ** 2 *
  (fractions.reduce((sum, share) => sum + share * (1 - share), 0) +
    noiseBits * probability * (1 - probability));

/** Algorithm 11, of the estimate of one entry's sum over `w = x + C`: the centre is `sC`. */
export const recentred = ({
  total,
  users,
  radius,
}: {
  readonly total: number;
  readonly users: number;
  readonly radius: number;
}): number => total - users * radius;

/** The same as printed, where `L` can only be the bound on one record. */
export const recentredPrinted = ({
  total,
  radius,
}: {
  readonly total: number;
  readonly users: number;
  readonly radius: number;
}): number => total - radius;

/**
 * Upper bound of the variance of Algorithm 11, with ε̂ and levels that make Lemma 49 hold:
 * `4dC²(90 ln(4d/δ)/ε̂² + s/(4g²))`.
 */
export function vectorVariance({
  users: s,
  dimension: d,
  radius: C,
  epsilon,
  delta,
}: {
  readonly users: number;
  readonly dimension: number;
  readonly radius: number;
  readonly epsilon: number;
  readonly delta: number;
}): number {
  const share = Math.min(epsilon / (4 * Math.sqrt(2 * Math.log(2 / delta))), Math.sqrt(epsilon) / 4, 0.5);
  const levels = Math.ceil(Math.max(2 * Math.sqrt(d), Math.sqrt(s), 4));
  return 4 * d * C ** 2 * ((90 * Math.log((4 * d) / delta)) / share ** 2 + s / (4 * levels ** 2));
}

/** Proposition 53: privacy budget of one entry of Algorithm 13. */
export const medianShare = ({
  dimension: d,
  epsilon,
  delta,
}: {
  readonly dimension: number;
  readonly epsilon: number;
  readonly delta: number;
}): { readonly epsilon: number; readonly delta: number } => ({
  epsilon: epsilon / (4 * Math.sqrt(2 * d * Math.log((2 * d) / delta))),
  delta: delta / (2 * d),
});

/**
 * Total cost of entries with cost `(2ε_j, δ_j)` by advanced composition with slack `δ_j`, as in the proof of
 * Proposition 53.
 */
export const medianTotal = (
  dimension: number,
  share: { readonly epsilon: number; readonly delta: number },
): { readonly epsilon: number; readonly delta: number } => ({
  epsilon:
    dimension * 2 * share.epsilon * Math.expm1(2 * share.epsilon) +
    2 * Math.sqrt(2 * dimension * share.epsilon ** 2 * Math.log(1 / share.delta)),
  delta: dimension * share.delta + share.delta,
});

/**
 * Variance added by noise bits to all entries of Algorithm 13, for `m` groups and `s` users:
 * `d(m/s)² · 90(2τ)² ln(2/δ_j)/ε_j²`, which grows with `d²`.
 */
export function medianNoise(setting: {
  readonly dimension: number;
  readonly epsilon: number;
  readonly delta: number;
  readonly users: number;
  readonly groups: number;
  readonly limit: number;
}): number {
  const share = medianShare(setting);
  return (
    (setting.dimension *
      (setting.groups / setting.users) ** 2 *
      90 *
      (2 * setting.limit) ** 2 *
      Math.log(2 / share.delta)) /
    share.epsilon ** 2
  );
}
/** Domain of Proposition 53: `ε ≤ 2 ln(2d/δ)` and `ε_j ≤ 0.628`. */
export const medianShareHolds = ({
  dimension: d,
  epsilon,
  delta,
}: {
  readonly dimension: number;
  readonly epsilon: number;
  readonly delta: number;
}): boolean =>
  epsilon <= 2 * Math.log((2 * d) / delta) && medianShare({ dimension: d, epsilon, delta }).epsilon <= 0.628;
