import { expUp, multiplyUp } from '@lethe/numerics';
import { negativeBinomialTerms, type NegativeBinomialRuns } from './negative-binomial-terms.js';
import { failureOfAny } from './repetitions.js';
import { runsOnce, type SelectionEvent } from './selection-event.js';

/** Below this δ products of small numbers may underflow, and the mean number of failures bounds them. */
const tiny = 2 ** -400;

/**
 * The probability, rounded up, that some run of a selection fails, if each fails with probability `delta`:
 * `1 − f(1 − δ)`, with the generating function `f` of the number of runs.
 */
export function someFails(event: SelectionEvent, delta: number): number {
  if (delta === 0 || delta === 1 || runsOnce(event)) return delta;
  switch (event.kind) {
    case 'core/selection':
      return failureOfAny(event, delta);
    case 'core/negative-binomial-selection':
      return someOfNegativeBinomial(event, delta);
    case 'core/poisson-selection':
      return someOfPoisson(event.mean, delta);
  }
}

/** Of a Poisson number of runs that is not 0. */
function someOfPoisson(mean: number, delta: number): number {
  const none = -Math.expm1(-mean);
  const failures = mean * delta < tiny ? (mean / none) * delta : -Math.expm1(-mean * delta) / none;
  return Math.min(1, failures * (1 + 2 ** -46) + Number.MIN_VALUE);
}

/** Of a negative binomial number of runs that is not 0. */
function someOfNegativeBinomial(runs: NegativeBinomialRuns, delta: number): number {
  const { shape, logStop, error, logMean } = negativeBinomialTerms(runs);
  const γ = runs.stopProbability;
  if (delta < tiny) return Math.min(1, multiplyUp(delta, expUp(logMean)));
  // log g/γ at x = 1 − δ.
  const gained = Math.log1p(((1 - γ) / γ) * delta);
  let share: number;
  if (shape === 0) share = gained / -logStop;
  else if (shape > 0) share = Math.expm1(-shape * gained) / Math.expm1(shape * logStop);
  else
    share =
      (Math.exp(-shape * Math.log(γ + (1 - γ) * delta)) * Math.expm1(shape * gained)) /
      Math.expm1(-shape * logStop);
  return Math.min(1, share * (1 + error) + Number.MIN_VALUE);
}
