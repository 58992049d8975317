import { addUp } from '@lethe/numerics';
import type { Runs } from './runs.js';

/** A Rényi order of the base, with an upper bound of its divergence in both directions. */
export interface OrderBound {
  readonly order: number;
  readonly divergence: number;
}

interface Cell {
  readonly from: number;
  readonly to: number;
  readonly upper: number;
}
/** Tolerance of the supremum. */
const tolerance = 1e-4;
const mostCells = 20_000;

/**
 * Supremum, rounded up, of `log f′(1 − t) − log f′(1 − t′)` over probabilities `t` and `t′` of better outputs
 * on the two sides, for a base with the given divergences.
 *
 * The better outputs give `t′^α t^(1−α) ≤ e^((α−1)D)`, and the others `(1−t)^α (1−t′)^(1−α) ≤ e^((α−1)D)`.
 * The bound of `t′` increases with `t`, and `f′` decreases. So between two values of `t` the difference is at
 * most `log f′` at the first minus `log f′` at the bound of the second. Intervals are halved until this is
 * close to an attained value.
 */
export function worstRenyiTail(runs: Runs, bounds: readonly OrderBound[]): number {
  const powers = bounds.map(({ order, divergence }) => ({ divergence, power: order / (order - 1) }));
  /** Upper bound of `t′`, with `1 − t′`. */
  const opposite = (t: number): readonly [tail: number, rest: number] => {
    let [tail, rest] = [1, 0];
    const [logTail, logRest] = [Math.log(t), Math.log1p(-t)];
    for (const { divergence, power } of powers) {
      const above = up((divergence + logTail) / power);
      const below = -up(divergence - power * logRest);
      if (-Math.expm1(above) > rest) [tail, rest] = [Math.exp(above), -Math.expm1(above)];
      if (Math.exp(below) > rest) [tail, rest] = [-Math.expm1(below), Math.exp(below)];
    }
    return [tail, rest];
  };
  const slope = (t: number, rest?: number): number => runs.logSlope(t, rest);
  const cell = (from: number, to: number): Cell => ({
    from,
    to,
    upper: slope(from) - slope(...opposite(to)),
  });
  let active = [cell(0, 1)];
  let attained = 0;
  let supremum = 0;
  let spent = 0;
  while (active.length > 0) {
    const next: Cell[] = [];
    for (const { from, to, upper } of active) {
      const between = middle(from, to);
      if (upper <= attained + tolerance || between <= from || between >= to || spent > mostCells) {
        supremum = Math.max(supremum, upper);
        continue;
      }
      spent += 2;
      attained = Math.max(attained, slope(between) - slope(...opposite(between)));
      next.push(cell(from, between), cell(between, to));
    }
    active = next;
  }
  return addUp(supremum, 4 * runs.slopeError);
}

/** Upper bound of a logarithm computed in a few operations. */
const up = (log: number): number => log + (1 + Math.abs(log)) * 2 ** -44;

/** Midpoint of an interval; geometric while the ends are far apart. */
function middle(from: number, to: number): number {
  if (to <= 4 * from) return from + (to - from) / 2;
  return Math.sqrt(Math.max(from, 2 ** -1070)) * Math.sqrt(to);
}
