import { InvalidParameter, type RandomSource } from '@lethe/core';
import type { Fraction } from './dyadic.js';

const chunk = 2n ** 32n;

/** @throws {InvalidParameter} unless the fraction is at least 0, or above 0 where it must be. */
function assertFraction({ numerator, denominator }: Fraction, name: string, positive: boolean): void {
  if (denominator > 0n && numerator >= (positive ? 1n : 0n)) return;
  throw new InvalidParameter(
    `${name} is ${numerator}/${denominator}; give a ${positive ? 'positive' : 'non-negative'} fraction ` +
      'with a positive denominator',
    { name, numerator: String(numerator), denominator: String(denominator) },
  );
}

/**
 * Uniform on `{0, …, below − 1}`, exactly, for a bound of any size.
 *
 * @throws {InvalidParameter} unless `below` is positive.
 */
export function uniformBelow(below: bigint, random: RandomSource): bigint {
  if (below < 1n)
    throw new InvalidParameter(`a whole number below ${below} was asked for; the bound must be positive`, {
      below: String(below),
    });
  if (below <= BigInt(Number.MAX_SAFE_INTEGER)) return BigInt(random.integer(Number(below)));
  let size = chunk;
  while (size < below) size *= chunk;
  const limit = size - (size % below);
  for (;;) {
    let number = 0n;
    for (let drawn = 1n; drawn < size; drawn *= chunk) number = number * chunk + BigInt(random.bits32());
    if (number < limit) return number % below;
  }
}

/** `true` with probability `e^(−exponent)`, for an exponent of at most 1. */
function atMostOne({ numerator, denominator }: Fraction, random: RandomSource): boolean {
  for (let run = 1n; ; run++)
    if (uniformBelow(denominator * run, random) >= numerator) return run % 2n === 1n;
}

/**
 * `true` with probability `e^(−exponent)`, exactly.
 *
 * @param exponent - Any non-negative fraction.
 * @throws {InvalidParameter} for one that is negative or has no positive denominator.
 * @see Canonne, Kamath, Steinke 2020, Algorithm 1.
 */
export function bernoulliExpMinus(exponent: Fraction, random: RandomSource): boolean {
  assertFraction(exponent, 'the exponent', false);
  const { numerator, denominator } = exponent;
  for (let left = numerator / denominator; left > 0n; left--)
    if (!atMostOne({ numerator: 1n, denominator: 1n }, random)) return false;
  return atMostOne({ numerator: numerator % denominator, denominator }, random);
}

/**
 * One draw of probability proportional to `e^(−|k|/scale)`, exactly, for any positive rational scale. For
 * many draws of one scale the mechanism `discreteLaplace` is faster.
 *
 * @throws {InvalidParameter} unless the scale is positive.
 * @see Canonne, Kamath, Steinke 2020, Algorithm 2.
 */
export function sampleDiscreteLaplace(scale: Fraction, random: RandomSource): bigint {
  assertFraction(scale, 'the scale', true);
  const { numerator, denominator } = scale;
  for (;;) {
    const low = uniformBelow(numerator, random);
    if (!bernoulliExpMinus({ numerator: low, denominator: numerator }, random)) continue;
    let high = 0n;
    while (atMostOne({ numerator: 1n, denominator: 1n }, random)) high++;
    const size = (low + numerator * high) / denominator;
    const negative = random.integer(2) === 1;
    if (size > 0n || !negative) return negative ? -size : size;
  }
}

/**
 * One draw of probability proportional to `e^(−k²/(2 variance))`, exactly, for any positive rational. For
 * many draws of one variance the mechanism `discreteGaussian` is faster.
 *
 * @param variance - σ². The variance of the draw is slightly smaller for small σ.
 * @throws {InvalidParameter} unless it is positive.
 * @see Canonne, Kamath, Steinke 2020, Algorithm 3.
 */
export function sampleDiscreteGaussian(variance: Fraction, random: RandomSource): bigint {
  assertFraction(variance, 'the variance', true);
  const { numerator, denominator } = variance;
  // floor(σ) + 1.
  const scale = squareRootFloor(numerator / denominator) + 1n;
  for (;;) {
    const noise = sampleDiscreteLaplace({ numerator: scale, denominator: 1n }, random);
    const size = noise < 0n ? -noise : noise;
    // (|k| − σ²/t)² / (2σ²) over a common denominator.
    const gap = size * scale * denominator - numerator;
    if (
      bernoulliExpMinus(
        { numerator: gap * gap, denominator: 2n * numerator * denominator * scale * scale },
        random,
      )
    )
      return noise;
  }
}

function squareRootFloor(x: bigint): bigint {
  if (x < 2n) return x;
  let root = 1n << BigInt(Math.ceil(x.toString(2).length / 2));
  for (;;) {
    const next = (root + x / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}
