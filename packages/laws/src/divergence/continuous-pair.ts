import {
  type Bounds,
  divideDown,
  divideUp,
  logAddExp,
  minimizeUnimodal,
  multiplyDown,
  multiplyUp,
} from '@lethe/numerics';
import { renyiOf } from './density-divergence.js';
import { gaussianCurve } from './gaussian-curve.js';
import type { LossGrid, Side } from './loss-grid.js';
import { gaussianNoise, type Noise } from './noise.js';
import { logPowerExcess } from './power-excess.js';
import { logMixture, logRatioAt, pairDelta, pairTail, type ShiftedPair, threshold } from './shifted-pair.js';
import type { Discretised, WorstPair } from './worst-pair.js';

/** Maximum number of panels of an integration. */
const mostPanels = 8000;

/** `N(μ, 1)` and `N(0, 1)`. */
export function gaussianPair(mu: number): WorstPair {
  const pair = { noise: gaussianNoise, rate: 1, up: mu, down: 0 };
  return {
    ...continuousPair(pair),
    key: `gaussian ${mu}`,
    mu,
    delta: (epsilon) => gaussianCurve(mu, epsilon),
    renyi: (alpha) => ({
      lower: multiplyDown(multiplyDown(mu, mu), alpha) / 2,
      upper: multiplyUp(multiplyUp(mu, mu), alpha) / 2,
    }),
  };
}

/** Bounds of the pair's hockey-stick divergence by tails, and of its Rényi divergence by quadrature. */
export function continuousPair(pair: ShiftedPair): WorstPair {
  const { noise, rate, up, down } = pair;
  const top = up + noise.body;
  const range = [logRatioAt(pair, Math.min(0, -down) - noise.body), logRatioAt(pair, top)] as const;
  return {
    key: `${noise.name} ${rate} ${up} ${down}`,
    range,
    delta: (epsilon) => pairDelta(pair, epsilon),
    renyi: (alpha) => pairRenyi(pair, alpha),
    discretise: (step, side) => discretise(pair, range, step, side),
  };
}

function discretise(
  pair: ShiftedPair,
  [from, to]: readonly [number, number],
  step: number,
  side: Side,
): Discretised {
  // Extends beyond both ends by a margin, so that no loss is attained at them.
  const first = Math.ceil(from / step - 1e-6) - 1;
  const last = Math.floor(to / step + 1e-6) + 1;
  // Losses at `above` are at least those of their grid point, at `below` at most.
  const points: number[] = [];
  for (let k = first; k <= last; k++)
    points.push(threshold(pair, step * k, side === 'down' ? 'above' : 'below', points.at(-1)));
  const tails = points.map((x) => tailAt(pair, x));
  const masses = new Float64Array(last - first + 1);
  for (let k = 0; k + 1 < points.length; k++) {
    // Mass between two points is rounded to the safe side.
    if (side === 'down') masses[k] = Math.max(0, tails[k].lower - tails[k + 1].upper);
    else masses[k + 1] = Math.max(0, tails[k].upper - tails[k + 1].lower) * (1 + 2 ** -50);
  }
  if (side === 'down') masses[masses.length - 1] = tails[tails.length - 1].lower;
  else masses[0] = Math.max(0, 1 - tails[0].lower) * (1 + 2 ** -50);
  const grid: LossGrid = { step, first, masses };
  return { grid, beyond: side === 'up' ? tails[tails.length - 1].upper : 0 };
}

function tailAt(pair: ShiftedPair, x: number): Bounds {
  if (x === -Infinity) return { lower: 1, upper: 1 };
  if (x === Infinity)
    return {
      lower: 0,
      upper: pair.noise.name === 'laplace' ? 0 : pairTail(pair, pair.up + pair.noise.reach, 1).upper,
    };
  // A Laplace loss is constant beyond the shifts, and certainly at the reach.
  return pair.noise.name === 'laplace' && x >= pair.noise.reach + pair.up
    ? { lower: 0, upper: Number.MIN_VALUE }
    : pairTail(pair, x, 1);
}

