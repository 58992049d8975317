import { binomialWindow } from './binomial.js';

/**
 * Where one record stands in a Poisson sample cut down to a uniform subset of `most`, seen by the number of other records that are in
 * the batch in the end. Fewer than `most − 1` others: nothing was cut, and it is present with the rate of the sample.
 */
export interface Truncation {
  /** Probability of fewer than `most − 1` others. */
  readonly free: number;
  /** `most − 1` others without it, whether it is in the data or not, before it was drawn: `P(C = most − 1)`. */
  readonly last: number;
  /** `most − 1` others, because it took the place of one. */
  readonly taken: number;
  /** `most` others, if it is not in the data. */
  readonly full: number;
  /** `most` others, when it took nobody's place: `full − taken`. */
  readonly spared: number;
  /** What is not known of these, rounded up. */
  readonly unknown: number;
  /** Relative error of the rest. */
  readonly grain: number;
}

/**
 * With `C ~ Binomial(n − 1, rate)` others drawn, the record, if drawn too, is kept with probability `most/(C + 1)` where `C ≥ most`.
 *
 * @param rate - In (0, 1].
 * @param most - Below `n`.
 */
export function truncation(n: number, rate: number, most: number): Truncation {
  const { first, masses, below, above, error } = rate === 1 ? { first: n - 1, masses: Float64Array.of(1), below: 0, above: 0, error: 0 } : binomialWindow(n - 1, rate);
  let free = 0, last = 0, taken = 0, full = 0, spared = 0;
  for (let i = 0; i < masses.length; i++) {
    const others = first + i;
    const mass = masses[i]!;
    if (others < most - 1) free += mass;
    else if (others === most - 1) last = mass;
    else {
      full += mass;
      taken += mass * ((rate * most) / (others + 1));
      spared += mass * ((others + 1 - rate * most) / (others + 1));
    }
  }
  return { free, last, taken, full, spared, unknown: below + above, grain: error + (masses.length + 8) * 2 ** -52 };
}
