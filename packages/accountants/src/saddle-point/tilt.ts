import type { Atoms } from './atoms.js';

/** A measure that occurs `count` times, independently. */
export interface Factor {
  readonly atoms: Atoms;
  readonly count: number;
}

/** Moments of one measure tilted exponentially by `λ`. */
export interface Moments {
  /** `log Σ m e^{λx}`. */
  readonly log: number;
  readonly mean: number;
  readonly variance: number;
  /** Root mean square of `λx`, in proportion to which rounding errors grow. */
  readonly exponent: number;
}

/** The result of tilting one measure. */
export interface Tilt extends Moments {
  /** Tilted probability of each atom. */
  readonly weights: Float64Array;
}

/** Moments of the tilted sum of all factors, and a bound on the rounding error of the logarithm. */
export interface TotalMoments {
  readonly lambda: number;
  readonly log: number;
  readonly logError: number;
  readonly mean: number;
  readonly variance: number;
}

/** The tilted sum of all factors. */
export interface TotalTilt extends TotalMoments {
  readonly parts: readonly Tilt[];
}

/** Half a unit in the last place of 1. */
export const unit = 2 ** -53;

/** The exponent by which the largest of the tilted masses is 1, and where that mass is. */
function peakOf({ positions, logs }: Atoms, lambda: number): { readonly shift: number; readonly at: number } {
  let at = 0;
  let shift = -Infinity;
  for (let i = 0; i < positions.length; i++) {
    const log = logs[i] + lambda * positions[i];
    if (log > shift) {
      shift = log;
      at = i;
    }
  }
  return { shift, at };
}

/** Moments, and the total mass in units of the largest one. */
interface Summed extends Moments {
  readonly total: number;
}

/** @param weights - Takes the tilted masses in units of the largest one. */
function summed(atoms: Atoms, lambda: number, weights?: Float64Array): Summed {
  const { positions, masses, logs } = atoms;
  const { shift, at } = peakOf(atoms, lambda);
  if (!Number.isFinite(shift)) return { log: -Infinity, mean: 0, variance: 0, exponent: 0, total: 0 };
  const centre = positions[at];
  let [total, lost, first, second, square] = [0, 0, 0, 0, 0];
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i];
    const exponent = lambda * position - shift;
    const weight = exponent < 700 ? masses[i] * Math.exp(exponent) : Math.exp(logs[i] + exponent);
    if (weights !== undefined) weights[i] = weight;
    // Compensated summation, because the count multiplies any error here.
    const term = weight - lost;
    const next = total + term;
    lost = next - total - term;
    total = next;
    const offset = position - centre;
    first += weight * offset;
    second += weight * offset * offset;
    square += weight * position * position;
  }
  return {
    log: shift + Math.log(total),
    mean: centre + first / total,
    variance: Math.max(0, second - (first * first) / total) / total,
    exponent: lambda * Math.sqrt(square / total),
    total,
  };
}

/** The probabilities proportional to `m e^{λx}`, and their moments. */
export function tilt(atoms: Atoms, lambda: number): Tilt {
  const { positions } = atoms;
  const weights = new Float64Array(positions.length);
  const { log, mean, exponent, total } = summed(atoms, lambda, weights);
  let variance = 0;
  if (total === 0) return { log, mean, variance, exponent, weights };
  for (let i = 0; i < weights.length; i++) {
    weights[i] /= total;
    const offset = positions[i] - mean;
    variance += weights[i] * offset * offset;
  }
  return { log, mean, variance, exponent, weights };
}

/** Tilts a product of measures. */
export function tiltAll(factors: readonly Factor[], lambda: number): TotalTilt {
  const parts = factors.map(({ atoms }) => tilt(atoms, lambda));
  return { ...totalOf(factors, parts, lambda), parts };
}

/** {@link tiltAll} without the probabilities: the variance is then a guide only. */
export const totalMoments = (factors: readonly Factor[], lambda: number): TotalMoments =>
  totalOf(
    factors,
    factors.map(({ atoms }) => summed(atoms, lambda)),
    lambda,
  );

function totalOf(factors: readonly Factor[], parts: readonly Moments[], lambda: number): TotalMoments {
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
  return { lambda, log, logError: logError + 4 * unit * parts.length * Math.abs(log), mean, variance };
}
