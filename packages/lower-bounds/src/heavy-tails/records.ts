import type { RandomSource, Vector } from '@lethe/core';

/** Probability that a record of the private instances is not null: `min{1, c√d/(n√ρ)}`. */
export const probabilityOfHeavyTail = ({
  n,
  dimension,
  rho,
  coupling,
}: {
  readonly n: number;
  readonly dimension: number;
  readonly rho: number;
  readonly coupling: number;
}): number => Math.min(1, (coupling * Math.sqrt(dimension)) / (n * Math.sqrt(rho)));

/**
 * Length of a non-null record: the largest that satisfies both moment bounds of the class,
 * `min{r_k p^(−1/k), r_2 p^(−1/2)}`. With `r_2 = r_k` it is the first, as in the source.
 */
export const lengthOfHeavyTail = ({
  order,
  moment,
  secondMoment = moment,
  probability: p,
}: {
  readonly order: number;
  readonly moment: number;
  readonly secondMoment?: number;
  readonly probability: number;
}): number => Math.min(moment * p ** (-1 / order), secondMoment / Math.sqrt(p));

/**
 * Centred moment `E|x − b|^k` of a sign `x` with mean `b`, `½(1 − b²)((1 + b)^(k−1) + (1 − b)^(k−1))`: at
 * most 1 for `k ≤ 3`, and above 1 for larger `k` at small biases.
 */
export const bernoulliMoment = ({ bias, order }: { readonly bias: number; readonly order: number }): number =>
  ((1 - bias * bias) / 2) * ((1 + bias) ** (order - 1) + (1 - bias) ** (order - 1));

/** Uniform signs, one per coordinate, from a separate fork of the random source. */
export const hiddenWord = (dimension: number, random: RandomSource): Vector => {
  const source = random.fork('word');
  return Float64Array.from({ length: dimension }, () => (source.uniform() < 0.5 ? -1 : 1));
};

/** `n` records of independent signs with means `bias·word_j`, times `size`. Row-major. */
export function biasedSigns(
  {
    n,
    word,
    size,
    bias,
  }: { readonly n: number; readonly word: Vector; readonly size: number; readonly bias: number },
  random: RandomSource,
): Float64Array {
  const source = random.fork('records');
  const features = new Float64Array(n * word.length);
  for (let k = 0; k < features.length; k++)
    features[k] = source.uniform() < (1 + bias * word[k % word.length]) / 2 ? size : -size;
  return features;
}

/** `n` records that are null, except `size·word` with probability `probability`. Row-major. */
export function rareRecords(
  {
    n,
    word,
    size,
    probability,
  }: { readonly n: number; readonly word: Vector; readonly size: number; readonly probability: number },
  random: RandomSource,
): Float64Array {
  const source = random.fork('records');
  const features = new Float64Array(n * word.length);
  const record = word.map((sign) => size * sign);
  for (let i = 0; i < n; i++) if (source.uniform() < probability) features.set(record, i * word.length);
  return features;
}
