import {
  bisectBracket,
  type Bounds,
  expDown,
  expm1Up,
  expUp,
  multiplyDown,
  multiplyUp,
  subtractDown,
  subtractUp,
} from '@lethe/numerics';
import { type Noise, shiftedTail } from './noise.js';

/**
 * `P = (1 − rate)·law + rate·(law + up)` against `Q = (1 − rate)·law + rate·(law − down)`, with
 * `up, down ≥ 0`: one release from a Poisson sample. `down = 0` for removal, `up = 0` for addition, both
 * positive for replacement; `rate = 1` without sampling. The privacy loss increases with the output, so that
 * half lines are the optimal tests.
 */
export interface ShiftedPair {
  readonly noise: Noise;
  readonly rate: number;
  readonly up: number;
  readonly down: number;
}

/** `log((1 − q) + q e^z)`. */
export function logMixture(rate: number, z: number): number {
  if (rate === 1) return z;
  if (rate >= 0.5 && z < -1) return Math.log(1 - rate + rate * Math.exp(z));
  return z > 500 ? z + Math.log(rate + (1 - rate) * Math.exp(-z)) : Math.log1p(rate * Math.expm1(z));
}

/** `log p(x) − log q(x)`. */
export const logRatioAt = ({ noise, rate, up, down }: ShiftedPair, x: number): number =>
  logMixture(rate, noise.logRatio(x, up)) - logMixture(rate, noise.logRatio(x, -down));

/** A bound of the error of {@link logRatioAt}. */
const ratioError = ({ noise, up, down, rate }: ShiftedPair, x: number): number =>
  2 ** -47 *
  (2 +
    up +
    down +
    Math.abs(noise.logRatio(x, up)) +
    Math.abs(noise.logRatio(x, -down)) +
    (rate < 1 ? -Math.log1p(-rate) : 0));

/** Bounds on the probability of values above `x` under P (`sign` 1) or Q (−1). */
export function pairTail({ noise, rate, up, down }: ShiftedPair, x: number, sign: 1 | -1): Bounds {
  const moved = shiftedTail(noise, x, sign === 1 ? up : -down);
  if (rate === 1) return moved;
  const still = noise.tail(x);
  return {
    lower: (multiplyDown(1 - rate, still.lower) + multiplyDown(rate, moved.lower)) * (1 - 2 ** -51),
    upper: Math.min(1, (multiplyUp(1 - rate, still.upper) + multiplyUp(rate, moved.upper)) * (1 + 2 ** -51)),
  };
}

/**
 * Outputs around the one with the given loss: certainly at most (`below`) or at least (`above`) that loss.
 */
export function threshold(
  pair: ShiftedPair,
  loss: number,
  side: 'below' | 'above',
  from = -Infinity,
): number {
  const sign = side === 'above' ? 1 : -1;
  const reach = pair.noise.reach + Math.max(pair.up, pair.down);
  const beyond = (x: number): number =>
    logRatioAt(pair, x) - loss - sign * ratioError(pair, x) >= 0 ? 1 : -1;
  let low = Math.max(from, -reach);
  if (beyond(low) > 0) return side === 'above' || from > -reach ? low : -Infinity;
  let high = reach;
  // From a start close to the answer, with growing steps.
  for (let step = from > -reach ? 2 ** -8 : Infinity; low + step < high; step *= 2) {
    if (beyond(low + step) > 0) high = low + step;
    else low += step;
  }
  if (high === reach && beyond(reach) < 0) return side === 'above' ? Infinity : reach;
  const bracket = bisectBracket(beyond, low, high, { tolerance: 2 ** -48 });
  return side === 'above' ? bracket.upper : bracket.lower;
}

/** Bounds of `sup_S P(S) − e^ε Q(S)`. */
export function pairDelta(pair: ShiftedPair, epsilon: number): Bounds {
  const { up, down } = pair;
  if (epsilon === Infinity) return { lower: 0, upper: 0 };
  const [below, above] = [threshold(pair, epsilon, 'below'), threshold(pair, epsilon, 'above')];
  const p = finiteTail(pair, above, 1);
  const q = finiteTail(pair, above, -1);
  const lower = subtractDown(p.lower, multiplyUp(expUp(epsilon), q.upper));
  // Between the two thresholds the loss equals ε up to its computation error.
  const between =
    below === -Infinity ? 1 : Math.max(0, subtractUp(finiteTail(pair, below, -1).upper, q.lower));
  const slack = multiplyUp(
    multiplyUp(
      expUp(epsilon),
      expm1Up(4 * ratioError(pair, Number.isFinite(above) ? above : below) + (up + down) * 2 ** -46),
    ),
    between,
  );
  const beyond = above === Infinity ? p.upper : subtractUp(p.upper, multiplyDown(expDown(epsilon), q.lower));
  return { lower: Math.max(0, lower), upper: Math.min(1, Math.max(0, beyond) + slack * (1 + 2 ** -50)) };
}

/** A tail at a threshold, which may be infinite. */
function finiteTail(pair: ShiftedPair, x: number, sign: 1 | -1): Bounds {
  if (x === -Infinity) return { lower: 1, upper: 1 };
  if (x < Infinity) return pairTail(pair, x, sign);
  if (pair.noise.name === 'laplace') return { lower: 0, upper: 0 };
  return { lower: 0, upper: pairTail(pair, pair.noise.reach + Math.max(pair.up, pair.down), sign).upper };
}
