import { formatCount } from '../report/format.js';

/** Passes over the records beyond which a plan is likely a mistake: usual ones make at most a few hundred. */
const manyPasses = 5000;

/** A warning about a plan that would compute for very long; `null` for others. */
export function longPlan(gradients: number, n: number): string | null {
  const passes = gradients / n;
  return passes < manyPasses
    ? null
    : `the plan takes ${formatCount(Math.round(passes))} passes over the ${formatCount(n)} records ` +
        `(${formatCount(gradients)} gradients), which few would run; give a smaller number of steps ` +
        'yourself, or take a method such as dp-sgd';
}
