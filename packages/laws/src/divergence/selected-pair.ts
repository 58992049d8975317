import { type CoreEvent } from '@lethe/core';
import { normalCdf } from '@lethe/numerics';
import { finitePair } from './finite-pair.js';
import type { WorstPair } from './worst-pair.js';

/** The event of a selection, without its base. */
export type Stopping =
  | Omit<CoreEvent<'core/selection'>, 'base'>
  | Omit<CoreEvent<'core/negative-binomial-selection'>, 'base'>
  | Omit<CoreEvent<'core/poisson-selection'>, 'base'>;

/** Maximum number of runs with an exact sum over it. */
const mostRuns = 20_000;

/**
 * Worst-case pairs for the best of many runs of an ε-DP release: two
 * scores, the higher one rare; and three, the lower two frequent.
 */
export function selectedPromise(stopping: Stopping, epsilon: number): readonly WorstPair[] {
  const scarce = [1e-3, 0.02, 0.2].flatMap((share) => (share * Math.exp(epsilon) < 0.5 ? [share] : []));
  const binary = scarce.flatMap((good) => {
    const more = good * Math.exp(epsilon);
    const less = good * Math.exp(-epsilon);
    return [
      [
        [1 - more, more],
        [1 - good, good],
      ],
      [
        [1 - less, less],
        [1 - good, good],
      ],
    ];
  });
  // The middle score is selected more often if it is likelier itself and the best score is rarer.
  const ternary = scarce
    .flatMap((best) =>
      scarce.map((middle) => {
        const [p, q] = [
          [middle * Math.exp(epsilon), best * Math.exp(-epsilon)],
          [middle, best],
        ];
        return [p, q].map(([m, b]) => [1 - m - b, m, b]);
      }),
    )
    .filter(
      (pair) => pair.every(([rest]) => rest > 0) && Math.abs(Math.log(pair[0][0] / pair[1][0])) <= epsilon,
    );
  return [...binary, ...ternary].flatMap(([p, q]) => selectedPair(stopping, p, q) ?? []);
}

/** The same for Gaussian noise as the score, or as its negative. */
export function selectedGaussian(stopping: Stopping, mu: number): readonly WorstPair[] {
  const cells = 120;
  const [low, high] = [-6, mu + 6];
  const edge = (i: number): number => {
    if (i === 0) return -Infinity;
    return i === cells ? Infinity : low + ((high - low) * i) / cells;
  };
  const shares = (by: number): readonly number[] =>
    Array.from({ length: cells }, (_, i) =>
      edge(i) + edge(i + 1) > 2 * by
        ? normalCdf(by - edge(i)) - normalCdf(by - edge(i + 1))
        : normalCdf(edge(i + 1) - by) - normalCdf(edge(i) - by),
    );
  const [still, moved] = [shares(0), shares(mu)];
  return [
    [still, moved],
    [moved, still],
    [still.toReversed(), moved.toReversed()],
    [moved.toReversed(), still.toReversed()],
  ].flatMap(([p, q]) => selectedPair(stopping, p, q) ?? []);
}

/**
 * The distribution of the best of all runs with few possible scores: `p` and `q` from the worst to the best.
 */
export function selectedPair(
  stopping: Stopping,
  p: readonly number[],
  q: readonly number[],
): WorstPair | undefined {
  const chances = chancesOf(stopping);
  if (chances === undefined) return undefined;
  const [mine, others] = [p, q].map((masses) => {
    let below = 0;
    return masses.map((mass) => {
      below += mass;
      return bestWithin(chances, Math.min(1, below), mass);
    });
  });
  const outcomes = mine.flatMap((mass, i) =>
    mass > 1e-17 && others[i] > 1e-300 ? [{ p: mass * (1 - 1e-11), loss: Math.log(mass / others[i]) }] : [],
  );
  return finitePair(`selected ${JSON.stringify([stopping, p, q])}`, outcomes);
}

/** Probabilities of 1, 2, … runs; what is left out is less than 1e-20 of all. */
function chancesOf(stopping: Stopping): readonly number[] | undefined {
  const chances: number[] = [];
  const weights = weightsOf(stopping);
  let left = 1;
  for (const chance of weights) {
    if (chances.length === mostRuns && left > 1e-12) return undefined;
    chances.push(chance);
    left -= chance;
    if (chance < 1e-24 && left < 1e-12) break;
  }
  return chances;
}

function* weightsOf(stopping: Stopping): Generator<number> {
  if (stopping.kind === 'core/selection') {
    const { stopProbability: stop, cap } = stopping;
    for (let k = 1; k < cap; k++) yield stop * (1 - stop) ** (k - 1);
    yield (1 - stop) ** (cap - 1);
    return;
  }
  // Each chance is a multiple of the one before.
  let weight: number;
  let next: (k: number) => number;
  if (stopping.kind === 'core/poisson-selection') {
    const { mean } = stopping;
    weight = mean / Math.expm1(mean);
    next = (k) => mean / (k + 1);
  } else {
    const { shape, stopProbability: stop } = stopping;
    const go = 1 - stop;
    weight = shape === 0 ? -go / Math.log(stop) : (shape * go) / (stop ** -shape - 1);
    next = (k) => (go * (k + shape)) / (k + 1);
  }
  for (let k = 1; ; k++) {
    yield weight;
    weight *= next(k);
  }
}

/**
 * Probability that the best of all runs is one of the scores up to
 * `to`, of total mass `to`, and among its last part of mass `mass`.
 */
function bestWithin(chances: readonly number[], to: number, mass: number): number {
  if (!(mass > 0)) return 0;
  const base = Math.log1p(-mass / Math.max(to, mass));
  let [sum, power] = [0, 1];
  for (let i = 0; i < chances.length; i++) {
    power *= to;
    sum += chances[i] * power * -Math.expm1((i + 1) * base);
    // All further terms together are less than this part of the sum.
    if (power < 2 ** -60 * sum) break;
  }
  return sum;
}

/** `E z^runs`: the probability that an event of probability `1 − z` happens in no run. */
export const noneOfRuns = (stopping: Stopping, z: number): number | undefined =>
  chancesOf(stopping)?.reduce((sum, chance, i) => sum + chance * z ** (i + 1), 0);
