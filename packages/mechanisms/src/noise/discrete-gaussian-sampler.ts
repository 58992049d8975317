import type { RandomSource } from '@lethe/core';
import { fractionOf } from './dyadic.js';
import { drawFrom, inversionTable } from './inversion.js';
import { isBelow, restOfRun } from './lazy-comparison.js';
import { bernoulliExpMinus } from './rational-samplers.js';
import { halfGaussianWeights, mirrored } from './whole-weights.js';

/** Cells have a width for which the standard deviation is 16 to 32 cells. */
const leastCells = 16;
/** First precision of an offset within a cell and of an exponent. */
const steps = 2 ** 12;
const exponentUnit = 2 ** 20;

/**
 * A sampler of whole numbers with probabilities proportional to `e^(−k²/(2σ²))`, exact for every σ up to 2⁴⁰,
 * since every comparison is between whole numbers.
 *
 * Below σ = 32 it draws from a table. Above, the size is split as `width · cell + offset`: the cell comes
 * from a table of `e^(−(width · cell)²/(2σ²))`, the offset is uniform, and the pair is kept with probability
 * `e^(−γ)` where `γ = offset (2 · width · cell + offset) / (2σ²)`, by von Neumann's comparison of uniform
 * numbers; the sign is a fair bit, and negative zero is drawn again. Sign, offset and the first number to
 * compare are one word.
 *
 * @see Canonne, Kamath, Steinke 2020, Algorithm 3, with cells
 * in place of discrete Laplace noise to reject from.
 */
export function discreteGaussianSampler(sigma: number): (random: RandomSource) => number {
  const { numerator, denominator } = fractionOf(sigma);
  const twice = 2n * numerator * numerator;
  const square = denominator * denominator;
  if (sigma < 2 * leastCells) {
    const table = inversionTable(mirrored(halfGaussianWeights({ numerator: square, denominator: twice })));
    return (random) => drawFrom(table, random);
  }
  let width = 1;
  let bits = 52;
  for (; sigma >= 2 * leastCells * width; width *= 2) bits--;
  const whole = BigInt(width);
  const curvature = { numerator: square * whole * whole, denominator: twice };
  const table = inversionTable(halfGaussianWeights(curvature));
  // Scaling by powers of 2 is exact: the comparisons below are between multiples of 2^(bits − 44).
  const unit = 2 ** bits;
  const slope = Number((curvature.numerator * BigInt(exponentUnit)) / curvature.denominator);
  const toBits = 2 ** (bits - 44);
  const perStep = steps / width;
  const exponentOf = (cell: number, offset: number) => ({
    numerator: BigInt(offset) * (2n * whole * BigInt(cell) + BigInt(offset)) * square,
    denominator: twice,
  });

  /** A draw of `true` with probability `e^(−γ)`, begun with `bits` bits. */
  function keeps(cell: number, offset: number, first: number, random: RandomSource): boolean {
    const step = Math.floor(offset * perStep);
    const twiceCell = 2 * steps * cell;
    // Bounds of γ in units of 2⁻⁴⁴.
    const low = step * (twiceCell + step) * slope;
    const high = (step + 1) * (twiceCell + step + 1) * (slope + 1);
    if (high > 2 ** 44) return bernoulliExpMinus(exponentOf(cell, offset), random);
    if (first >= high * toBits) return true;
    if (first + 1 > low * toBits && !isBelow(first, bits, exponentOf(cell, offset), random)) return true;
    return restOfRun(low * 2 ** 9, high * 2 ** 9, () => exponentOf(cell, offset), random);
  }

  return (random) => {
    for (;;) {
      const cell = drawFrom(table, random);
      const word = random.bits53();
      const signed = Math.floor(word / unit);
      const offset = signed < width ? signed : signed - width;
      if (!keeps(cell, offset, word - signed * unit, random)) continue;
      const size = width * cell + offset;
      if (signed < width) return size;
      if (size > 0) return -size;
    }
  };
}
