import type { Atoms } from './atoms.js';

/** A measure that occurs `count` times, independently. */
export interface Factor {
  readonly atoms: Atoms;
  readonly count: number;
}

/** The result of tilting one measure exponentially by `λ`. */
export interface Tilt {
  /** Tilted probability of each atom. */
  readonly weights: Float64Array;
  /** `log Σ m e^{λx}`. */
  readonly log: number;
  readonly mean: number;
  readonly variance: number;
  /** Root mean square of `λx`, in proportion to which rounding errors grow. */
  readonly exponent: number;
}

/** The tilted sum of all factors, and a bound on the rounding error of its logarithm. */
export interface TotalTilt {
  readonly lambda: number;
  readonly log: number;
  readonly logError: number;
  readonly mean: number;
  readonly variance: number;
  readonly parts: readonly Tilt[];
}

/** Half a unit in the last place of 1. */
export const unit = 2 ** -53;

/** The probabilities proportional to `m e^{λx}`, and their moments. */
export function tilt({ positions, masses, logs }: Atoms, lambda: number): Tilt {
  const size = positions.length;
  const weights = new Float64Array(size);
  let at = 0;
  for (let i = 1; i < size; i++)
    if (logs[i] + lambda * positions[i] > logs[at] + lambda * positions[at]) at = i;
  const shift = size === 0 ? -Infinity : logs[at] + lambda * positions[at];
  if (!Number.isFinite(shift)) return { weights, log: -Infinity, mean: 0, variance: 0, exponent: 0 };
  const centre = positions[at];
  let [total, lost, first, square] = [0, 0, 0, 0];
  for (let i = 0; i < size; i++) {
    const exponent = lambda * positions[i] - shift;
    const weight = exponent < 700 ? masses[i] * Math.exp(exponent) : Math.exp(logs[i] + exponent);
    weights[i] = weight;
    // Compensated summation, because the count multiplies any error here.
    const term = weight - lost;
    const next = total + term;
    lost = next - total - term;
    total = next;
    first += weight * (positions[i] - centre);
    square += weight * positions[i] * positions[i];
  }
  const mean = centre + first / total;
  let spread = 0;
  for (let i = 0; i < size; i++) {
    weights[i] /= total;
    spread += weights[i] * (positions[i] - mean) ** 2;
  }
  return {
    weights,
    log: shift + Math.log(total),
    mean,
    variance: spread,
    exponent: lambda * Math.sqrt(square / total),
  };
}

/** Tilts a product of measures. */
export function tiltAll(factors: readonly Factor[], lambda: number): TotalTilt {
  const parts = factors.map(({ atoms }) => tilt(atoms, lambda));
  let [log, mean, variance, logError] = [0, 0, 0, 0];
  parts.forEach((part, i) => {
    const { count } = factors[i];
    log += count * part.log;
    mean += count * part.mean;
    variance += count * part.variance;
    // Allows for the rounding of a term's exponent (for the least masses, of their logarithms), a few units
    // for the term, and a few for the sum and its logarithm.
    logError += count * unit * (8 * part.exponent + 8 * Math.abs(part.log) + 1024);
  });
  return { lambda, log, logError: logError + 4 * unit * parts.length * Math.abs(log), mean, variance, parts };
}
