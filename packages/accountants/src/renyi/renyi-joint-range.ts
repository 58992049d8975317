import { addUp, expm1Down, log1pUp, minimizeUnimodal, subtractDown } from '@lethe/numerics';

/** Error granted to a sum of elementary functions, relative to the sizes of its terms. */
const grain = 2 ** -49;
/** Moments above this logarithm leave nothing to gain. */
const mostMoment = 30;
/** Where `e^ε` is still far from overflow. */
const mostEpsilon = 600;

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
  if (!(moment + rest < Infinity)) return Infinity;
  return addUp(moment + rest - u, grain * (moment * momentSize + rest * restSize + u));
}

/** What depends on `u = e^x` alone: `α/(α−1)` and `log G`. */
function touching(alpha: number, x: number): { readonly slope: number; readonly logG: number; readonly u: number } {
  const slope = alpha / (alpha - 1), u = Math.exp(x), power = slope * Math.log1p(u);
  return { slope, u, logG: power + Math.log(-Math.expm1(slope * x - power)) };
}

/** Where `u` is to be looked for: `u = α λ t^(α−1)`, for the smaller of two likelihood ratios `t`, which is at most 1. */
function windowOf({ alpha, divergence }: Known, delta: number): readonly [number, number] | undefined {
  const moment = (alpha - 1) * divergence;
  if (!(moment < mostMoment)) return undefined;
  const low = Math.log(alpha * delta) - moment, high = Math.log(alpha * delta) - Math.log(Math.expm1(moment));
  return Number.isFinite(low) && Number.isFinite(high) ? [Math.max(1 - shift, low - 12), Math.min(shift, high + 2)] : undefined;
}

/** The least bound over `u = e^x` in a window, and where it is. */
function leastDelta(known: Known, epsilon: number, [low, high]: readonly [number, number], maximumProbes = 44): { readonly x: number; readonly value: number } {
  const { argument, value } = minimizeUnimodal((x) => deltaAt(known, epsilon, x - shift), low + shift, high + shift, { tolerance: 1e-9, maximumProbes });
  return { x: argument - shift, value };
}

/** Less the derivative of the bound in ε, at a fixed `u = e^x`. */
function fallAt({ alpha, divergence }: Known, epsilon: number, x: number): number {
  const { slope, logG } = touching(alpha, x), beta = alpha - 1;
  return beta * Math.exp(beta * (divergence - epsilon + Math.log(beta / alpha) + logG) - Math.log(alpha)) - Math.exp(epsilon + slope * x - logG);
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
  const window = windowOf(known, Math.min(1, guess));
  return window === undefined ? Infinity : leastDelta(known, epsilon, window).value;
}

/** Least ε at δ that follows from one divergence, rounded up; `guess` is a bound that is known. */
export function jointEpsilon(known: Known, delta: number, guess: number): number {
  if (delta >= (1 + 2 ** -50) / known.alpha) return Math.max(0, addUp(known.divergence, log1pUp(-delta)));
  const window = windowOf(known, delta);
  if (window === undefined) return Infinity;
  const start = Math.min(guess, mostEpsilon);
  let [low, high, epsilon] = [0, start, start], found = leastDelta(known, epsilon, window);
  for (let i = 0; i < 40 && found.value !== delta && high > 0; i++) {
    if (found.value <= delta) high = epsilon;
    else low = epsilon;
    // Newton's method on log δ, between what is known to be too small and to suffice.
    const newton = epsilon + (Math.log(found.value / delta) * found.value) / fallAt(known, epsilon, found.x);
    const next = newton > low && newton < high ? newton : newton <= 0 && low === 0 ? 0 : low + (high - low) / 2, step = Math.abs(next - epsilon);
    epsilon = next;
    const near = 1 + step * known.alpha;
    found = i < 2 || near > 4 ? leastDelta(known, epsilon, window) : leastDelta(known, epsilon, [found.x - near, found.x + near], 30);
    if (step <= 1e-13 * (1 + epsilon) || (epsilon === 0 && found.value <= delta)) break;
  }
  for (let margin = 2 ** -46; margin < 2 ** -20; margin *= 8) {
    const safe = epsilon === 0 && found.value <= delta ? 0 : epsilon + margin * (1 + epsilon);
    if (deltaAt(known, safe, found.x) <= delta) return safe;
  }
  return Infinity;
}
