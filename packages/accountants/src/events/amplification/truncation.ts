import { binomialWindow } from './binomial.js';

/**
 * Probabilities for one record in a Poisson sample truncated to a uniform subset of size `most`, by the final
 * number of other records in the batch. With fewer than `most − 1` others there was no truncation, and the
 * record is present with the sampling rate.
 */
export interface Truncation {
  /** Probability of fewer than `most − 1` others. */
  readonly free: number;
  /** Probability of exactly `most − 1` others drawn: `P(C = most − 1)`. */
  readonly last: number;
  /** Probability of `most − 1` others because the record replaced one of them. */
  readonly taken: number;
  /** Probability of `most` others if the record is not in the data. */
  readonly full: number;
  /** Probability of `most` others if the record is in the data: `full − taken`. */
  readonly spared: number;
  /** Probability mass not computed, rounded up. */
  readonly unknown: number;
  /** Relative error of the other probabilities. */
  readonly grain: number;
}

/**
 * With `C ~ Binomial(n − 1, rate)` others drawn, a drawn record stays in the batch with probability
 * `most/(C + 1)` if `C ≥ most`.
 *
 * @param rate - In (0, 1].
 * @param most - Below `n`.
 */
export function truncation(n: number, rate: number, most: number): Truncation {
  const { first, masses, below, above, error } =
    rate === 1
      ? { first: n - 1, masses: Float64Array.of(1), below: 0, above: 0, error: 0 }
      : binomialWindow(n - 1, rate);
  let free = 0;
  let last = 0;
  let taken = 0;
  let full = 0;
  let spared = 0;
  for (let i = 0; i < masses.length; i++) {
    const others = first + i;
    const mass = masses[i];
    if (others < most - 1) free += mass;
    else if (others === most - 1) last = mass;
    else {
      full += mass;
      taken += mass * ((rate * most) / (others + 1));
      spared += mass * ((others + 1 - rate * most) / (others + 1));
    }
  }
  return {
    free,
    last,
    taken,
    full,
    spared,
    unknown: below + above,
    grain: error + (masses.length + 8) * 2 ** -52,
  };
}
