/** Probabilities of a binomial distribution near its mode. */
interface BinomialWindow {
  /** Outcome of `masses[0]`. */
  readonly first: number;
  /** Probabilities, each with relative error at most `error`. */
  readonly masses: Float64Array;
  /** Probability of outcomes below `first`, rounded up. */
  readonly below: number;
  /** Probability of outcomes above the last, rounded up. */
  readonly above: number;
  readonly error: number;
}

/** Weights below this end the window. */
const negligible = 1e-300;
/** Entries on each side, enough for 1e10 trials at any rate. */
const mostEntries = 2 ** 22;

/**
 * Probabilities of `Binomial(trials, rate)` from the mode outwards, until the weight falls below 1e-300 of
 * the mode or `maximum` outcomes are written on a side.
 *
 * Ratios of neighbouring probabilities are exact up to rounding and the total is 1, so no factorials are
 * needed.
 *
 * @param rate - In (0, 1).
 */
export function binomialWindow(trials: number, rate: number, maximum = mostEntries): BinomialWindow {
  const mode = Math.min(trials, Math.floor((trials + 1) * rate));
  const odds = rate / (1 - rate);
  const up = side(trials - mode, maximum, (j) => ((trials - mode - j) / (mode + j + 1)) * odds);
  const down = side(mode, maximum, (j) => (mode - j) / ((trials - mode + j + 1) * odds));
  const masses = new Float64Array(down.weights.length + 1 + up.weights.length);
  for (let j = 0; j < down.weights.length; j++) masses[down.weights.length - 1 - j] = down.weights[j];
  masses[down.weights.length] = 1;
  masses.set(up.weights, down.weights.length + 1);
  let total = 0;
  for (const weight of masses) total += weight;
  for (let i = 0; i < masses.length; i++) masses[i] /= total;
  const rest = (weight: number): number => (weight === 0 ? 0 : (weight / total) * 1.001 + Number.MIN_VALUE);
  // A ratio has five roundings and the sum one per term; the mass outside the window lowers all masses by one
  // factor.
  const error =
    (6 * Math.max(up.weights.length, down.weights.length) + masses.length + 8) * 2 ** -53 +
    rest(up.rest) +
    rest(down.rest);
  return { first: mode - down.weights.length, masses, below: rest(down.rest), above: rest(up.rest), error };
}

/** Weights on one side, relative to the mode, and a bound on the remaining tail. `ratio(j)` must decrease. */
function side(
  most: number,
  maximum: number,
  ratio: (j: number) => number,
): { readonly weights: readonly number[]; readonly rest: number } {
  const weights: number[] = [];
  let weight = 1;
  for (let j = 0; j < most; j++) {
    const next = ratio(j);
    weight *= next;
    if (weight < negligible || j >= maximum)
      return { weights, rest: next < 1 ? weight / (1 - next) : weight * (most - j) };
    weights.push(weight);
  }
  return { weights, rest: 0 };
}
