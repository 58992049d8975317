import type { PrivacyEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Bracket, Cell, ProblemResult } from '../experiment/results.js';

/** Number of standard errors beyond a bound from which a mean counts as outside it. */
const farthest = 5;

/** Definition of the verdict `within` of {@link bracketOf}. */
export const bracketRule =
  'A mean is within when it lies between the bounds, and outside when it is beyond one of them by more ' +
  `than ${farthest} standard errors; in between, or after one run, it is unclear. ` +
  'A lower bound counts where its constant is proved and the records are those of its own hard instance.';

/** Lower bound, mean and upper bound of a cell; `null` without any applicable bound. */
export function bracketOf(cell: Cell, lowerBound: ProblemResult['lowerBound']): Bracket | null {
  const lower = lowerFor(cell, lowerBound);
  const upper = cell.plan.utility?.bound ?? null;
  return lower === null && upper === null ? null : { lower, upper, verdict: verdictOn(cell, lower, upper) };
}

function lowerFor(cell: Cell, bound: ProblemResult['lowerBound']): number | null {
  if (bound?.binds === undefined || (bound.binds === 'zcdp' && !isZcdpAtBudget(cell))) return null;
  const point = bound.points.find(
    ({ n, epsilon, explicit }) => explicit && n === cell.n && epsilon === cell.budget.epsilon,
  );
  return point?.value ?? null;
}

function verdictOn(
  { excess: { mean, standardError }, runs }: Cell,
  lower: number | null,
  upper: number | null,
): Bracket['verdict'] {
  const room = farthest * standardError;
  const low = lower ?? -Infinity;
  const high = upper ?? Infinity;
  if (mean >= low && mean <= high) return 'within';
  if (runs.length < 2 || Math.max(low - mean, mean - high) <= room) return 'unclear';
  return mean > high || Number.isNaN(mean) ? 'above' : 'below';
}

const gaussian = new Set(['core/gaussian', 'core/discrete-gaussian', 'core/zcdp', 'core/free']);

/**
 * Whether a run satisfies ρ-zCDP at the budget's ρ: Gaussian noise, no secret sampling, no shuffling. Lower
 * bounds for ρ-zCDP apply to such runs only.
 */
export function isZcdpAtBudget({ plan: { event }, accounted, budget, trust }: Cell): boolean {
  const only = (part: PrivacyEvent): boolean => {
    const { parts } = part as {
      readonly parts?: readonly (PrivacyEvent | { readonly event: PrivacyEvent })[];
    };
    if (part.kind === 'core/compose' || part.kind === 'core/parallel')
      return defined(parts).every((inner) => only('kind' in inner ? inner : inner.event));
    return gaussian.has(part.kind);
  };
  return trust === undefined && accounted.upper <= budget.epsilon * (1 + 1e-6) && only(event);
}
