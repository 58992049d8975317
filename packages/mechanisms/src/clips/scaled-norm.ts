import { exponentOf } from '@lethe/numerics';
import { type Vector } from '@lethe/core';

/**
 * A norm as `root · 2^exponent`, so that it exists for every
 * finite vector; `root` is NaN when an entry is not finite.
 */
export interface ScaledNorm {
  readonly root: number;
  readonly exponent: number;
}

/** `2^-exponent` as two factors, both normal doubles for every exponent of a double. */
export function unscaleFactors(exponent: number): readonly [number, number] {
  const half = Math.floor(exponent / 2);
  return [2 ** -half, 2 ** (half - exponent)];
}

/** The ℓ2 norm without overflow or underflow: relative error about `length · 2^-53`. */
export function scaledNorm(vector: Vector): ScaledNorm {
  let sum = 0;
  for (let j = 0; j < vector.length; j++) sum += vector[j] * vector[j];
  if (sum >= 2 ** -900 && sum <= 2 ** 1000) return { root: Math.sqrt(sum), exponent: 0 };
  return rescaledNorm(vector);
}

function rescaledNorm(vector: Vector): ScaledNorm {
  let largest = 0;
  for (let j = 0; j < vector.length; j++) {
    const size = Math.abs(vector[j]);
    if (!(size < Infinity)) return { root: NaN, exponent: 0 };
    if (size > largest) largest = size;
  }
  if (largest === 0) return { root: 0, exponent: 0 };
  const exponent = exponentOf(largest);
  const [first, second] = unscaleFactors(exponent);
  let sum = 0;
  for (let j = 0; j < vector.length; j++) {
    const entry = vector[j] * first * second;
    sum += entry * entry;
  }
  return { root: Math.sqrt(sum), exponent };
}

/**
 * The ℓ1 norm without overflow: relative error about `length · 2^-53`. Sums of small numbers never underflow.
 */
export function scaledSum(vector: Vector): ScaledNorm {
  let sum = 0;
  for (let j = 0; j < vector.length; j++) sum += Math.abs(vector[j]);
  if (sum < Infinity) return { root: sum, exponent: 0 };
  if (!vector.every(Number.isFinite)) return { root: NaN, exponent: 0 };
  const exponent = 1000;
  sum = 0;
  for (let j = 0; j < vector.length; j++) sum += Math.abs(vector[j]) * 2 ** -exponent;
  return { root: sum, exponent };
}
