import { logBinomial } from '@lethe/numerics';

/**
 * `P(Bin(trials, p) ≥ successes)` by the sum of its terms, from the largest on; the tail that has the mean is
 * one minus the other. Relative error below 1e-12 for up to 1e5 trials and tails below one half.
 *
 * @see Loader, Fast and accurate computation of binomial probabilities (2000), for the largest term.
 */
export function upperTail(successes: number, trials: number, p: number): number {
  if (successes <= 0) return 1;
  if (successes > trials) return 0;
  if (successes <= trials * p) return 1 - lowerTail(successes - 1, trials, p);
  const odds = p / (1 - p);
  let term = binomialMass(successes, trials, p);
  let sum = term;
  for (let k = successes; k < trials && term > sum * 2 ** -56; k++) {
    term *= ((trials - k) / (k + 1)) * odds;
    sum += term;
  }
  return sum;
}

/** `P(Bin(trials, p) ≤ successes)`; see {@link upperTail}. */
export function lowerTail(successes: number, trials: number, p: number): number {
  if (successes >= trials) return 1;
  if (successes < 0) return 0;
  if (successes >= trials * p) return 1 - upperTail(successes + 1, trials, p);
  const odds = (1 - p) / p;
  let term = binomialMass(successes, trials, p);
  let sum = term;
  for (let k = successes; k > 0 && term > sum * 2 ** -56; k--) {
    term *= (k / (trials - k + 1)) * odds;
    sum += term;
  }
  return sum;
}

/** `P(Bin(trials, p) = successes)`. */
function binomialMass(successes: number, trials: number, p: number): number {
  const failures = trials - successes;
  if (successes === 0) return Math.exp(trials * Math.log1p(-p));
  if (failures === 0) return p ** trials;
  if (Math.min(successes, failures) < 16)
    return Math.exp(logBinomial(trials, successes) + successes * Math.log(p) + failures * Math.log1p(-p));
  const correction = stirlingError(trials) - stirlingError(successes) - stirlingError(failures);
  const deviance = devianceOf(successes, trials * p) + devianceOf(failures, trials * (1 - p));
  return Math.exp(correction - deviance) * Math.sqrt(trials / (2 * Math.PI * successes * failures));
}

/** `log Γ(x + 1) − ((x + ½) log x − x + ½ log 2π)` for `x ≥ 16`, error below 2e-16. */
function stirlingError(x: number): number {
  const y = 1 / (x * x);
  return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x;
}

/** `x·log(x/m) + m − x`, without the loss of digits where `x` is near `m`. */
function devianceOf(x: number, m: number): number {
  const difference = x - m;
  if (Math.abs(difference) >= 0.1 * (x + m)) return x * Math.log(x / m) - difference;
  // With v = (x − m)/(x + m): log(x/m) = 2·(v + v³/3 + v⁵/5 + …).
  const v = difference / (x + m);
  let power = 2 * x * v;
  let sum = difference * v;
  for (let j = 1; ; j++) {
    power *= v * v;
    const next = sum + power / (2 * j + 1);
    if (next === sum) return sum;
    sum = next;
  }
}
