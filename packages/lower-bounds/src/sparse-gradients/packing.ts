import { InvalidParameter } from '@lethe/core';
import { logBinomial } from '@lethe/numerics';

/** Supports that a greedy packing looks at. */
const mostSupports = 5000;
/** Columns, so that a support is a bit mask. */
const mostColumns = 30;

/**
 * A greedy packing of flat vectors: supports in lexicographic order, of which one is kept when it differs in
 * more than `s/4` places from all that are kept. The vectors `1/√s` on them are more than `1/√2` apart.
 *
 * @returns the supports, ascending columns each.
 * @throws {InvalidParameter} for shapes that are none, more than 30 columns or more than 5000 supports.
 * @see Ghazi and others, Lemma A.1: at least `(d/s − ½)^{s/2}` points for `s ≤ d/2`.
 */
export function greedyPacking(dimension: number, sparsity: number): readonly (readonly number[])[] {
  const isShape = Number.isSafeInteger(dimension) && Number.isSafeInteger(sparsity) && sparsity >= 1;
  if (!isShape || sparsity > dimension || dimension > mostColumns)
    throw new InvalidParameter(
      `${sparsity} entries of ${dimension} columns were given; take 1 to ${mostColumns} columns, ` +
        'and as entries a whole number up to that',
      { dimension, sparsity },
    );
  if (logBinomial(dimension, sparsity) > Math.log(mostSupports))
    throw new InvalidParameter(
      `there are more than ${mostSupports} supports of ${sparsity} out of ${dimension} columns; ` +
        'take fewer columns or entries, or the bound sparse-mean-pure, which lists none',
      { dimension, sparsity },
    );
  const kept: { readonly columns: readonly number[]; readonly mask: number }[] = [];
  const place = (columns: readonly number[], mask: number, from: number): void => {
    if (columns.length === sparsity) {
      if (kept.every((other) => 4 * (sparsity - bitsOf(mask & other.mask)) > sparsity))
        kept.push({ columns, mask });
      return;
    }
    const last = dimension - (sparsity - columns.length);
    for (let j = from; j <= last; j++) place([...columns, j], mask | (1 << j), j + 1);
  };
  place([], 0, 0);
  return kept.map(({ columns }) => columns);
}

/**
 * ln of the points that Lemma A.1 promises, `(s/2) ln(d/s − ½)`.
 *
 * @throws {InvalidParameter} unless `1 ≤ s ≤ d/2`.
 */
export function logPackingPromise(dimension: number, sparsity: number): number {
  if (!(sparsity >= 1 && sparsity <= dimension / 2))
    throw new InvalidParameter(
      `a sparsity of ${sparsity} in dimension ${dimension} was given; the lemma is for 1 ≤ s ≤ d/2`,
      { dimension, sparsity },
    );
  return (sparsity / 2) * Math.log(dimension / sparsity - 0.5);
}

function bitsOf(mask: number): number {
  let count = 0;
  for (let left = mask; left !== 0; left &= left - 1) count++;
  return count;
}
