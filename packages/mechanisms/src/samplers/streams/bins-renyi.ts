import { multiplyUp } from '@lethe/numerics';

/** How many terms a divergence may take. */
const mostTerms = 20_000;
/** Highest order that is summed exactly. */
const mostOrder = 32;

/** The means of one slot's sums, one for each bin it may be in, as far as divergences depend on them. */
export interface BinMeans {
  /** `⟨m_j, m_l⟩`, rounded up. */
  readonly products: readonly Float64Array[];
  /** Standard deviation of the noise. */
  readonly sigma: number;
  /** An upper bound on `max_j ‖m_j‖²/σ²`. */
  readonly largest: number;
}

/** `choose(n + k − 1, k)`, the multisets of `k` of `n` bins. */
function multisets(n: number, k: number): number {
  let count = 1;
  for (let i = 0; i < k; i++) count = (count * (n + i)) / (i + 1);
  return count;
}

/** Bounds on the divergences of a removed and of an added record at one order. */
export interface BinDivergences {
  readonly order: number;
  readonly removed: number;
  readonly added: number;
}

/**
 * Bounds on the Rényi divergences of `P = (1/b) Σ_j N(m_j, σ² I)` and `Q = N(0, σ² I)`, in both directions,
 * at whole orders from 2.
 *
 * - From `P` to `Q` exactly: `E_Q (P/Q)^α = b^{−α} Σ_{J ∈ [b]^α} exp(Σ_{a < c} ⟨m_{J_a}, m_{J_c}⟩/σ²)`, one
 *   term for each multiset of `α` bins. Where those are too many, `α max_j ‖m_j‖²/(2σ²)`, by quasi-convexity.
 * - From `Q` to `P`: `mean_j ‖m_j‖²/(2σ²) + (α − 1) ‖mean_j m_j‖²/(2σ²)`, by Jensen's inequality for the
 *   logarithm of the mixture.
 *
 * @see Schuchardt, Kalinin 2026, for efficient forms.
 */
export function binsRenyi({ products: inner, sigma, largest }: BinMeans): readonly BinDivergences[] {
  const scale = (1 + 2 ** -50) / (sigma * sigma);
  const products = inner.map((row) => row.map((product) => product * scale));
  const bins = products.length;
  let mean = 0;
  let diagonal = 0;
  for (let j = 0; j < bins; j++) {
    diagonal += products[j][j];
    for (let l = 0; l < bins; l++) mean += products[j][l];
  }
  const margin = 1 + 2 ** -40;
  diagonal = (diagonal / bins) * margin;
  mean = (mean / bins ** 2) * margin;
  const unsampled = (order: number): number => multiplyUp(order / 2, largest);
  const exact = (order: number): number =>
    Math.max(0, (logMoment(products, order) / (order - 1)) * margin + 2 ** -40);
  const orders = [
    ...Array.from({ length: mostOrder - 1 }, (_, i) => i + 2),
    ...Array.from({ length: 12 }, (_, i) => Math.round(mostOrder * 1.5 ** (i + 1))),
  ];
  return orders.map((order) => ({
    order,
    removed: Math.min(unsampled(order), multisets(bins, order) <= mostTerms ? exact(order) : Infinity),
    added: Math.min(unsampled(order), diagonal / 2 + ((order - 1) * mean) / 2),
  }));
}

/** `log E_Q (P/Q)^order`, summed over multisets of bins in the logarithm. */
function logMoment(products: readonly Float64Array[], order: number): number {
  const bins = products.length;
  const terms: number[] = [];
  // How often each of the bins before `bin` was taken is in `logWeight`; `field` is their pull on every bin.
  const visit = (bin: number, left: number, logWeight: number, field: Float64Array): void => {
    if (left === 0) {
      terms.push(logWeight);
      return;
    }
    if (bin === bins - 1) {
      terms.push(logWeight + taken(bin, left, field));
      return;
    }
    for (let times = 0; times <= left; times++) {
      const next = times === 0 ? field : field.map((pull, l) => pull + times * products[bin][l]);
      visit(bin + 1, left - times, logWeight + (times === 0 ? 0 : taken(bin, times, field)), next);
    }
  };
  const logFactorials = [0];
  for (let k = 1; k <= order; k++) logFactorials.push(logFactorials[k - 1] + Math.log(k));
  const taken = (bin: number, times: number, field: Float64Array): number =>
    times * field[bin] + ((times * (times - 1)) / 2) * products[bin][bin] - logFactorials[times];
  visit(0, order, logFactorials[order], new Float64Array(bins));
  const peak = terms.reduce((most, term) => Math.max(most, term), -Infinity);
  return (
    peak + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - peak), 0)) - order * Math.log(bins)
  );
}
