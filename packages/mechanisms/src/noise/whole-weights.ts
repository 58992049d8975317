import type { Fraction } from './dyadic.js';
import { expMinus } from './exp-minus.js';

/** Weights of the whole numbers `first`, `first + 1`, …, all in one unit, each off by at most `error`. */
export interface WholeWeights {
  readonly first: number;
  readonly values: readonly bigint[];
  readonly error: bigint;
  /** At least the weight of all other numbers together. */
  readonly outside: bigint;
}

/**
 * The weights of a distribution, without numbers of weight below
 * about `2^−bits`; more bits give smaller relative errors.
 */
export type WeightsAt = (bits: number) => WholeWeights;

/** Extra bits, so that errors stay far below one unit of the result. */
const guard = 40;
const leastOf = 1n << BigInt(guard - 8);

/** Sum of a geometric series of whole numbers from `head` with ratio `up/down < 1`, rounded up. */
const seriesUp = (head: bigint, up: bigint, down: bigint): bigint => (head * down) / (down - up) + 1n;

/** `e^(−x k)` for k = 0, 1, … */
export const geometricWeights =
  (x: Fraction): WeightsAt =>
  (bits) => {
    const precision = BigInt(bits + guard);
    const one = 1n << precision;
    const ratio = expMinus(x, bits + guard);
    const values: bigint[] = [];
    let weight = one;
    for (; weight > leastOf; weight = (weight * ratio) >> precision) values.push(weight);
    // A step keeps the error, adds 2 for that of the ratio, and 1.
    const error = BigInt(3 * values.length + 3);
    return { first: 0, values, error, outside: seriesUp(weight + error, ratio + 2n, one) };
  };

/** `e^(−x k²)` for k = 0, 1, … */
export const halfGaussianWeights =
  (x: Fraction): WeightsAt =>
  (bits) => {
    const precision = BigInt(bits + guard);
    const one = 1n << precision;
    let ratio = expMinus(x, bits + guard);
    let weight = one;
    const square = (ratio * ratio) >> precision;
    const values: bigint[] = [];
    for (; weight > leastOf; ratio = (ratio * square) >> precision) {
      values.push(weight);
      weight = (weight * ratio) >> precision;
    }
    // Ratios are off by at most 7 more each, weights by that of their ratio and 1 more.
    const length = BigInt(values.length);
    const error = 4n * (length + 1n) * (length + 1n);
    return { first: 0, values, error, outside: seriesUp(weight + error, ratio + 7n * (length + 1n), one) };
  };

/** The same weights on either side of 0. */
export const mirrored =
  (weightsAt: WeightsAt): WeightsAt =>
  (bits) => {
    const { values, error, outside } = weightsAt(bits);
    return {
      first: 1 - values.length,
      values: [...values.slice(1).toReversed(), ...values],
      error,
      outside: 2n * outside,
    };
  };

/** Poisson probabilities in units of the largest. */
export const poissonWeights =
  ({ numerator, denominator }: Fraction): WeightsAt =>
  (bits) => {
    const one = 1n << BigInt(bits + guard);
    const mode = numerator / denominator;
    const above: bigint[] = [];
    const below: bigint[] = [];
    let weight = one;
    let k = mode;
    for (; weight > leastOf; k++) {
      above.push(weight);
      weight = (weight * numerator) / (denominator * (k + 1n));
    }
    const beyond = { weight, k };
    for (weight = one, k = mode; k > 0n; k--) {
      weight = (weight * denominator * k) / numerator;
      if (weight <= leastOf) break;
      below.push(weight);
    }
    // Ratios are exact and at most 1: a step adds 1.
    const error = BigInt(Math.max(above.length, below.length) + 1);
    const left = k === 0n ? 0n : seriesUp(weight + error, (k - 1n) * denominator, numerator);
    return {
      first: Number(mode) - below.length,
      values: [...below.toReversed(), ...above],
      error,
      outside: left + seriesUp(beyond.weight + error, numerator, denominator * (beyond.k + 1n)),
    };
  };
