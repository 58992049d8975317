import { addUp, multiplyUp } from '@lethe/numerics';
import { logSlope, logSlopeError, type Repetitions } from './repetitions.js';

/** Step of the logarithm of a tail's probability; what it costs in tightness is of its square. */
const step = 5e-4;
const mostSteps = 50_000;

/**
 * The most that selection adds to the loss of an ε-private base, rounded up: `sup φ(t) − φ(t′)` with `φ(s) = log f′(1 − s)`, over the
 * probabilities `t` and `t′` that better outputs have on the two sides.
 *
 * At first `t′ ≤ e^ε t`, and from `t = 1/(1 + e^ε)` on `1 − t ≤ e^ε (1 − t′)`. There `φ(t) − φ(t′)` falls: with `x = 1 − s`, the
 * derivative `M(x) = x f″/f′` is the mean of `K − 1` under weights `k P(K = k) x^(k−1)`, which grows with `x`. Before, it is the integral of
 * `M s/(1 − s)` over `log s` from `log t` to `log t + ε`: sampled at equal steps, and between two samples bounded by
 * {@link excess}.
 */
export function worstPureTail(repetitions: Repetitions, epsilon: number): number {
  if (epsilon === 0) return 0;
  const φ = (u: number): number => logSlope(repetitions, Math.exp(u), -Math.expm1(u));
  const whole = logSlope(repetitions, 0);
  const slack = 64 * logSlopeError;
  // All that φ falls by; and M is at most cap − 1, over losses of at most ε.
  const ceiling = Math.min(addUp(whole - logSlope(repetitions, 1), slack), multiplyUp(repetitions.cap - 1, epsilon));
  if (epsilon >= 40) return ceiling;
  const range = epsilon + 5 - Math.log(repetitions.stopProbability);
  const shift = Math.max(1, Math.round(epsilon / Math.max(step, range / mostSteps)));
  const width = shift < 8 ? Math.max(step, range / mostSteps) : epsilon / shift;
  const top = -Math.log1p(Math.exp(-epsilon));
  const samples = sampler(φ, top, width);
  if (shift < 8) return Math.min(ceiling, smallShift(samples, epsilon, width, Math.min(2 / repetitions.stopProbability, repetitions.cap - 1)));
  let most = samples.at(shift).φ - samples.at(0).φ;
  for (let j = 1; whole - samples.at(j - 1).φ > most; j++) {
    const [base, opposite] = [samples.at(j + shift), samples.at(j)];
    most = Math.max(most, base.φ - opposite.φ + excess(samples, j, shift, width));
  }
  return Math.min(ceiling, addUp(most, slack));
}

/** `φ` at `u`, and `∫ s/(1 − s) du = −log(1 − s)`. */
interface Sample { readonly φ: number; readonly weight: number }
interface Samples { at(index: number): Sample }

/** Samples at `top − index·width`, each computed once. */
function sampler(φ: (u: number) => number, top: number, width: number): Samples {
  const known: Sample[] = [];
  return {
    at(index) {
      while (known.length <= index) {
        const u = top - known.length * width;
        known.push({ φ: φ(u), weight: u > -1 ? -Math.log(-Math.expm1(u)) : -Math.log1p(-Math.exp(u)) });
      }
      return known[index]!;
    },
  };
}

/**
 * By how much `φ(t) − φ(e^ε t)` may rise above its value at the lower sample, before the upper one: gained at `t′`, where `M` is at most its
 * mean over the step below, and lost at `t`, where it is at least its mean over the step so far.
 */
function excess(samples: Samples, j: number, shift: number, width: number): number {
  const [below, here, above] = [samples.at(j + 1), samples.at(j), samples.at(j - 1)];
  const gained = (below.φ - here.φ) / (here.weight - below.weight) * (above.weight - here.weight);
  const [low, high] = [samples.at(j + shift), samples.at(j + shift - 1)];
  const lost = (low.φ - high.φ) / (high.weight - low.weight) * Math.expm1(low.weight) * width;
  return Math.max(0, gained - lost);
}

/**
 * `ε sup M s/(1 − s)` over a grid that is coarse beside ε: on each step `M` is at most its mean over the step below, and everywhere at most
 * `mostMean`, that of `K − 1` at `x = 1`.
 */
function smallShift(samples: Samples, epsilon: number, width: number, mostMean: number): number {
  // What a tail reaches on the other side: as many samples up as ε is wide.
  const reach = Math.ceil(epsilon / width);
  // The errors of the samples, beside the width of a step; what is less than them need not be looked for.
  const doubt = 8 * logSlopeError / width;
  let most = 0;
  for (let j = 1; ; j++) {
    const odds = Math.expm1(samples.at(Math.max(0, j - 1 - reach)).weight);
    if (odds * mostMean <= Math.max(most, doubt)) break;
    const [below, here] = [samples.at(j + 1), samples.at(j)];
    most = Math.max(most, (below.φ - here.φ) / (here.weight - below.weight) * odds);
  }
  return multiplyUp(epsilon, most * (1 + 2 ** -40) + 2 * doubt);
}
