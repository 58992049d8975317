import { type Bounds, findRoot } from '@lethe/numerics';
import { accountantOfParts, type ResponseCurve } from './accountant-of-parts.js';
import { advancedCurve } from './advanced.js';
import { mixedCurve, mixedDelta } from './mixed-responses.js';
import { responsesDelta } from './responses.js';
import type { Totals } from './totals.js';

/** The exact curve if it can be summed, else the curve of `advanced`. */
function optimalCurve(totals: Totals): ResponseCurve {
  const { responses, sum } = totals;
  const fallback = advancedCurve(totals);
  if (responses.length === 0)
    return {
      delta: () => ({ lower: 0, upper: 0 }),
      epsilon: () => ({ lower: 0, upper: 0 }),
      method: 'optimal',
    };
  const [{ epsilon: each, count }] = responses as readonly [Totals['responses'][number]];
  const within =
    (of: ((epsilon: number) => Bounds | undefined) | undefined) =>
    (epsilon: number): Bounds | undefined =>
      epsilon >= sum.upper ? { lower: 0, upper: 0 } : of?.(epsilon);
  const one = within((epsilon) => responsesDelta(count, each, epsilon));
  const mixed = within((epsilon) => mixedDelta(responses, epsilon));
  return {
    method: 'optimal',
    delta(epsilon) {
      const found = (responses.length === 1 ? one : mixed)(epsilon);
      const upper = Math.min(found?.upper ?? 1, fallback.delta(epsilon).upper);
      return { lower: Math.min(upper, found?.lower ?? 0), upper };
    },
    epsilon(delta) {
      const curve = responses.length === 1 ? one : within(mixedCurve(responses, delta));
      return inverse((epsilon) => curve(epsilon) ?? fallback.delta(epsilon), delta, sum, fallback);
    },
  };
}

/** Relative distance within which the ends of an answer usually are. */
const beside = 2 ** -20;

/** Inverse of decreasing bounds of δ(ε) at `delta`, as an interval. */
function inverse(
  bounds: (epsilon: number) => Bounds,
  delta: number,
  sum: Totals['sum'],
  fallback: ResponseCurve,
): Bounds {
  if (delta === 0) return { lower: sum.lower, upper: sum.upper };
  const edge = (
    of: (epsilon: number) => number,
    met: (value: number) => boolean,
    from: number,
    to: number,
  ): readonly [number, number] => {
    if (met(of(from))) return [from, from];
    const { lower, upper } = findRoot(
      (epsilon) => {
        const value = of(epsilon);
        const size = Math.min(1000, Math.max(2 ** -60, Math.abs(Math.log(value / delta))));
        return met(value) ? -size : size;
      },
      from,
      to,
    );
    return [lower, upper];
  };
  const most = fallback.epsilon(delta).upper;
  const high = bounds(most).upper <= delta ? most : sum.upper;
  const upper = edge(
    (epsilon) => bounds(epsilon).upper,
    (value) => value <= delta,
    0,
    high,
  )[1];
  const lowerAt = (epsilon: number): number => bounds(epsilon).lower;
  const isBelow = (value: number): boolean => value < delta;
  if (!isBelow(lowerAt(high))) return { lower: 0, upper: Math.min(upper, most) };
  // Both ends are close, so that the search for the second one is short.
  const [from, to] = [upper * (1 - beside), Math.min(high, upper * (1 + beside))];
  const lower = edge(
    lowerAt,
    isBelow,
    isBelow(lowerAt(from)) ? 0 : from,
    isBelow(lowerAt(to)) ? to : high,
  )[0];
  return { lower: Math.min(lower, upper), upper: Math.min(upper, most) };
}

/** Optimal composition of (ε, δ)-private releases. */
export const optimal = accountantOfParts({
  name: 'optimal',
  summary:
    'Composes (ε, δ)-private releases exactly: an upper bound for all such releases, ' +
    'attained by randomised response.',
  source: { id: 'kairouz-oh-viswanath-2015', item: 'Theorem 3.3; Murtagh and Vadhan 2016 for unequal ε' },
  failing: ({ failing }) => failing,
  curve: optimalCurve,
});
