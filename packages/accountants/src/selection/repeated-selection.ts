import { addUp, bisectDown, divideUp, logDown, logUp, multiplyUp } from '@lethe/numerics';
import { assertOptions, InvalidParameter, parseOrThrow } from '@lethe/core';
import { z } from 'zod';
import type { RenyiCurve } from '../renyi/renyi-conversion.js';

const lawSchema = z.strictObject({ mean: z.number().gt(1).max(1e300), shape: z.number().gt(-1).max(1e6) });
/** How often a base is run: a negative binomial number without its 0. `shape` 1 is geometric, 0 logarithmic. */
export type NegativeBinomial = z.output<typeof lawSchema>;

/** `log λ̂ − 1` for the orders looked at; the bound is valid at each. */
const exponents: readonly number[] = Array.from({ length: 33 * 16 }, (_, i) => i / 16 - 5);

/**
 * Rényi divergence of the best of K runs, K negative binomial without 0, from that of one run:
 * `D_λ + (1 + η)(1 − 1/λ̂) D_λ̂ + (1 + η) log(1/γ)/λ̂ + log E K/(λ − 1)` at the best λ̂. For an ε-private base it tends to `(2 + η)ε`. What
 * stops at a cap is the event `core/selection`.
 *
 * @param base - Of one run, which gives its score with its output; both directions.
 * @throws {InvalidParameter} unless the mean is above 1 and the shape above −1.
 * @see Papernot, Steinke 2022, Theorem 2 and Corollary 3.
 */
export function negativeBinomialSelection(base: RenyiCurve, options: NegativeBinomial): RenyiCurve {
  assertOptions(options, 'negativeBinomialSelection');
  const { mean, shape } = parseOrThrow(lawSchema, options, 'the number of runs of a selection');
  const gamma = stopping(mean, shape);
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
    if (!(alpha > 1 && alpha < Infinity)) throw new InvalidParameter(`the Rényi order is ${alpha}; it must be finite and above 1`, { alpha });
    return addUp(addUp(base(alpha), least), divideUp(logMean, alpha - 1));
  };
}

/** γ at which the mean is `η(1 − γ)/(γ(1 − γ^η))`, or `(1/γ − 1)/log(1/γ)` at `η = 0`; rounded down, which costs more. */
function stopping(mean: number, shape: number): number {
  const meanAt = (gamma: number): number => {
    const log = Math.log(gamma);
    const lost = shape === 0 ? -log : -Math.expm1(shape * log) / shape;
    return (1 - gamma) / gamma / lost;
  };
  let low = 0.5;
  while (low > 0 && meanAt(low) < mean) low *= low;
  if (low === 0) throw new InvalidParameter(`no negative binomial law of shape ${shape} that is computed with has the mean ${mean}; give a smaller mean`, { mean, shape });
  const high = 1 - 2 ** -30;
  if (meanAt(high) > mean) return high;
  return bisectDown((gamma) => meanAt(gamma) - mean, low, high) * (1 - 2 ** -40);
}
