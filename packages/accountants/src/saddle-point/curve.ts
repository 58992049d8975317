import { addDown, addUp, type Bounds, type DominatingPair, expDown, expUp, findRoot, multiplyUp, subtractDown, subtractUp } from '@lethe/core';
import { contour } from './contour.js';
import { type EnclosedPair, enclosePair } from './enclosed-pair.js';
import { saddleOfDelta, saddleOfEpsilon } from './saddle.js';
import { type Factor, tiltAll } from './tilt.js';

/** Bounds and the tilt they were found with. */
export interface Tilted extends Bounds { readonly lambda: number }

/** Bounds on the pair's δ at ε. */
export function deltaBounds(pair: DominatingPair, epsilon: number): Tilted {
  const enclosed = enclosePair(pair, (factors) => saddleOfEpsilon(factors, epsilon));
  const { lambda, infinite } = enclosed;
  if (enclosed.upper.length === 0) return { lower: 0, upper: 0, lambda };
  const lower = expDown(Math.min(0, contour(enclosed.lower, lambda, 'lower', epsilon)(epsilon)));
  const upper = epsilon >= mostLoss(pair) ? anyInfinite(pair) : addUp(infinite.upper, expUp(Math.min(0, contour(enclosed.upper, lambda, 'upper', epsilon)(epsilon))));
  return { lower: Math.min(1, Math.max(0, addDown(infinite.lower, lower))), upper: Math.min(1, upper), lambda };
}

/** Bounds on the least ε at or above 0 at which the pair gives `δ`, below 1. */
export function epsilonBounds(pair: DominatingPair, delta: number): Tilted {
  const most = anyInfinite(pair) <= delta ? Math.max(0, mostLoss(pair)) : Infinity;
  // Less than what doubles resolve is bounded from below by that.
  const resolved = Math.max(delta, leastDelta);
  const enclosed = enclosePair(pair, (factors) => saddleOfDelta(factors, Math.log(resolved)));
  const { lambda, infinite } = enclosed;
  if (enclosed.upper.length === 0) return { lower: 0, upper: 0, lambda };
  return { lower: infinite.lower > delta ? Infinity : Math.min(most, lowerEpsilon(enclosed, resolved)), upper: Math.min(most, upperEpsilon(enclosed, delta)), lambda };
}

const leastDelta = 1e-300;

function upperEpsilon({ upper, lambda, infinite }: EnclosedPair, delta: number): number {
  const spare = subtractDown(delta, infinite.upper);
  if (!(spare > 0)) return Infinity;
  const logDelta = contour(upper, lambda, 'upper');
  const { mean, scale } = saddlePointOf(upper, lambda);
  const target = logOf(spare, -1);
  return crossing((epsilon) => logDelta(epsilon) - target, mean, scale)[1];
}

function lowerEpsilon({ lower, lambda, infinite }: EnclosedPair, delta: number): number {
  const logDelta = contour(lower, lambda, 'lower');
  const { mean, scale } = saddlePointOf(lower, lambda);
  const target = logOf(subtractUp(delta, infinite.lower), 1);
  const [below] = crossing((epsilon) => logDelta(epsilon) - target, mean, scale);
  return below;
}

function saddlePointOf(factors: readonly Factor[], lambda: number): { readonly mean: number; readonly scale: number } {
  const { mean, variance } = tiltAll(factors, lambda);
  return { mean, scale: Math.sqrt(variance) };
}

const logOf = (value: number, direction: 1 | -1): number => Math.log(value) + direction * 1e-15 * (1 + Math.abs(Math.log(value)));

/**
 * Losses ε at or above 0: one at which `excess` is still positive, or 0, and one at which it is not. Far from the saddle
 * point bounds are poor, so that the search starts from there.
 */
function crossing(excess: (epsilon: number) => number, start: number, scale: number): readonly [number, number] {
  let middle = Math.max(0, start);
  const forward = excess(middle) > 0;
  let step = scale > 0 ? scale / 16 : Math.max(2 ** -40, middle / 1024);
  for (let i = 0; i < 300; i++, step *= 1.5) {
    const next = forward ? middle + step : Math.max(0, middle - step);
    if (excess(next) > 0 !== forward) {
      const [low, high] = forward ? [middle, next] : [next, middle];
      const { lower, upper } = findRoot((epsilon) => {
        const value = excess(epsilon);
        return value > 0 ? Math.min(1000, Math.max(2 ** -60, value)) : Math.min(-(2 ** -60), Math.max(-1000, value));
      }, low, high);
      return [lower, upper];
    }
    if (next === 0) return [0, 0];
    middle = next;
  }
  return forward ? [middle, Infinity] : [0, middle];
}

/** The largest finite loss of the composition, rounded up. */
const mostLoss = ({ factors }: DominatingPair): number => factors.reduce((sum, { law, count }) => (count === 0 ? sum : addUp(sum, multiplyUp(count, law.support.most))), 0);

/** The probability that any loss is infinite, rounded up. */
const anyInfinite = ({ factors }: DominatingPair): number => Math.min(1, -Math.expm1(factors.reduce((sum, { law, count }) => (law.infinite > 0 ? sum + count * Math.log1p(-Math.min(1, law.infinite)) : sum), 0)) * (1 + 1e-14));
