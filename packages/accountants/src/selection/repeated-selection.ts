import { addUp, bisectDown, divideUp, logDown, logUp, multiplyUp } from '@lethe/numerics';
import { assertOptions, InvalidParameter, parseOrThrow } from '@lethe/core';
import * as z from 'zod';
import { leastShape } from '../events/selection/index.js';
import type { RenyiCurve } from '../renyi/renyi-conversion.js';

const runsSchema = z.strictObject({ mean: z.number().gt(1).max(1e300), shape: z.number().gt(-1).max(1e6) });
/**
 * The number of runs: a negative binomial variable, conditioned on not being 0. `shape` 1 is geometric, 0 is
 * logarithmic.
 */
export type NegativeBinomial = z.output<typeof runsSchema>;

/** The least γ: below, 1/γ is beyond the range of doubles, and with it the mean. */
const leastGamma = 2 ** -1020;

/** `log(λ̂ − 1)` for the orders that are tried; the bound is valid at each. */
const exponents: readonly number[] = Array.from({ length: 33 * 16 }, (_, i) => i / 16 - 5);

/**
 * The negative binomial variable of a given mean, as `negativeBinomialSelectionEvent` takes it. γ is rounded
 * down, so that the mean is no smaller than the given one.
 *
 * @throws {InvalidParameter} unless the mean is above 1 and the shape above −1.
 */
export function negativeBinomialOf(runs: NegativeBinomial): {
  readonly shape: number;
  readonly stopProbability: number;
} {
  assertOptions(runs, 'negativeBinomialOf');
  const { mean, shape } = parseOrThrow(runsSchema, runs, 'the number of runs of a selection');
  return { shape, stopProbability: gammaOf(mean, shape) };
}

/**
 * The Rényi divergence of releasing the best of K runs, from the divergence of one run, where K is negative
 * binomial and not 0: `D_λ + (1 + η)(1 − 1/λ̂) D_λ̂ + (1 + η) log(1/γ)/λ̂ + log E K/(λ − 1)` at the best λ̂.
 * For an ε-DP base it tends to `(2 + η)ε`. The event `core/negative-binomial-selection` is priced by all
 * accountants, from the tails that the divergences of several orders allow together.
 *
 * @param base - The divergence of one run, which releases its score with its output; it must hold in both
 * directions.
 * @throws {InvalidParameter} unless the mean is above 1 and the shape above −1.
 * @see Papernot, Steinke 2022, Theorem 2 and Corollary 3.
 */
export function negativeBinomialSelection(base: RenyiCurve, options: NegativeBinomial): RenyiCurve {
  assertOptions(options, 'negativeBinomialSelection');
  const { mean, shape } = parseOrThrow(runsSchema, options, 'the number of runs of a selection');
  const gamma = gammaOf(mean, shape);
  const spread = -logDown(gamma);
  let least = Infinity;
  for (const exponent of exponents) {
    const order = 1 + Math.exp(exponent);
    const divergence = base(order);
    if (divergence === Infinity) continue;
    const sum = addUp(multiplyUp(divergence, 1 - 1 / order + 2 ** -52), divideUp(spread, order));
    least = Math.min(least, multiplyUp(1 + shape + 2 ** -50, sum));
  }
  const logMean = logUp(mean);
  return (alpha) => {
    if (!(alpha > 1 && alpha < Infinity))
      throw new InvalidParameter(`the Rényi order is ${alpha}; it must be finite and above 1`, { alpha });
    return addUp(addUp(base(alpha), least), divideUp(logMean, alpha - 1));
  };
}

/**
 * The γ at which the mean equals `η(1 − γ)/(γ(1 − γ^η))`, or `(1/γ − 1)/log(1/γ)` at `η = 0`. It is rounded
 * down, which makes the divergence larger.
 */
function gammaOf(mean: number, shape: number): number {
  const meanAt = (gamma: number): number => {
    const log = Math.log(gamma);
    const lost = Math.abs(shape) < leastShape ? -log : -Math.expm1(shape * log) / shape;
    return (1 - gamma) / gamma / lost;
  };
  let low = 0.5;
  while (low > leastGamma && meanAt(low) <= mean) low = Math.max(low * low, leastGamma);
  if (meanAt(low) <= mean)
    throw new InvalidParameter(
      `a negative binomial number of runs of shape ${shape} and mean ${mean} is out of the range of ` +
        'doubles; give a smaller mean',
      { mean, shape },
    );
  const high = 1 - 2 ** -30;
  if (meanAt(high) > mean) return high;
  return bisectDown((gamma) => meanAt(gamma) - mean, low, high) * (1 - 2 ** -40);
}
