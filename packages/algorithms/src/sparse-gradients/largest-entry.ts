/**
 * Bounds on the largest of `dimension` independent entries of noise in size, in units of its scale: of the
 * expectation, and one that fails with probability `failure`. From `√d` times the deviation for any noise.
 *
 * @param mechanism - `name` of the mechanism and the deviation of an entry of scale 1.
 */
export function largestEntry(
  mechanism: { readonly name: string; readonly deviation: number },
  dimension: number,
  failure: number,
): { readonly expected: number; readonly likely: number } {
  const any = {
    expected: Math.sqrt(dimension) * mechanism.deviation,
    likely: Math.sqrt(dimension / failure) * mechanism.deviation,
  };
  const known = knownLargest(mechanism.name, dimension, failure);
  if (known === null) return any;
  return {
    expected: Math.min(any.expected, known.expected),
    likely: Math.min(any.likely, known.likely),
  };
}

function knownLargest(name: string, dimension: number, failure: number) {
  if (name === 'laplace') {
    // The expectation is the harmonic number.
    let harmonic = 0;
    for (let k = Math.min(dimension, 1e4); k >= 1; k--) harmonic += 1 / k;
    if (dimension > 1e4) harmonic += Math.log(dimension / 1e4);
    return { expected: harmonic, likely: Math.log(dimension / failure) };
  }
  if (name === 'gaussian' || name === 'classical-gaussian')
    return {
      expected: Math.sqrt(2 * Math.log(2 * dimension)),
      likely: Math.sqrt(2 * Math.log((2 * dimension) / failure)),
    };
  return null;
}
