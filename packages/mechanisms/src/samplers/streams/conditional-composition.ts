import {
  countedEvent,
  failingEvent,
  InvalidParameter,
  sameEvent,
  type CoreEvent,
  type PrivacyEvent,
  type SampledStream,
} from '@lethe/core';
import { logNormalCdfBounds, normalQuantileOfLog } from '@lethe/numerics';
import { assertNonNegative, columnsOf } from './matrix.js';

/** Atoms of the mixture of a row while its draws are added up, and as it is stored. */
const [fine, coarse] = [4096, 128];
/** Most steps that can be accounted. */
const mostSteps = 512;
/** Results are rounded up by more than the error of doubles in sums of this size. */
const margin = 1 + 2 ** -36;

/**
 * The cost of a stream whose every step takes a slot independently with probability `rate`, by conditional
 * composition. Given the sums before row `i`, the draw of an earlier step `j` has a posterior that exceeds
 * `p̃_ij` with probability at most `δ₁` in all. So row `i` is dominated by a mixture of Gaussians with mean
 * `Σ_j x_j C_ij`, `x_j ~ Bernoulli(p̃_ij)` independent, and the stream by the composition of these, but for
 * `δ₁`:
 *
 * - `⟨v, y⟩ ≤ s_ij + zσ‖v‖` for `v = C_{<i,j}`, `Φ(−z) = δ₁/(2N)`, and `s_ij` above
 *   `⟨v, C_{<i} x⟩` given `x_j = 1` but for probability `δ₁/(2N)`, by Chernoff's bound; `N` pairs (i, j).
 * - `p̃ = p e^ε/(1 − p + p e^ε)` with `ε = z‖v‖/σ + (2s − ‖v‖²)/(2σ²)`.
 *
 * Neighbouring rows share one mixture that dominates each of them.
 *
 * @param failure - What `δ₁` costs, as the probability of a failing release: `δ₁ = failure · (1 − TV)`, with
 * the total variation of the composition bounded by that of the unsampled stream.
 * @see Choquette-Choo, Ganesh, Steinke, Thakurta 2023, conditional composition.
 * @throws {Unsupported} for a negative entry of C.
 * @throws {InvalidParameter} for more than 512 steps.
 */
export function conditionalComposition(
  stream: SampledStream,
  rate: number,
  failure: number,
  sampler: string,
): PrivacyEvent {
  const { steps, sigma } = stream;
  if (steps > mostSteps)
    throw new InvalidParameter(
      `the stream has ${steps} steps; sampler '${sampler}' accounts ${mostSteps} at most`,
      { steps },
    );
  const columns = columnsOf(stream);
  assertNonNegative(columns, sampler);
  const entry = (row: number, column: number): number => columns[column][row - column] ?? 0;
  const apart = stream.columnNorm({ times: steps, gap: 1 }) / sigma;
  const logFailure = Math.log(failure) + Math.LN2 + logNormalCdfBounds(-apart / 2).lower;
  const pairs = Math.max(1, (steps * (steps - 1)) / 2);
  // A power of two, so that searches for σ meet the same bounds on sums again.
  const logEach = Math.LN2 * Math.floor((logFailure - Math.log(2 * pairs)) / Math.LN2);
  const z = -normalQuantileOfLog(logEach) * (1 + 1e-9);
  const likely = likelySums(columns, rate, logEach);
  const posterior = (row: number, column: number): number => {
    if (column === row) return rate;
    const { square, most } = likely[row][column];
    const epsilon = ((z * Math.sqrt(square)) / sigma + (2 * most - square) / (2 * sigma * sigma)) * margin;
    return Math.min(1, (rate / (rate + (1 - rate) * Math.exp(-epsilon))) * margin);
  };
  const parts: { event: PrivacyEvent; count: number }[] = [];
  for (let from = 0; from < steps;) {
    const to = Math.min(steps, Math.max(from + 1, Math.floor(from * 1.2)));
    // By how far back: what is largest among the rows that share a mixture.
    const draws = Array.from({ length: to }, () => ({ weight: 0, probability: 0 }));
    for (let row = from; row < to; row++)
      for (let column = 0; column <= row; column++) {
        const one = draws[row - column];
        one.weight = Math.max(one.weight, entry(row, column));
        one.probability = Math.max(one.probability, posterior(row, column));
      }
    const event = mixtureOf(draws, sigma);
    const last = parts.at(-1);
    if (last !== undefined && sameEvent(last.event, event)) last.count += to - from;
    else parts.push({ event, count: to - from });
    from = to;
  }
  return failingEvent(failure, countedEvent(parts));
}

