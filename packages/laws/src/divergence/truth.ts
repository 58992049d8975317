import { addUp, type Bounds, defined, sqrtDown, sqrtUp } from '@lethe/numerics';
import { type Adjacency, parseEvent, type PrivacyEvent } from '@lethe/core';
import { productPair, responsesDelta } from './finite-pair.js';
import { gaussianCurve } from './gaussian-curve.js';
import { convolve, gridDelta, type LossGrid, power, type Side } from './loss-grid.js';
import type { Bounding, Scenario, Way } from './scenario.js';
import { worstCases } from './worst-case.js';
import type { WorstPair } from './worst-pair.js';

/** Maximum grid points of a whole composition, and maximum number of runs. */
const mostPoints = 4000;
const mostRuns = 64;

/** The true cost of an event for the worst neighbours: bounds from both sides. */
export interface TrueProfile {
  /** Bounds of δ(ε), `ε ≥ 0`; 0 or 1 for an unknown end. */
  readonly delta: (epsilon: number) => Bounds;
  /**
   * Bounds of the Rényi divergence; 0 or `Infinity` for an
   * unknown end. Quadrature widens them by an error estimate.
   */
  readonly renyi: (alpha: number) => Bounds;
}

/**
 * The cost of an event of core, from its distributions and not from core's characterisations: closed forms,
 * half lines and exact sums for one release, Gaussians and binary randomised responses; losses rounded to a
 * grid, down and up, for other short compositions.
 *
 * @returns `undefined` for unsupported events.
 * @throws {InvalidParameter} when the event is malformed.
 * @throws {Unsupported} when its kind is not one of core's.
 */
export function trueProfile(event: PrivacyEvent, adjacency: Adjacency): TrueProfile | undefined {
  const parsed = parseEvent(event);
  const ways: readonly Way[] = adjacency === 'replace-one' ? ['with'] : ['with', 'without'];
  const cases = (bounding: Bounding): readonly (Scenario | undefined)[] =>
    ways.flatMap(
      (way): readonly (Scenario | undefined)[] =>
        worstCases(parsed, { adjacency, bounding, way }) ?? [undefined],
    );
  const [attained, dominating] = [cases('attain'), cases('dominate')];
  if (attained.every((one) => one === undefined) && dominating.some((one) => one === undefined))
    return undefined;
  const lowDeltas = attained.map((one) => one && deltaOf(one, 'attain'));
  const highDeltas = dominating.map((one) => one && deltaOf(one, 'dominate'));
  return {
    delta: (epsilon) =>
      between(
        lowDeltas.map((curve) => curve?.(epsilon)),
        highDeltas.map((curve) => curve?.(epsilon)),
        1,
      ),
    renyi(alpha) {
      // One pair is often both attained and dominating, and its quadrature takes long.
      const divergences = new Map<string, Bounds>();
      const divergenceOf = (pair: WorstPair): Bounds => {
        const found = divergences.get(pair.key) ?? pair.renyi(alpha);
        divergences.set(pair.key, found);
        return found;
      };
      return between(
        attained.map((one) => one && renyiOfScenario(one, divergenceOf, 'attain')),
        dominating.map((one) => one && renyiOfScenario(one, divergenceOf, 'dominate')),
        Infinity,
      );
    },
  };
}

/** Cache of recent profiles: laws test many accountants on the same events. */
const recent = new Map<string, TrueProfile | undefined>();
const mostRecent = 2048;
/** Of each profile: numbers ε, and Rényi orders. */
const mostEpsilons = 64;

function recentProfile(event: PrivacyEvent, adjacency: Adjacency): TrueProfile | undefined {
  const key = `${adjacency} ${JSON.stringify(event)}`;
  if (recent.has(key)) return recent.get(key);
  const profile = trueProfile(event, adjacency);
  const deltas = new Map<number, Bounds>();
  const divergences = new Map<number, Bounds>();
  if (recent.size >= mostRecent) recent.delete(defined(recent.keys().next().value));
  recent.set(
    key,
    profile && {
      ...profile,
      delta(epsilon) {
        const seen = deltas.get(epsilon) ?? profile.delta(epsilon);
        if (deltas.size < mostEpsilons) deltas.set(epsilon, seen);
        return seen;
      },
      renyi(alpha) {
        const seen = divergences.get(alpha) ?? profile.renyi(alpha);
        if (divergences.size < mostEpsilons) divergences.set(alpha, seen);
        return seen;
      },
    },
  );
  return recent.get(key);
}

