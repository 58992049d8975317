import { type Bounds, findRoot, normalCdfBounds } from '@lethe/numerics';
import { InvalidParameter, Unsupported } from '@lethe/core';
import { gaussianDelta } from '../gaussian/gaussian-curve.js';
import type { Profile } from './profile.js';

/** Bounds on μ, and the largest ε up to which the Gaussian profile dominates. */
export interface GaussianDomination extends Bounds {
  readonly most: number;
}

/** δ below this is ignored when the caller gives no largest ε. */
const negligible = 1e-12;
const mostDepth = 40;
const mostCells = 1000;

/**
 * The least μ whose Gaussian profile is at or above the given one for all ε from 0 to `most`. When the
 * profile is 0 from `most` on, this is domination at every ε.
 *
 * @param most - The largest ε to cover. The default is an ε at which δ is at most 1e-12.
 * @returns For μ below `lower`, the given profile exceeds the Gaussian one at some ε; for μ from `upper` on,
 * the Gaussian one is at or above it for every ε up to `most`.
 * @throws {Unsupported} when δ does not fall below 1e-12 and
 * `most` is not given, or no μ can be shown to suffice.
 */
export function gaussianDomination(profile: Profile, most = defaultMost(profile)): GaussianDomination {
  if (!(most >= 0 && most < Infinity))
    throw new InvalidParameter(`the largest ε is ${String(most)}; it must be a finite number from 0`, {
      most,
    });
  let [lower, start] = [0, 1e-12];
  const muAt = (epsilon: number): number => {
    const known = profile(epsilon);
    const mu = leastMu(epsilon, known.upper);
    lower = Math.max(lower, known.lower === known.upper ? mu : leastMu(epsilon, known.lower));
    start = Math.max(start, mu);
    return mu;
  };
  let [best, step] = [0, most / 16];
  for (let i = 0, largest = -1; i < 16; i++) {
    const mu = muAt(i * step);
    if (mu > largest) [best, largest] = [i * step, mu];
  }
  for (; step > 1e-4 * most; step /= 2)
    for (const epsilon of [Math.max(0, best - step / 2), Math.min(most, best + step / 2)])
      if (muAt(epsilon) >= start) best = epsilon;
  if (profile(0).upper === 0) return { lower: 0, upper: 0, most };
  for (let slack = 1e-7; slack < 1e4; slack *= 10) {
    const mu = start * (1 + slack);
    if (dominates(mu, profile, most)) return { lower, upper: mu, most };
  }
  throw new Unsupported(
    'no μ could be shown to give a Gaussian profile above this one; give a smaller largest ε',
    { most, lower },
  );
}

function defaultMost(profile: Profile): number {
  for (let epsilon = 1; epsilon < 1e6; epsilon *= 1.25)
    if (profile(epsilon).upper <= negligible) return epsilon;
  throw new Unsupported(
    'δ is still above 1e-12 at ε = 1e6, so there is no default for the largest ε; ' +
      'give the largest ε to cover',
    {},
  );
}

/** A μ, rounded down, below which `δ_μ(ε)` is less than δ. */
function leastMu(epsilon: number, delta: number): number {
  if (!(delta > 0)) return 0;
  let high = 1;
  while (gaussianDelta(high, epsilon).upper < delta) {
    if (high > 1e150) return high;
    high *= 4;
  }
  return findRoot(
    (mu) =>
      (gaussianDelta(mu, epsilon).upper < delta ? -1 : 1) *
      Math.max(2 ** -60, Math.abs(Math.log(Math.max(1e-320, gaussianDelta(mu, epsilon).upper) / delta))),
    0,
    high,
  ).lower;
}

/**
 * Whether `δ_μ` is shown to be above the profile on `[0, most]`: on each cell, as functions of `e^ε`, a
 * tangent of `δ_μ` must lie above the chord of the profile.
 */
function dominates(mu: number, profile: Profile, most: number): boolean {
  let cells = 0;
  const above = (from: number, to: number, depth: number): boolean => {
    const [start, end] = [profile(from).upper, profile(to).upper];
    if (start === 0 || gaussianDelta(mu, to).lower >= start) return true;
    if (++cells > mostCells || gaussianDelta(mu, from).lower < start) return false;
    const middle = from + (to - from) / 2;
    const value = gaussianDelta(mu, middle).lower;
    // The derivative in e^ε is −Φ(−ε/μ − μ/2); each side of the tangent uses the bound on it that is worse
    // there.
    const tail = normalCdfBounds(-middle / mu - mu / 2);
    const slack = 1 + 1e-12;
    const left = value - (tail.lower / slack) * Math.exp(middle) * Math.expm1(from - middle);
    const right = value - tail.upper * slack * Math.exp(middle) * Math.expm1(to - middle);
    if (left >= start * slack && right >= end * slack) return true;
    return depth < mostDepth && above(from, middle, depth + 1) && above(middle, to, depth + 1);
  };
  return above(0, most, 0);
}
