import { addUp, expm1Down, log1pUp, minimizeUnimodal, subtractDown } from '@lethe/numerics';

/**
 * Allowance for the rounding error of a sum of elementary functions, relative to the magnitudes of its terms.
 */
const grain = 2 ** -49;
/** Above this logarithm of the moment, the closed form is as good. */
const mostMoment = 30;
/** The largest ε to try; `e^ε` is still far from overflow. */
const mostEpsilon = 600;

/** A Rényi order and a bound `D` on the divergence there, so that the moment is at most `e^((α−1) D)`. */
interface OrderBound {
  readonly alpha: number;
  readonly divergence: number;
}

/**
 * A pair whose Rényi divergence of order `α` is at most `D` has δ(ε) at most `λM + a + b`, with
 * `M = e^((α−1)D)`, for every `λ > 0`, `a` and `b` with `a + b t ≥ max(0, t − e^ε) − λ t^α` for all `t ≥ 0`.
 * For `b = −u` the two sides touch at two likelihood ratios when `λ = w^(1−α)/α` and `w = e^ε / (κG)`, with
 * `κ = 1 − 1/α` and `G = (1 + u)^(α/(α−1)) − u^(α/(α−1))`; then `a = κ w u^(α/(α−1))`. The least bound over
 * `u` is attained by pairs on two outcomes; `u = 0` gives the conversion of Canonne, Kamath and Steinke.
 *
 * @returns The bound at `u = e^x`, rounded up. It is valid for any `x`.
 * @see Asoodeh, Liao, Calmon, Kosut, Sankar 2021, Theorem 3, of which this is the dual.
 */
function deltaAt({ alpha, divergence }: OrderBound, epsilon: number, x: number): number {
  const { slope, logG, u } = touching(alpha, x);
  const beta = alpha - 1;
  const logKappa = Math.log(beta / alpha);
  const logMoment = beta * (divergence - epsilon + logKappa + logG) - Math.log(alpha);
  const logRest = epsilon + slope * x - logG;
  const moment = Math.exp(logMoment);
  const rest = Math.exp(logRest);
  const momentSize =
    4 +
    beta * (divergence + epsilon - logKappa) +
    alpha * Math.log1p(u) +
    Math.log(alpha) +
    beta * Math.abs(logG);
  const restSize = 4 + epsilon + Math.abs(slope * x) + slope * Math.log1p(u) + Math.abs(logG);
  if (!(moment + rest < Infinity)) return Infinity;
  return addUp(moment + rest - u, grain * (moment * momentSize + rest * restSize + u));
}

/** The quantities that depend on `α` and `u = e^x` only: the exponent `α/(α−1)`, `u` and `log G`. */
function touching(
  alpha: number,
  x: number,
): { readonly slope: number; readonly logG: number; readonly u: number } {
  const slope = alpha / (alpha - 1);
  const u = Math.exp(x);
  const power = slope * Math.log1p(u);
  return { slope, u, logG: power + Math.log(-Math.expm1(slope * x - power)) };
}

/**
 * The interval in which to search for `log u`: `u = α λ t^(α−1)`, where `t` is the smaller likelihood ratio,
 * at most 1.
 */
function windowOf({ alpha, divergence }: OrderBound, delta: number): readonly [number, number] | undefined {
  const moment = (alpha - 1) * divergence;
  if (!(moment < mostMoment)) return undefined;
  const low = Math.log(alpha * delta) - moment;
  const high = Math.log(alpha * delta) - Math.log(Math.expm1(moment));
  return Number.isFinite(low) && Number.isFinite(high)
    ? [Math.max(1 - shift, low - 12), Math.min(shift, high + 2)]
    : undefined;
}

/** The least bound for `u = e^x` with `x` in a window, and the `x` that gives it. */
function leastDelta(
  known: OrderBound,
  epsilon: number,
  [low, high]: readonly [number, number],
  maximumProbes = 44,
): { readonly x: number; readonly value: number } {
  const { argument, value } = minimizeUnimodal(
    (x) => deltaAt(known, epsilon, x - shift),
    low + shift,
    high + shift,
    { tolerance: 1e-9, maximumProbes },
  );
  return { x: argument - shift, value };
}

/** Minus the derivative of the bound in ε, at a fixed `u = e^x`. */
function fallAt({ alpha, divergence }: OrderBound, epsilon: number, x: number): number {
  const { slope, logG } = touching(alpha, x);
  const beta = alpha - 1;
  return (
    beta * Math.exp(beta * (divergence - epsilon + Math.log(beta / alpha) + logG) - Math.log(alpha)) -
    Math.exp(epsilon + slope * x - logG)
  );
}
const shift = 1e3;

/**
 * The least δ at ε that follows from one divergence, rounded up; pairs on two outcomes attain it.
 *
 * For ε at most `D + log(1 − 1/α)` it is `1 − e^(ε − D)`: all of `P` is on one outcome, and `b` is not
 * negative.
 *
 * @param guess - A known upper bound on that δ.
 */
export function jointDelta(known: OrderBound, epsilon: number, guess: number): number {
  const { alpha, divergence } = known;
  if (epsilon <= (divergence + Math.log1p(-1 / alpha)) * (1 - 2 ** -50) - 2 ** -50)
    return -expm1Down(subtractDown(epsilon, divergence));
  const window = windowOf(known, Math.min(1, guess));
  return window === undefined ? Infinity : leastDelta(known, epsilon, window).value;
}

/** The least ε at δ that follows from one divergence, rounded up. `guess` is a known upper bound on it. */
export function jointEpsilon(known: OrderBound, delta: number, guess: number): number {
  if (delta >= (1 + 2 ** -50) / known.alpha) return Math.max(0, addUp(known.divergence, log1pUp(-delta)));
  const window = windowOf(known, delta);
  if (window === undefined) return Infinity;
  const start = Math.min(guess, mostEpsilon);
  let [low, high, epsilon] = [0, start, start];
  let found = leastDelta(known, epsilon, window);
  for (let i = 0; i < 40 && found.value !== delta && high > 0; i++) {
    if (found.value <= delta) high = epsilon;
    else low = epsilon;
    // Newton's method on log δ, safeguarded by an ε known to be too small and one known to suffice.
    const newton = epsilon + (Math.log(found.value / delta) * found.value) / fallAt(known, epsilon, found.x);
    let next: number;
    if (newton > low && newton < high) next = newton;
    else if (newton <= 0 && low === 0) next = 0;
    else next = low + (high - low) / 2;
    const step = Math.abs(next - epsilon);
    epsilon = next;
    const near = 1 + step * known.alpha;
    found =
      i < 2 || near > 4
        ? leastDelta(known, epsilon, window)
        : leastDelta(known, epsilon, [found.x - near, found.x + near], 30);
    if (step <= 1e-13 * (1 + epsilon) || (epsilon === 0 && found.value <= delta)) break;
  }
  for (let margin = 2 ** -46; margin < 2 ** -20; margin *= 8) {
    const safe = epsilon === 0 && found.value <= delta ? 0 : epsilon + margin * (1 + epsilon);
    if (deltaAt(known, safe, found.x) <= delta) return safe;
  }
  return Infinity;
}
