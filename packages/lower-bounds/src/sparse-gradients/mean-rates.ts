import { InvalidParameter } from '@lethe/core';

/** Sizes of a problem of mean estimation with records of norm 1. */
export interface MeanSetting {
  readonly n: number;
  readonly dimension: number;
  readonly sparsity: number;
  readonly epsilon: number;
}

/**
 * Theorem 4.1 without its constant: `min{1, √(s ln(d/(εn))/(εn)), √(sd)/(εn)}`. The logarithm is at least 1:
 * beyond `εn = d` it would make the second term 0, and there the third is the smaller anyway.
 *
 * @throws {InvalidParameter} unless `0 < ε ≤ 1`, `s < d/2` and `n ≥ 1`.
 * @see Ghazi and others, Theorem 4.1, printed for every ε, for which it is false.
 */
export function pureMeanRate(setting: MeanSetting): number {
  assertPrinted(setting);
  const { n, dimension: d, sparsity: s, epsilon } = setting;
  const en = epsilon * n;
  return Math.min(1, Math.sqrt((s * Math.log(Math.max(Math.E, d / en))) / en), Math.sqrt(s * d) / en);
}

/**
 * Theorem 4.4 without its constant: `min{1, s ln(d/s)/(εn)}`, from one block.
 *
 * @throws {InvalidParameter} as {@link pureMeanRate}.
 * @see Ghazi and others, Theorem 4.4.
 */
export function pureBaseRate(setting: MeanSetting): number {
  assertPrinted(setting);
  const { n, dimension: d, sparsity: s, epsilon } = setting;
  return Math.min(1, (s * Math.log(d / s)) / (epsilon * n));
}

/** A setting with δ. */
export interface ApproximateMeanSetting extends MeanSetting {
  readonly delta: number;
  /** c of the condition `ln(1/δ) ≤ c·s`. @defaultValue 1 */
  readonly logDeltaPerEntry?: number;
}

/**
 * Theorem 4.5 without its constant: `min{1, (s ln(1/δ))^{1/4}/√(εn), √(d ln(1/δ))/(εn)}`.
 *
 * @throws {InvalidParameter} unless `0 < ε ≤ 1`, `s ≤ d`, `ln(1/δ) ≤ c·s`, which the source leaves out and
 * without which the statement contradicts what Laplace noise attains, and `δ ≤ 1/n₀` for the `n₀ = √(s
 * ln(1/δ))/ε` records of a block.
 * @see Ghazi and others, Theorem 4.5.
 */
export function approximateMeanRate(setting: ApproximateMeanSetting): number {
  const { n, dimension: d, sparsity: s, epsilon, delta, logDeltaPerEntry = 1 } = setting;
  assertSizes(setting);
  const logDelta = -Math.log(delta);
  if (!(delta > 0 && logDelta <= logDeltaPerEntry * s))
    throw new InvalidParameter(
      `delta is ${delta} for ${s} entries of a record; the rate needs ln(1/delta) of at most ` +
        `${logDeltaPerEntry} times the sparsity, or it exceeds what Laplace noise attains`,
      { delta, sparsity: s },
    );
  const blockRows = Math.sqrt(s * logDelta) / epsilon;
  if (!(delta * blockRows <= 1))
    throw new InvalidParameter(
      `delta is ${delta}; the rate needs at most 1/${blockRows}, one over the records of a block`,
      { delta, blockRows },
    );
  const en = epsilon * n;
  return Math.min(1, (s * logDelta) ** 0.25 / Math.sqrt(en), Math.sqrt(d * logDelta) / en);
}

function assertSizes({ n, dimension, sparsity, epsilon }: MeanSetting): void {
  if (!(n >= 1)) throw new InvalidParameter(`n is ${n}; it must be 1 or more`, { n });
  if (!(sparsity >= 1 && sparsity <= dimension))
    throw new InvalidParameter(`a sparsity of ${sparsity} does not fit dimension ${dimension}`, {
      sparsity,
      dimension,
    });
  if (!(epsilon > 0 && epsilon <= 1))
    throw new InvalidParameter(
      `epsilon is ${epsilon}; the printed rates hold for 0 < epsilon ≤ 1. ` +
        'Proved bounds have no such condition',
      { epsilon },
    );
}

function assertPrinted(setting: MeanSetting): void {
  assertSizes(setting);
  const { sparsity, dimension } = setting;
  if (!(sparsity < dimension / 2))
    throw new InvalidParameter(
      `a sparsity of ${sparsity} in dimension ${dimension} was given; the printed rates need s < d/2`,
      { sparsity, dimension },
    );
}