/** {@link trueProfile} at one ε. */
export const trueDelta = (event: PrivacyEvent, adjacency: Adjacency, epsilon: number): Bounds | undefined =>
  recentProfile(event, adjacency)?.delta(epsilon);
/** {@link trueProfile} at one Rényi order. */
export const trueRenyi = (event: PrivacyEvent, adjacency: Adjacency, alpha: number): Bounds | undefined =>
  recentProfile(event, adjacency)?.renyi(alpha);

function between(
  attained: readonly (number | undefined)[],
  dominating: readonly (number | undefined)[],
  unknown: number,
): Bounds {
  const lower = Math.max(0, ...attained.filter((one) => one !== undefined));
  return { lower, upper: Math.max(lower, ...dominating.map((one) => one ?? unknown)) };
}

type Curve = (epsilon: number) => number | undefined;

function deltaOf({ parts, failure }: Scenario, bounding: Bounding): Curve {
  const curve = curveOf(parts, bounding);
  return (epsilon) => {
    const rest = curve(epsilon);
    if (failure === 0 || rest === undefined) return failure === 1 ? 1 : rest;
    const total = failure + (1 - failure) * rest;
    return bounding === 'attain' ? total * (1 - 2 ** -50) : Math.min(1, total * (1 + 2 ** -50));
  };
}

function curveOf(parts: Scenario['parts'], bounding: Bounding): Curve {
  const pick = ({ lower, upper }: Bounds): number => (bounding === 'attain' ? lower : upper);
  if (parts.length === 0) return () => 0;
  if (parts.every(({ pair }) => pair.mu !== undefined)) {
    const mu = totalMu(parts, bounding);
    return (epsilon) => pick(gaussianCurve(mu, epsilon));
  }
  const { pair, count } = parts[0];
  if (parts.length === 1 && count === 1) return (epsilon) => pick(pair.delta(epsilon));
  if (parts.length === 1 && pair.response !== undefined && count <= 1e5)
    return (epsilon) => pick(responsesDelta(defined(pair.response), count, epsilon));
  const product = productPair(parts);
  if (product !== undefined) return (epsilon) => pick(product.delta(epsilon));
  const side = bounding === 'attain' ? 'down' : 'up';
  let total: Total | undefined;
  return (epsilon) => {
    total ??= convolved(parts, side);
    return total && Math.min(1, addUp(gridDelta(total.grid, epsilon, side), total.beyond));
  };
}

function totalMu(parts: Scenario['parts'], bounding: Bounding): number {
  const square = parts.reduce(
    (sum, { pair, count }) => sum + count * (pair.mu ?? Number.NaN) * (pair.mu ?? Number.NaN),
    0,
  );
  if (parts.length === 1 && parts[0].count === 1) return defined(parts[0].pair.mu);
  const margin = 2 ** -50 * (parts.length + 1);
  return bounding === 'attain' ? sqrtDown(square * (1 - margin)) : sqrtUp(square * (1 + margin));
}

interface Total {
  readonly grid: LossGrid;
  readonly beyond: number;
}

function convolved(parts: Scenario['parts'], side: Side): Total | undefined {
  const runs = parts.reduce((sum, { count }) => sum + count, 0);
  if (runs > mostRuns || parts.some(({ pair }) => pair.discretise === undefined)) return undefined;
  const width = parts.reduce(
    (sum, { pair, count }) => sum + count * (defined(pair.range)[1] - defined(pair.range)[0]),
    0,
  );
  if (!Number.isFinite(width)) return undefined;
  const step = Math.max(width, 1e-12) / mostPoints;
  let grid: LossGrid | undefined;
  let beyond = 0;
  for (const { pair, count } of parts) {
    const one = defined(pair.discretise)(step, side);
    const run = power(one.grid, count);
    beyond = addUp(beyond, one.beyond * count);
    grid = grid === undefined ? run : convolve(grid, run);
  }
  return { grid: defined(grid), beyond: side === 'up' ? beyond : 0 };
}

function renyiOfScenario(
  { parts, failure }: Scenario,
  divergenceOf: (pair: WorstPair) => Bounds,
  bounding: Bounding,
): number {
  if (failure > 0) return Infinity;
  let sum = 0;
  for (const { pair, count } of parts) {
    const { lower, upper } = divergenceOf(pair);
    sum += count * (bounding === 'attain' ? lower * (1 - 2 ** -50) : upper * (1 + 2 ** -50));
  }
  return sum;
}