interface Draw {
  readonly weight: number;
  readonly probability: number;
}
interface LikelySum {
  /** `‖v‖²`. */
  readonly square: number;
  /** What `⟨v, C_{<i} x⟩` stays below, given `x_j = 1`. */
  readonly most: number;
}

let lastLikely:
  | { readonly key: string; readonly columns: readonly Float64Array[]; readonly sums: LikelySum[][] }
  | undefined;

/** For each row `i` and each column `j < i`; kept for the next call, which often has the same matrix. */
function likelySums(columns: readonly Float64Array[], rate: number, logEach: number): LikelySum[][] {
  const key = `${rate} ${logEach}`;
  const isSame =
    lastLikely?.key === key &&
    lastLikely.columns.length === columns.length &&
    lastLikely.columns.every((one, j) => one.every((value, k) => value === columns[j][k]));
  if (lastLikely !== undefined && isSame) return lastLikely.sums;
  const steps = columns.length;
  // Inner products of columns over the rows so far.
  const products = columns.map(() => new Float64Array(steps));
  const sums: LikelySum[][] = [];
  for (let row = 0; row < steps; row++) {
    sums.push(
      Array.from({ length: row }, (_, column) => {
        const others = products[column].filter((weight, l) => l < row && l !== column && weight > 0);
        const square = products[column][column];
        return { square, most: square + mostOf(others, rate, -logEach) };
      }),
    );
    for (let j = 0; j <= row; j++) {
      const own = columns[j][row - j] ?? 0;
      if (own !== 0) for (let l = 0; l <= row; l++) products[j][l] += own * (columns[l][row - l] ?? 0);
    }
  }
  lastLikely = { key, columns, sums };
  return sums;
}

/** What `Σ w_l x_l` stays below but for probability `e^{−surprise}`, by Chernoff's bound. */
function mostOf(weights: Float64Array, rate: number, surprise: number): number {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  if (weights.length === 0 || rate === 1) return all;
  const at = (lambda: number): number => {
    let log = surprise;
    for (const weight of weights) log += Math.log1p(rate * Math.expm1(lambda * weight));
    return log / lambda;
  };
  const largest = weights.reduce((most, weight) => Math.max(most, weight), 0);
  // Every λ > 0 gives a bound.
  let [low, high] = [Math.log(1e-2 / largest), Math.log(50 / largest)];
  for (let i = 0; i < 18; i++) {
    const third = (high - low) / 3;
    if (at(Math.exp(low + third)) <= at(Math.exp(high - third))) high -= third;
    else low += third;
  }
  return Math.min(all, at(Math.exp((low + high) / 2)));
}

/** Mixture of the sums of independent weighted draws, with sums rounded up to a grid. */
function mixtureOf(draws: readonly Draw[], sigma: number): CoreEvent<'core/gaussian-mixture'> {
  const present = draws.filter(({ weight, probability }) => weight > 0 && probability > 0);
  const total = present.reduce((sum, { weight }) => sum + weight, 0);
  const grid = (total / fine) * margin;
  // The grid is coarser than every weight takes: each is rounded up to it once.
  let masses = Float64Array.of(1);
  for (const { weight, probability } of present) {
    const moved = Math.ceil((weight / grid) * margin);
    const next = new Float64Array(masses.length + moved);
    for (let i = 0; i < masses.length; i++) {
      next[i] += masses[i] * (1 - probability);
      next[i + moved] += masses[i] * probability;
    }
    masses = next;
  }
  const factor = Math.ceil(masses.length / coarse);
  const shifts: number[] = [];
  const probabilities: number[] = [];
  for (let i = 0; i < masses.length; i += factor) {
    // Position 0 stays: most rows take no one.
    const from = i === 0 && factor > 1 ? [0, 1] : [i];
    for (const start of from) {
      const end = start === 0 && factor > 1 ? 1 : Math.min(i + factor, masses.length);
      const mass = masses.subarray(start, end).reduce((sum, one) => sum + one, 0);
      if (mass === 0) continue;
      shifts.push((end - 1) * grid);
      probabilities.push(mass);
    }
  }
  const sum = probabilities.reduce((a, b) => a + b, 0);
  probabilities[probabilities.length - 1] += Math.max(0, 1 - sum);
  return { kind: 'core/gaussian-mixture', v: 1, sigma, shifts, probabilities };
}
