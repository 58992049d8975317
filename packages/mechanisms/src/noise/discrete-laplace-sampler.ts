import type { RandomSource } from '@lethe/core';
import { fractionOf } from './dyadic.js';
import { drawFrom, inversionTable } from './inversion.js';
import { isBelow, restOfRun } from './lazy-comparison.js';
import { geometricWeights, mirrored } from './whole-weights.js';

/** Cells have a width for which the scale is 8 to 16 cells. */
const leastCells = 8;

/**
 * A sampler of whole numbers with probabilities proportional to `e^(−|k|/scale)`, exact for every scale up to
 * 2⁴⁰, since every comparison is between whole numbers.
 *
 * Scales below 16 are drawn from a table. Above, the size is split as `width · cell + offset`, which are
 * independent: the cell is geometric, from a table, and the offset is uniform and kept with probability
 * `e^(−offset/scale)`, by von Neumann's comparison of uniform numbers; the sign is a fair bit, and negative
 * zero is drawn again. Sign, offset and the first number to compare are one word.
 *
 * @see Canonne, Kamath, Steinke 2020, Algorithm 2, of which this is a variant.
 */
export function discreteLaplaceSampler(scale: number): (random: RandomSource) => number {
  const { numerator, denominator } = fractionOf(scale);
  const inverse = { numerator: denominator, denominator: numerator };
  if (scale < 2 * leastCells) {
    const table = inversionTable(mirrored(geometricWeights(inverse)));
    return (random) => drawFrom(table, random);
  }
  let width = 1;
  let bits = 52;
  for (; scale >= 2 * leastCells * width; width *= 2) bits--;
  const table = inversionTable(
    geometricWeights({ numerator: denominator * BigInt(width), denominator: numerator }),
  );
  // Scaling by powers of 2 is exact: the comparisons below are between multiples of 2^(bits − 53).
  const unit = 2 ** bits;
  const slope = Number((denominator << 53n) / numerator);
  const toBits = 2 ** (bits - 53);
  const exponentOf = (offset: number) => ({
    numerator: BigInt(offset) * denominator,
    denominator: numerator,
  });

  /**
   * A draw of `true` with probability `e^(−offset/scale)`, begun with `bits`
   * bits; slope/2⁵³ is below 1/scale by less than 2⁻⁵³.
   */
  function keeps(offset: number, first: number, random: RandomSource): boolean {
    const low = offset * slope;
    if (first >= (low + offset) * toBits) return true;
    if (first + 1 > low * toBits && !isBelow(first, bits, exponentOf(offset), random)) return true;
    return restOfRun(low, low + offset, () => exponentOf(offset), random);
  }

  return (random) => {
    for (;;) {
      const cell = drawFrom(table, random);
      let signed: number;
      let offset: number;
      let kept = false;
      do {
        const word = random.bits53();
        signed = Math.floor(word / unit);
        offset = signed < width ? signed : signed - width;
        kept = keeps(offset, word - signed * unit, random);
      } while (!kept);
      const size = width * cell + offset;
      if (signed < width) return size;
      if (size > 0) return -size;
    }
  };
}
