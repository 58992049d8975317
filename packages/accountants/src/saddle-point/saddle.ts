import { erfcx } from '@lethe/numerics';
import { type Factor, type TotalMoments, totalMoments } from './tilt.js';

/**
 * The least product of `λ` and the tilted standard deviation. Below it, the contour sum would need many terms
 * to keep its images small.
 */
const leastSpread = 0.7;

/**
 * `log δ` at `ε = K'(λ)` if the tilted sum were normal. It only guides the choice of `λ`; no bound depends on
 * it.
 */
function normalLogDelta({ lambda, log, mean, variance }: TotalMoments): number {
  const scale = Math.sqrt(variance);
  const near = erfcx(lambda * scale * Math.SQRT1_2) - erfcx((lambda + 1) * scale * Math.SQRT1_2);
  const far = 1 / (Math.sqrt(2 * Math.PI) * lambda * (lambda + 1) * scale);
  return log - lambda * mean + Math.log(near > 1e-9 * far ? near / 2 : far);
}

/** A `λ` whose saddle point is near where `δ` is `e^logDelta`. @param near - Where it probably is. */
export const saddleOfDelta = (factors: readonly Factor[], logDelta: number, near?: number): number =>
  search(factors, (tilted) => normalLogDelta(tilted) > logDelta, near);

/** A `λ` whose saddle point is near `ε`. @param near - Where it probably is. */
export const saddleOfEpsilon = (factors: readonly Factor[], epsilon: number, near?: number): number =>
  search(factors, ({ mean }) => mean < epsilon, near);

/** A search about a tilt that is probably right begins with an interval of this ratio about it. */
const nearby = 1.04;

/** The largest `λ` for which `before` holds, but at least the one given by {@link leastSpread}. */
function search(
  factors: readonly Factor[],
  before: (tilted: TotalMoments) => boolean,
  near?: number,
): number {
  const flat = totalMoments(factors, 0);
  if (!(flat.variance > 0)) return 1.5;
  const tiltedAt = (lambda: number): TotalMoments | undefined => {
    const tilted = totalMoments(factors, lambda);
    return tilted.variance > 0 && Number.isFinite(tilted.log) && tilted.variance > 1e-4 * flat.variance
      ? tilted
      : undefined;
  };
  const enough = (lambda: number): boolean => {
    const tilted = tiltedAt(lambda);
    return tilted === undefined || lambda * Math.sqrt(tilted.variance) >= leastSpread;
  };
  const isBefore = (lambda: number): boolean => {
    const tilted = tiltedAt(lambda);
    return tilted !== undefined && before(tilted);
  };
  if (near !== undefined) {
    const [low, high] = [near / nearby, near * nearby];
    const floored = !enough(low) && enough(high);
    if (!isBefore(high)) {
      if (floored) return halved(low, high, (lambda) => !enough(lambda) || isBefore(lambda), 12)[1];
      if (enough(low) && isBefore(low)) return halved(low, high, isBefore, 16)[0];
    }
  }
  let low = leastSpread / Math.sqrt(flat.variance);
  for (let i = 0; i < 20 && !enough(low); i++) low *= 1.5;
  // Rare large losses make the tilted deviation change abruptly with the tilt, so the start is bisected.
  let short = low;
  for (let i = 0; i < 60 && enough(short); i++) short /= 1.5;
  low = Math.min(low, short * 1.5);
  for (let i = 0; i < 16 && low > short * 1.001; i++) {
    const middle = Math.sqrt(low * short);
    if (enough(middle)) low = middle;
    else short = middle;
  }
  let high = low;
  for (let i = 0; i < 80 && isBefore(high); i++) {
    low = high;
    high *= 2;
  }
  return halved(low, high, isBefore, 20)[0];
}

/** An interval of tilts in which `below` ends to hold, halved in their logarithm. */
function halved(
  from: number,
  to: number,
  below: (lambda: number) => boolean,
  times: number,
): readonly [number, number] {
  let [low, high] = [from, to];
  for (let i = 0; i < times && high > low; i++) {
    const middle = Math.sqrt(low) * Math.sqrt(high);
    if (below(middle)) low = middle;
    else high = middle;
  }
  return [low, high];
}
