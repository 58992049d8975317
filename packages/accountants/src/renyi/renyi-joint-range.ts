import { addUp, expm1Down, log1pUp, minimizeUnimodal, subtractDown } from '@lethe/numerics';

/**
 * Allowance for the rounding error of a sum of elementary functions, relative to the magnitudes of its terms.
 */
const grain = 2 ** -49;
/** Above this logarithm of the moment, the closed form is as good. */
const mostMoment = 30;
/** The largest ε to try; `e^ε` is still far from overflow. */
const mostEpsilon = 600;
/** The largest `|log u|` to try. */
const farthest = 1e3;

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
    ? [Math.max(-farthest, low - 12), Math.min(farthest, high + 2)]
    : undefined;
}

/**
 * Where the bound falls and where it grows in `x`, with `u = e^x`: the logarithm of the derivative of moment
 * and rest, which is positive, over the derivative `u` of what is subtracted, and the slope of that.
 */
function balanceAt(
  { alpha, divergence }: OrderBound,
  epsilon: number,
  x: number,
): { readonly balance: number; readonly slope: number } {
  const { slope, logG } = touching(alpha, x);
  const beta = alpha - 1;
  const logQ = x > 0 ? -Math.log1p(Math.exp(-x)) : x - Math.log1p(Math.exp(x));
  const power = Math.exp(slope * logQ);
  const remainder = -Math.expm1(slope * logQ);
  // Derivatives of log G and of the exponent of the rest, with `q = u/(1 + u)`.
  const g = (-slope * Math.exp(logQ) * Math.expm1(logQ / beta)) / remainder;
  const left = (slope * Math.exp(logQ - x)) / remainder;
  const bend = Math.exp(logQ) - left * power;
  const logMoment =
    beta * (divergence - epsilon + Math.log(beta / alpha) + logG) - Math.log(alpha) + Math.log(beta * g);
  const logRest = epsilon + slope * x - logG + Math.log(left);
  const most = Math.max(logMoment, logRest);
  const [moment, rest] = [Math.exp(logMoment - most), Math.exp(logRest - most)];
  return {
    balance: most + Math.log(moment + rest) - x,
    slope: (moment * (beta * g + (left * bend) / g) + rest * (left - bend)) / (moment + rest) - 1,
  };
}

/**
 * The least bound for `u = e^x` with `x` in a window, and the `x` that gives it: Newton's method,
 * safeguarded by bisection, finds where it turns from falling to growing.
 *
 * @param start - Where the search begins.
 */
function leastDelta(
  known: OrderBound,
  epsilon: number,
  [lowest, highest]: readonly [number, number],
  start = lowest + (highest - lowest) / 2,
): { readonly x: number; readonly value: number } {
  let [low, high] = [lowest, highest];
  let x = Math.min(high, Math.max(low, start));
  for (let i = 0; i < 60; i++) {
    const { balance, slope } = balanceAt(known, epsilon, x);
    if (balance < 0) low = x;
    else high = x;
    const newton = slope > 0 ? x - balance / slope : Number.NaN;
    const next = newton > low && newton < high ? newton : low + (high - low) / 2;
    const step = Math.abs(next - x);
    x = next;
    if (step <= 1e-10 * (1 + Math.abs(x))) break;
  }
  const found = { x, value: deltaAt(known, epsilon, x) };
  return found.value > uncertain * grain * Math.exp(x)
    ? found
    : leastAllowing(known, epsilon, [lowest, highest], found);
}

/** Below this multiple of the allowance for rounding, the allowance decides where the bound is least. */
const uncertain = 1e3;

/** {@link leastDelta} by the values of the bound, the allowance for rounding included. */
function leastAllowing(
  known: OrderBound,
  epsilon: number,
  [low, high]: readonly [number, number],
  found: { readonly x: number; readonly value: number },
): { readonly x: number; readonly value: number } {
  const { argument, value } = minimizeUnimodal(
    (x) => deltaAt(known, epsilon, x - shift),
    low + shift,
    high + shift,
    { tolerance: 1e-9, maximumProbes: 44 },
  );
  return value < found.value ? { x: argument - shift, value } : found;
}
const shift = 2 * farthest;

/** Minus the derivative of the bound in ε, at a fixed `u = e^x`. */
function fallAt({ alpha, divergence }: OrderBound, epsilon: number, x: number): number {
  const { slope, logG } = touching(alpha, x);
  const beta = alpha - 1;
  return (
    beta * Math.exp(beta * (divergence - epsilon + Math.log(beta / alpha) + logG) - Math.log(alpha)) -
    Math.exp(epsilon + slope * x - logG)
  );
}

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
    found = leastDelta(known, epsilon, window, found.x);
    if (step <= 1e-13 * (1 + epsilon) || (epsilon === 0 && found.value <= delta)) break;
  }
  for (let margin = 2 ** -46; margin < 2 ** -20; margin *= 8) {
    const safe = epsilon === 0 && found.value <= delta ? 0 : epsilon + margin * (1 + epsilon);
    if (deltaAt(known, safe, found.x) <= delta) return safe;
  }
  return Infinity;
}
