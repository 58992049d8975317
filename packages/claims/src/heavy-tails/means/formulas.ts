// Formulas of the paper about clipped means and medians of means. Moments are powers, `E‖z‖^k`, unless named
// roots.

/** Lemma 6: `r^(k)/((k − 1)C^(k−1))`. */
export const clippedBias = ({
  order: k,
  moment,
  clipNorm: C,
}: {
  readonly order: number;
  readonly moment: number;
  readonly clipNorm: number;
}): number => moment / ((k - 1) * C ** (k - 1));

/** `(k − 1)^(k−1)/k^k`: least constant with `(t − C)₊ ≤ constant · t^k/C^(k−1)`. */
export const sharpConstant = (k: number): number => (k - 1) ** (k - 1) / k ** k;

/** Lemma 6: `dσ² + r^(2)/s`. */
export const clippedVariance = ({
  dimension,
  noiseVariance,
  secondMoment,
  records,
}: {
  readonly dimension: number;
  readonly noiseVariance: number;
  readonly secondMoment: number;
  readonly records: number;
}): number => dimension * noiseVariance + secondMoment / records;

/** Parameters of a noise variance of the paper: `records` of one release, `all` records of the run. */
export interface NoiseSetting {
  readonly clipNorm: number;
  readonly epsilon: number;
  readonly records: number;
  readonly all: number;
  readonly rounds: number;
  readonly dimension: number;
  readonly groups: number;
}

/** Noise variances, by their place in the paper. */
export const noiseVariances = Object.freeze({
  /** Algorithm 1: one release of a mean of `s` records. */
  mean: ({ clipNorm: C, records: s, epsilon }: NoiseSetting): number => (4 * C ** 2) / (s * epsilon) ** 2,
  /** Algorithms 2, 6 and 8: `T` disjoint batches of `n/T` records. */
  onePass: ({ clipNorm: C, rounds: T, all: n, epsilon }: NoiseSetting): number =>
    4 * ((C * T) / (n * epsilon)) ** 2,
  /** Algorithms 3 and 4: `T` releases over the same `n` records. */
  multiPass: ({ clipNorm: C, rounds: T, all: n, epsilon }: NoiseSetting): number =>
    (4 * C ** 2 * T) / (n * epsilon) ** 2,
  /** Algorithm 12, with `C` for the printed τ. */
  medianOfMeans: ({ clipNorm: C, records: s, groups: m, dimension: d, epsilon }: NoiseSetting): number =>
    4 * ((C * m) / (s * epsilon)) ** 2 * d,
  /** Lemma 52, 18 times as much. */
  medianOfMeansPrinted: ({
    clipNorm: C,
    records: s,
    groups: m,
    dimension: d,
    epsilon,
  }: NoiseSetting): number => 72 * ((C * m) / (s * epsilon)) ** 2 * d,
});

/** Lemma 58 with the sharp constant: `(k − 1)^(k−1)/k^k · γ_k(2/τ)^(k−1)`. */
export const entryBias = ({
  order: k,
  moment,
  limit,
}: {
  readonly order: number;
  readonly moment: number;
  readonly limit: number;
}): number => sharpConstant(k) * moment * (2 / limit) ** (k - 1);

/** Smallest limit for Lemma 58: `2|ν|`. */
export const leastLimit = (mean: number): number => 2 * Math.abs(mean);

/** Lemma 59: error bound of a mean of `n` numbers, with probability 99/100. */
export const meanDeviation = ({
  moment,
  order,
  records,
}: {
  readonly moment: number;
  readonly order: number;
  readonly records: number;
}): number => (10 * moment ** (1 / order)) / Math.sqrt(records);

/** Lemma 57: groups and distance for a failure probability. */
export const medianOfMeansBound = Object.freeze({
  groups: ({ dimension, failure }: { readonly dimension: number; readonly failure: number }): number =>
    Math.ceil(20 * Math.log((4 * dimension) / failure)),
  distance: ({
    dimension,
    groups,
    records,
    moment,
    order,
    limit,
  }: {
    readonly dimension: number;
    readonly groups: number;
    readonly records: number;
    readonly moment: number;
    readonly order: number;
    readonly limit: number;
  }): number =>
    10 *
    Math.sqrt(dimension) *
    (Math.sqrt(groups / records) * moment ** (1 / order) + moment * (2 / limit) ** (order - 1)),
});

/** Bound on the bias of a median of `m` numbers with noise of deviation σ: `√(E max ξ²) ≤ √m σ`. */
export const medianNoiseBias = ({
  groups,
  deviation,
}: {
  readonly groups: number;
  readonly deviation: number;
}): number => Math.sqrt(groups) * deviation;
