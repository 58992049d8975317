import { addUp } from '@lethe/numerics';
import { logSlope, logSlopeError, type Repetitions } from './repetitions.js';

/** A Rényi order of the base, and its divergence there in both directions at most. */
export interface OrderBound { readonly order: number; readonly divergence: number }

interface Cell { readonly from: number; readonly to: number; readonly upper: number }
/** Within how much of the supremum the answer is wanted. */
const tolerance = 1e-4;
const mostCells = 20_000;

/**
 * The most that `log f′(1 − t) − log f′(1 − t′)` can be over probabilities `t` and `t′` of better outputs on the two sides, of a base with the
 * given divergences; rounded up.
 *
 * The term of the better outputs gives `t′^α t^(1−α) ≤ e^((α−1)D)`, and that of the others `(1−t)^α (1−t′)^(1−α) ≤ e^((α−1)D)`. The bound
 * of `t′` grows with `t`, and `f′` falls with it, so that between two values of `t` the difference is at most `log f′` at the
 * first less `log f′` at the bound of the second; intervals are halved until that is close to a value attained.
 */
export function worstRenyiTail(repetitions: Repetitions, bounds: readonly OrderBound[]): number {
  const powers = bounds.map(({ order, divergence }) => ({ divergence, power: order / (order - 1) }));
  /** The largest that `t′` can be, and `1 − t′`. Errors are given back. */
  const opposite = (t: number): readonly [tail: number, rest: number] => {
    let [tail, rest] = [1, 0];
    const [logTail, logRest] = [Math.log(t), Math.log1p(-t)];
    for (const { divergence, power } of powers) {
      const above = up((divergence + logTail) / power), below = -up(divergence - power * logRest);
      if (-Math.expm1(above) > rest) [tail, rest] = [Math.exp(above), -Math.expm1(above)];
      if (Math.exp(below) > rest) [tail, rest] = [-Math.expm1(below), Math.exp(below)];
    }
    return [tail, rest];
  };
  const slope = (t: number, rest?: number): number => logSlope(repetitions, t, rest);
  const cell = (from: number, to: number): Cell => ({ from, to, upper: slope(from) - slope(...opposite(to)) });
  let active = [cell(0, 1)], attained = 0, settled = 0, spent = 0;
  while (active.length > 0) {
    const next: Cell[] = [];
    for (const { from, to, upper } of active) {
      const between = middle(from, to);
      if (upper <= attained + tolerance || between <= from || between >= to || spent > mostCells) { settled = Math.max(settled, upper); continue; }
      spent += 2;
      attained = Math.max(attained, slope(between) - slope(...opposite(between)));
      next.push(cell(from, between), cell(between, to));
    }
    active = next;
  }
  return addUp(settled, 4 * logSlopeError);
}

/** Above a logarithm that was computed in a few steps. */
const up = (log: number): number => log + (1 + Math.abs(log)) * 2 ** -44;

/** Halves what is left of the exponents while the ends are far apart. */
function middle(from: number, to: number): number {
  if (to <= 4 * from) return from + (to - from) / 2;
  return Math.sqrt(Math.max(from, 2 ** -1070)) * Math.sqrt(to);
}
