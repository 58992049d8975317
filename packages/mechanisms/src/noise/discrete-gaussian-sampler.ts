import type { RandomSource } from '@lethe/core';
import { fractionOf } from './dyadic.js';
import { drawFrom, inversionTable } from './inversion.js';
import { isBelow } from './lazy-coins.js';
import { bernoulliExpMinus } from './rational-samplers.js';
import { halfGaussianWeights, mirrored } from './whole-weights.js';

/** Cells hold so many numbers that the standard deviation is from 8 to 16 cells. */
const leastCells = 8;
/** Steps in which an offset within a cell, and an exponent, are known at first. */
const steps = 2 ** 12, exponentUnit = 2 ** 20;
/** A coin is first compared by so many of its bits. */
const coarse = 2 ** 44, rest = 2 ** 9;

/**
 * A sampler of the law on the whole numbers with probabilities proportional to `e^(−k²/(2σ²))`, exact for every σ up to 2⁴⁰: whole
 * numbers alone decide.
 *
 * Below σ = 16 it draws from a table. Above, the size is split as `width · cell + offset`: the cell comes from a table of
 * `e^(−(width · cell)²/(2σ²))`, the offset is uniform, and the pair is kept with probability `e^(−γ)` where
 * `γ = offset (2 · width · cell + offset) / (2σ²)`, by von Neumann's comparison of uniform numbers; the sign is a coin, and negative
 * zero is drawn again.
 *
 * @see Canonne, Kamath, Steinke 2020, Algorithm 3, with cells in place of discrete Laplace noise to reject from.
 */
export function discreteGaussianSampler(sigma: number): (random: RandomSource) => number {
  const { numerator, denominator } = fractionOf(sigma);
  const twice = 2n * numerator * numerator, square = denominator * denominator;
  if (sigma < 2 * leastCells) {
    const table = inversionTable(mirrored(halfGaussianWeights({ numerator: square, denominator: twice })));
    return (random) => drawFrom(table, random);
  }
  let width = 1;
  while (sigma >= 2 * leastCells * width) width *= 2;
  const whole = BigInt(width), curvature = { numerator: square * whole * whole, denominator: twice };
  const table = inversionTable(halfGaussianWeights(curvature));
  /** floor of the curvature in exponent units. */
  const slope = Number((curvature.numerator * BigInt(exponentUnit)) / curvature.denominator);
  const place = 2 * width / 2 ** 53, perStep = steps / width;

  function keeps(cell: number, offset: number, random: RandomSource): boolean {
    const step = Math.floor(offset * perStep), twiceCell = 2 * steps * cell;
    // Bounds of γ in units of 2⁻⁴⁴.
    const low = step * (twiceCell + step) * slope, high = (step + 1) * (twiceCell + step + 1) * (slope + 1);
    if (high > coarse) return bernoulliExpMinus(exponent(cell, offset), random);
    for (let run = 1; ; run++) {
      if (run > 1 && random.integer(run) !== 0) return run % 2 === 1;
      const word = random.bits53(), top = Math.floor(word / rest);
      if (top >= high) return run % 2 === 1;
      if (top >= low) {
        const { numerator: up, denominator: down } = exponent(cell, offset);
        if (!isBelow(word, up, down, random)) return run % 2 === 1;
      }
    }
  }

  const exponent = (cell: number, offset: number) => ({ numerator: BigInt(offset) * (2n * whole * BigInt(cell) + BigInt(offset)) * square, denominator: twice });

  return (random) => {
    for (;;) {
      const cell = drawFrom(table, random);
      const signed = Math.floor(random.bits53() * place), offset = signed < width ? signed : signed - width;
      if (!keeps(cell, offset, random)) continue;
      const size = width * cell + offset;
      if (signed < width) return size;
      if (size > 0) return -size;
    }
  };
}
