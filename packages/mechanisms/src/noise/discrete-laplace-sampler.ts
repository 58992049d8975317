import type { RandomSource } from '@lethe/core';
import { fractionOf } from './dyadic.js';
import { drawFrom, inversionTable } from './inversion.js';
import { isBelow } from './lazy-coins.js';
import { geometricWeights, mirrored } from './whole-weights.js';

/** Cells hold so many numbers that the scale is from 4 to 8 cells. */
const leastCells = 4;

/**
 * A sampler of the law on the whole numbers with probabilities proportional to `e^(−|k|/scale)`, exact for every scale up to 2⁴⁰:
 * whole numbers alone decide.
 *
 * Scales below 8 are drawn from a table. Above, the size is split as `width · cell + offset`, which are independent: the cell is
 * geometric, from a table, and the offset is uniform and kept with probability `e^(−offset/scale)`, by von Neumann's comparison of
 * uniform numbers; the sign is a coin, and negative zero is drawn again.
 *
 * @see Canonne, Kamath, Steinke 2020, Algorithm 2, of which this is a variant.
 */
export function discreteLaplaceSampler(scale: number): (random: RandomSource) => number {
  const { numerator, denominator } = fractionOf(scale), inverse = { numerator: denominator, denominator: numerator };
  if (scale < 2 * leastCells) {
    const table = inversionTable(mirrored(geometricWeights(inverse)));
    return (random) => drawFrom(table, random);
  }
  let width = 1;
  while (scale >= 2 * leastCells * width) width *= 2;
  const table = inversionTable(geometricWeights({ numerator: denominator * BigInt(width), denominator: numerator }));
  /** floor(2⁵³ / scale). */
  const slope = Number((denominator << 53n) / numerator);
  const place = 2 * width / 2 ** 53;

  /** A coin that shows `e^(−offset/scale)`: whether a falling run of uniform numbers ends after an odd number of them. */
  function keeps(offset: number, random: RandomSource): boolean {
    const low = offset * slope, high = low + offset;
    for (let run = 1; ; run++) {
      if (run > 1 && random.integer(run) !== 0) return run % 2 === 1;
      const word = random.bits53();
      if (word >= high) return run % 2 === 1;
      if (word >= low && !isBelow(word, BigInt(offset) * denominator, numerator, random)) return run % 2 === 1;
    }
  }

  return (random) => {
    for (;;) {
      const cell = drawFrom(table, random);
      let signed: number, offset: number;
      do {
        signed = Math.floor(random.bits53() * place);
        offset = signed < width ? signed : signed - width;
      } while (!keeps(offset, random));
      const size = width * cell + offset;
      if (signed < width) return size;
      if (size > 0) return -size;
    }
  };
}
