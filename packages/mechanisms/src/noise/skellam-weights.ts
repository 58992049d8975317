/** Standard deviations beyond which noise has no mass in doubles, and entries for the smallest scales. */
const reach = { deviations: 14, least: 120 };

/**
 * Probabilities of `0, 1, 2, …` over that of 0, for Skellam noise of scale σ, as far as doubles reach. They
 * are proportional to the modified Bessel functions `I_k(σ²)`, whose ratios `r_k = I_(k+1)/I_k` satisfy
 * `1/r_(k−1) = 2k/σ² + r_k`, a recurrence that is stable downwards.
 */
export function skellamWeights(scale: number): Float64Array {
  const end = Math.ceil(reach.deviations * scale) + reach.least;
  const square = scale * scale;
  const weights = new Float64Array(end + 1);
  let ratio = 0;
  for (let k = end; k > 0; k--) {
    ratio = 1 / ((2 * k) / square + ratio);
    weights[k] = ratio;
  }
  weights[0] = 1;
  for (let k = 1; k <= end; k++) weights[k] *= weights[k - 1];
  return weights;
}
