import { addUp, multiplyUp } from '@lethe/numerics';
import { logSlope, logSlopeError, type Repetitions } from './repetitions.js';

/** Step in the logarithm of the tail probability; the loss of tightness is of second order. */
const step = 5e-4;
const mostSteps = 50_000;

/**
 * Largest additional loss of a selection over an ε-private base, rounded up: `sup φ(t) − φ(t′)` with
 * `φ(s) = log f′(1 − s)`, over the probabilities `t` and `t′` of better outputs on the two sides.
 *
 * For small `t` the constraint is `t′ ≤ e^ε t`, and from `t = 1/(1 + e^ε)` it is `1 − t ≤ e^ε (1 − t′)`. In
 * the second range `φ(t) − φ(t′)` decreases: with `x = 1 − s`, the derivative `M(x) = x f″/f′` is the mean of
 * `K − 1` under weights `k P(K = k) x^(k−1)`, which increases with `x`. In the first range it is the integral
 * of `M s/(1 − s)` over `log s` from `log t` to `log t + ε`: sampled at equal steps, and bounded between
 * samples by {@link excess}.
 */
export function worstPureTail(repetitions: Repetitions, epsilon: number): number {
  if (epsilon === 0) return 0;
  const φ = (u: number): number => logSlope(repetitions, Math.exp(u), -Math.expm1(u));
  const whole = logSlope(repetitions, 0);
  const slack = 64 * logSlopeError;
  // The total decrease of φ; and M ≤ cap − 1 over a length ε.
  const ceiling = Math.min(
    addUp(whole - logSlope(repetitions, 1), slack),
    multiplyUp(repetitions.cap - 1, epsilon),
  );
  if (epsilon >= 40) return ceiling;
  const range = epsilon + 5 - Math.log(repetitions.stopProbability);
  const shift = Math.max(1, Math.round(epsilon / Math.max(step, range / mostSteps)));
  const width = shift < 8 ? Math.max(step, range / mostSteps) : epsilon / shift;
  const top = -Math.log1p(Math.exp(-epsilon));
  const samples = sampler(φ, top, width);
  if (shift < 8)
    return Math.min(
      ceiling,
      smallShift(samples, epsilon, width, Math.min(2 / repetitions.stopProbability, repetitions.cap - 1)),
    );
  let most = samples.at(shift).φ - samples.at(0).φ;
  for (let j = 1; whole - samples.at(j - 1).φ > most; j++) {
    const base = samples.at(j + shift);
    const opposite = samples.at(j);
    most = Math.max(most, base.φ - opposite.φ + excess(samples, j, shift, width));
  }
  return Math.min(ceiling, addUp(most, slack));
}

/** `φ` at `u`, and `∫ s/(1 − s) du = −log(1 − s)`. */
interface Sample {
  readonly φ: number;
  readonly weight: number;
}
interface Samples {
  at(index: number): Sample;
}

/** Cached samples at `top − index·width`. */
function sampler(φ: (u: number) => number, top: number, width: number): Samples {
  const known: Sample[] = [];
  return {
    at(index) {
      while (known.length <= index) {
        const u = top - known.length * width;
        known.push({ φ: φ(u), weight: u > -1 ? -Math.log(-Math.expm1(u)) : -Math.log1p(-Math.exp(u)) });
      }
      return known[index];
    },
  };
}

/**
 * Bound on the increase of `φ(t) − φ(e^ε t)` between two samples above its value at the lower one: the gain
 * at `t′`, where `M` is at most its mean over the step below, minus the loss at `t`, where it is at least its
 * mean over this step.
 */
function excess(samples: Samples, j: number, shift: number, width: number): number {
  const [below, here, above] = [samples.at(j + 1), samples.at(j), samples.at(j - 1)];
  const gained = ((below.φ - here.φ) / (here.weight - below.weight)) * (above.weight - here.weight);
  const [low, high] = [samples.at(j + shift), samples.at(j + shift - 1)];
  const lost = ((low.φ - high.φ) / (high.weight - low.weight)) * Math.expm1(low.weight) * width;
  return Math.max(0, gained - lost);
}

/**
 * `ε sup M s/(1 − s)` for ε small relative to the grid: on each step `M` is at most its mean over the step
 * below, and at most `mostMean`, the mean of `K − 1` at `x = 1`.
 */
function smallShift(samples: Samples, epsilon: number, width: number, mostMean: number): number {
  // Number of samples in a length ε, for the tail on the other side.
  const samplesInEpsilon = Math.ceil(epsilon / width);
  // Error of the samples relative to the step width; smaller suprema need not be found.
  const uncertainty = (8 * logSlopeError) / width;
  let most = 0;
  for (let j = 1; ; j++) {
    const odds = Math.expm1(samples.at(Math.max(0, j - 1 - samplesInEpsilon)).weight);
    if (odds * mostMean <= Math.max(most, uncertainty)) break;
    const below = samples.at(j + 1);
    const here = samples.at(j);
    most = Math.max(most, ((below.φ - here.φ) / (here.weight - below.weight)) * odds);
  }
  return multiplyUp(epsilon, most * (1 + 2 ** -40) + 2 * uncertainty);
}
