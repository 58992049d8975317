/** Probabilities of a binomial law near its mode. */
interface BinomialWindow {
  /** Outcome that `masses[0]` belongs to. */
  readonly first: number;
  /** Each within a relative `error`, beside what lies outside the window. */
  readonly masses: Float64Array;
  /** Probability of fewer than `first`, rounded up. */
  readonly below: number;
  /** Probability of more than the last, rounded up. */
  readonly above: number;
  readonly error: number;
}

/** Beyond which weights are not worth an entry. */
const negligible = 1e-300;
/** Entries on a side: enough for 1e10 trials of any rate. */
const mostEntries = 2 ** 22;

/**
 * Outcomes of `Binomial(trials, rate)` from the mode outwards, until the rest weighs less than 1e-300 of the mode or `reach` outcomes
 * have been written on a side.
 *
 * Ratios of neighbouring probabilities are exact up to rounding, and the sum of all is 1, so no factorial is needed.
 *
 * @param rate - In (0, 1).
 */
export function binomialWindow(trials: number, rate: number, reach = mostEntries): BinomialWindow {
  const mode = Math.min(trials, Math.floor((trials + 1) * rate));
  const odds = rate / (1 - rate);
  const up = side(trials - mode, reach, (j) => ((trials - mode - j) / (mode + j + 1)) * odds);
  const down = side(mode, reach, (j) => (mode - j) / ((trials - mode + j + 1) * odds));
  const masses = new Float64Array(down.weights.length + 1 + up.weights.length);
  for (let j = 0; j < down.weights.length; j++) masses[down.weights.length - 1 - j] = down.weights[j]!;
  masses[down.weights.length] = 1;
  masses.set(up.weights, down.weights.length + 1);
  let total = 0;
  for (const weight of masses) total += weight;
  for (let i = 0; i < masses.length; i++) masses[i]! /= total;
  const rest = (weight: number): number => (weight === 0 ? 0 : (weight / total) * 1.001 + Number.MIN_VALUE);
  // A ratio takes five roundings; the sum one per term; what lies outside lowers all masses together.
  const error = (6 * Math.max(up.weights.length, down.weights.length) + masses.length + 8) * 2 ** -53 + rest(up.rest) + rest(down.rest);
  return { first: mode - down.weights.length, masses, below: rest(down.rest), above: rest(up.rest), error };
}

/** Weights beside the mode, in units of its own, and a bound on what comes after them. `ratio(j)` falls. */
function side(most: number, reach: number, ratio: (j: number) => number): { readonly weights: readonly number[]; readonly rest: number } {
  const weights: number[] = [];
  let weight = 1;
  for (let j = 0; j < most; j++) {
    const next = ratio(j);
    weight *= next;
    if (weight < negligible || j >= reach) return { weights, rest: next < 1 ? weight / (1 - next) : weight * (most - j) };
    weights.push(weight);
  }
  return { weights, rest: 0 };
}
