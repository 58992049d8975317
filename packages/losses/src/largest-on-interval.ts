/** Cells an interval is cut into. */
const cells = 1024;

/**
 * An upper bound on the largest value of a function on `[low, high]`, from its values at the ends of equal
 * cells: inside a cell it exceeds the larger end by at most `bend · width² / 8`. Rounded up by more than the
 * evaluation of the function is off.
 *
 * @param bend - Bound on the absolute second derivative.
 */
export function largestOnInterval(
  f: (x: number) => number,
  { low, high, bend }: { readonly low: number; readonly high: number; readonly bend: number },
): number {
  const width = (high - low) / cells;
  let largest = -Infinity;
  for (let k = 0; k <= cells; k++) largest = Math.max(largest, f(k === cells ? high : low + k * width));
  const bound = largest + (bend * width * width) / 8;
  return bound + Math.abs(bound) * 2 ** -40;
}
