import { addUp, expm1Down, log1pUp, minimizeUnimodal, subtractDown } from '@lethe/core';

/** Error granted to a sum of elementary functions, relative to the sizes of its terms. */
const grain = 2 ** -49;
/** Moments above this logarithm leave nothing to gain. */
const mostMoment = 30;

/** One order: the moment `e^((α−1) D)` is known. */
interface Known { readonly alpha: number; readonly divergence: number }

/**
 * Pairs of which a Rényi divergence is at most `D` have δ(ε) at most `λM + a + b`, with `M = e^((α−1)D)`, for every `λ > 0`, `a` and `b`
 * with `a + b t ≥ max(0, t − e^ε) − λ t^α` for all `t ≥ 0`. For `b = −u` the right side touches at two likelihood ratios when
 * `λ = w^(1−α)/α` and `w = e^ε / (κG)`, with `κ = 1 − 1/α` and `G = (1 + u)^(α/(α−1)) − u^(α/(α−1))`; then `a = κ w u^(α/(α−1))`.
 * The least over `u` is attained by two-point pairs; `u = 0` is the conversion of Canonne, Kamath and Steinke.
 *
 * @returns The bound at `u = e^x`, rounded up. It holds for any `x`.
 * @see Asoodeh, Liao, Calmon, Kosut, Sankar 2021, Theorem 3, of which this is the dual.
 */
function deltaAt({ alpha, divergence }: Known, epsilon: number, x: number): number {
  const { slope, logG, u } = touching(alpha, x), beta = alpha - 1;
  const logKappa = Math.log(beta / alpha);
  const logMoment = beta * (divergence - epsilon + logKappa + logG) - Math.log(alpha), logRest = epsilon + slope * x - logG;
  const moment = Math.exp(logMoment), rest = Math.exp(logRest);
  const momentSize = 4 + beta * (divergence + epsilon - logKappa) + alpha * Math.log1p(u) + Math.log(alpha) + beta * Math.abs(logG), restSize = 4 + epsilon + Math.abs(slope * x) + slope * Math.log1p(u) + Math.abs(logG);
  return addUp(moment + rest - u, grain * (moment * momentSize + rest * restSize + u));
}

/** What depends on `u = e^x` alone: `α/(α−1)` and `log G`. */
function touching(alpha: number, x: number): { readonly slope: number; readonly logG: number; readonly u: number } {
  const slope = alpha / (alpha - 1), u = Math.exp(x), power = slope * Math.log1p(u);
  return { slope, u, logG: power + Math.log(-Math.expm1(slope * x - power)) };
}

/** The least ε at which the bound at `u = e^x` is δ; certified by {@link deltaAt}. */
function epsilonAt(known: Known, delta: number, x: number): number {
  const { alpha, divergence } = known, { slope, logG, u } = touching(alpha, x), beta = alpha - 1;
  const logMoment = beta * (divergence + Math.log(beta / alpha) + logG) - Math.log(alpha), logRest = slope * x - logG;
  // The bound is convex in ε and falls first: from the left Newton's method climbs to the smaller root.
  let epsilon = (logMoment - Math.log(delta + u)) / beta;
  for (let i = 0; i < 12; i++) {
    const moment = Math.exp(logMoment - beta * epsilon), rest = Math.exp(logRest + epsilon), fall = beta * moment - rest;
    if (!(fall > 0)) return Infinity;
    const step = (moment + rest - u - delta) / fall;
    epsilon += step;
    if (!(Math.abs(step) > 1e-13 * (1 + Math.abs(epsilon)))) break;
  }
  for (let margin = 2 ** -46; margin < 2 ** -20; margin *= 8) {
    const safe = Math.max(0, epsilon + margin * (1 + Math.abs(epsilon)));
    if (deltaAt(known, safe, x) <= delta) return safe;
  }
  return Infinity;
}

/** The least over `u` near where `u = α λ t^(α−1)` puts it, for the smaller of two likelihood ratios `t`, which is at most 1. */
function leastOver(f: (x: number) => number, { alpha, divergence }: Known, delta: number): number {
  const moment = (alpha - 1) * divergence;
  if (!(moment < mostMoment)) return Infinity;
  const low = Math.log(alpha * delta) - moment, high = Math.log(alpha * delta) - Math.log(Math.expm1(moment));
  if (!Number.isFinite(low) || !Number.isFinite(high)) return Infinity;
  return minimizeUnimodal((x) => f(x - shift), Math.max(-shift + 1, low - 12) + shift, Math.min(shift, high + 2) + shift, { tolerance: 1e-9, maximumProbes: 44 }).value;
}
const shift = 1e3;

/**
 * Least δ at ε that follows from one divergence, rounded up: attained by two-point pairs. `guess` is a bound that is known.
 *
 * Where ε is at most `D + log(1 − 1/α)`, that is `1 − e^(ε − D)`: one outcome has all of `P`, and `b` is not negative.
 */
export function jointDelta(known: Known, epsilon: number, guess: number): number {
  const { alpha, divergence } = known;
  if (epsilon <= (divergence + Math.log1p(-1 / alpha)) * (1 - 2 ** -50) - 2 ** -50) return -expm1Down(subtractDown(epsilon, divergence));
  return leastOver((x) => deltaAt(known, epsilon, x), known, Math.min(1, guess));
}

/** Least ε at δ that follows from one divergence, rounded up. */
export function jointEpsilon(known: Known, delta: number): number {
  if (delta >= (1 + 2 ** -50) / known.alpha) return Math.max(0, addUp(known.divergence, log1pUp(-delta)));
  return leastOver((x) => epsilonAt(known, delta, x), known, delta);
}