function pairRenyi(pair: ShiftedPair, alpha: number): Bounds {
  const { noise, rate, up, down } = pair;
  if (noise.name === 'laplace' && rate === 1) return laplaceRenyi(up + down, alpha);
  const end = noise === gaussianNoise ? alpha * up + (alpha - 1) * down + 14 : up + 50;
  // Half a panel must be shorter than a third of the distance to the complex zeros of a mixture.
  const width = noise === gaussianNoise ? Math.min(0.25, 2 / Math.max(up, down)) : 0.5;
  if (!((end + down + 14) / width < mostPanels)) return { lower: 0, upper: Infinity };
  const start = -down - (noise === gaussianNoise ? 14 : 50);
  const breaks = [...new Set([start, -down, 0, up, end])].toSorted((a, b) => a - b);
  const { lower, estimate } = renyiOf(
    { logQ: logDensityOf(noise, rate, -down), logRatio: (x) => logRatioAt(pair, x), breaks, width },
    alpha,
  );
  return { lower, upper: estimate + 2 * (estimate - lower) };
}

const logDensityOf =
  (noise: Noise, rate: number, shift: number) =>
  (x: number): number =>
    noise.logDensity(x) + logMixture(rate, noise.logRatio(x, shift));

/** @see Mironov 2017, Proposition 6. */
function laplaceRenyi(epsilon: number, alpha: number): Bounds {
  const beta = alpha - 1;
  const both = alpha + beta;
  const excess = (alpha * Math.expm1(beta * epsilon) + beta * Math.expm1(-alpha * epsilon)) / both;
  const size = (alpha * Math.expm1(beta * epsilon) + beta) / both;
  const log =
    beta * epsilon > 600 ? beta * epsilon + Math.log(alpha / both) : Math.log1p(Math.max(0, excess));
  const error = 2 ** -48 * (log + (beta * epsilon > 600 ? 0 : size / (1 + Math.max(0, excess))));
  return {
    lower: Math.max(0, divideDown(log - error, beta)),
    upper: Math.min(epsilon, divideUp(log + error, beta)),
  };
}

/** The exponential mechanism at ε: two groups of candidates whose odds change by `e^ε`, at the worst odds. */
export function exponentialPair(epsilon: number): WorstPair {
  return {
    key: `exponential ${epsilon}`,
    delta(at) {
      if (at >= epsilon) return { lower: 0, upper: 0 };
      if (at <= -epsilon)
        return { lower: -Math.expm1(at) * (1 - 1e-14), upper: -Math.expm1(at) * (1 + 1e-14) };
      // e^at (e^{(ε − at)/2} − 1)² / (e^ε − 1), divided through by e^ε.
      const delta = Math.expm1((at - epsilon) / 2) ** 2 / -Math.expm1(-epsilon);
      return { lower: delta * (1 - 1e-14), upper: Math.min(1, delta * (1 + 1e-14)) };
    },
    renyi: (alpha) => ({
      lower: exponentialRenyi(epsilon, alpha),
      upper: Math.min(epsilon, multiplyUp(alpha, multiplyUp(epsilon, epsilon)) / 8),
    }),
  };
}

/** Any odds give a lower bound; a search finds the best. */
function exponentialRenyi(epsilon: number, alpha: number): number {
  const beta = alpha - 1;
  const at = (odds: number): number => {
    const q = 1 / (1 + Math.exp(-odds));
    const rest = 1 / (1 + Math.exp(odds));
    const down =
      epsilon < 600
        ? -Math.log1p(q * Math.expm1(epsilon))
        : -epsilon - Math.log(q + rest * Math.exp(-epsilon));
    // The two values differ by ε; each is computed without cancellation.
    const up = rest > 0.5 ? epsilon + down : -Math.log1p(rest * Math.expm1(-epsilon));
    const excess = logAddExp(
      Math.log(q) + logPowerExcess(beta, up),
      Math.log(rest) + logPowerExcess(beta, down),
    );
    return (excess > 30 ? excess : Math.log1p(Math.exp(excess))) / beta;
  };
  const bound = Math.min(600, epsilon * (1 + alpha) + 20);
  const { value } = minimizeUnimodal((odds) => -at(odds), -bound, bound, { tolerance: 1e-7 });
  return Math.max(0, -value * (1 - 1e-11));
}
