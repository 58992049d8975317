import { type ApproximateParts } from '../events/index.js';
import {
  expm1Down,
  expm1Up,
  log1pDown,
  log1pUp,
  multiplyDown,
  multiplyUp,
  sumDown,
  sumUp,
} from '@lethe/numerics';

/** Equal randomised responses with their count. */
export interface Responses {
  readonly epsilon: number;
  readonly count: number;
}

/** A composition of (ε, δ)-private releases, as failures and randomised responses. */
export interface Totals {
  /** Releases grouped by ε, largest ε first. */
  readonly responses: readonly Responses[];
  /** `Σε`. */
  readonly sum: { readonly lower: number; readonly upper: number };
  /** `Σδ`, rounded up. */
  readonly deltas: number;
  /** `1 − Π(1 − δ)`. */
  readonly failing: { readonly lower: number; readonly upper: number };
  readonly attained: boolean;
}

export function totalsOf({ parts, attained }: ApproximateParts): Totals {
  const counts = new Map<number, number>();
  for (const { epsilon, count } of parts)
    if (epsilon > 0) counts.set(epsilon, (counts.get(epsilon) ?? 0) + count);
  const responses = [...counts]
    .map(([epsilon, count]) => ({ epsilon, count }))
    .toSorted((a, b) => b.epsilon - a.epsilon);
  const risky = parts.filter(({ delta }) => delta > 0);
  const deltas = Math.min(1, sumUp(risky.map(({ delta, count }) => multiplyUp(delta, count))));
  return {
    responses,
    deltas,
    attained,
    sum: {
      lower: sumDown(responses.map(({ epsilon, count }) => multiplyDown(epsilon, count))),
      upper: sumUp(responses.map(({ epsilon, count }) => multiplyUp(epsilon, count))),
    },
    failing: {
      lower: -expm1Up(sumUp(risky.map(({ delta, count }) => -multiplyDown(-log1pUp(-delta), count)))),
      upper: Math.min(
        deltas,
        -expm1Down(sumDown(risky.map(({ delta, count }) => -multiplyUp(-log1pDown(-delta), count)))),
      ),
    },
  };
}
