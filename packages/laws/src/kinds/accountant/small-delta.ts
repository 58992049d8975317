import { repeatedEvent, type Interval, type PrivacyEvent } from '@lethe/core';
import { holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { atLeast, deltaOf, epsilonOf } from './ask.js';
import { gaussian, poisson } from './events.js';
import { malformed } from './intervals.js';

/** Gaussian noise σ in `steps` Poisson samples, and δ, descending: few where an answer takes long. */
interface Run {
  readonly rate: number;
  readonly sigma: number;
  readonly steps: number;
  readonly deltas: readonly number[];
}

const runs: readonly Run[] = [
  { rate: 1, sigma: 2, steps: 1, deltas: [1e-17, 1e-300] },
  { rate: 0.01, sigma: 1, steps: 1, deltas: [1e-6, 1e-100, 1e-300] },
  { rate: 0.1, sigma: 4, steps: 30, deltas: [1e-200] },
  // A few large losses decide, and no tilt leads to the answer.
  { rate: 1e-4, sigma: 1, steps: 1e4, deltas: [1e-6, 1e-12] },
  { rate: 1e-3, sigma: 2, steps: 1e3, deltas: [1e-20] },
];

const adjacency = 'add-remove';
/** Allowance for rounding, relative: of ε. */
const rounding = 1e-6;

const eventOf = ({ rate, sigma, steps }: Run): PrivacyEvent => {
  const one = gaussian(sigma);
  return repeatedEvent(rate === 1 ? one : poisson(rate, one), steps);
};

export const smallDeltas = defineLaw<'accountant'>({
  id: 'accountant/small-delta',
  kind: 'accountant',
  tier: 'exact',
  statement:
    'down to δ = 1e-300 the ends of ε(δ) are ordered, the upper one does not fall as δ falls, and δ at ' +
    'these ends does not contradict them, for Gaussian noise alone and in Poisson samples',
  power: 'an end of ε off by more than the widths of ε and δ, at one of 9 points; certain',
  check: ({ plugin }) => {
    let samples = 0;
    for (const run of runs) {
      const event = eventOf(run);
      let before: Interval | undefined;
      for (const delta of run.deltas) {
        const answer = epsilonOf(plugin, event, { adjacency, delta });
        if (answer === undefined) break;
        samples++;
        const violation =
          malformed(answer, { event, at: { delta } }) ??
          fallen(before, answer, delta) ??
          contradicted(answer, delta, (epsilon) => deltaOf(plugin, event, { adjacency, epsilon }));
        if (violation !== undefined)
          return { verdict: 'fails', samples, violation: { ...violation, input: { ...run, delta } } };
        before = answer;
      }
    }
    return holds(samples);
  },
});

/** Whether the upper bound of ε is smaller than at the larger δ before. A loose lower bound may fall. */
const fallen = (before: Interval | undefined, now: Interval, delta: number): Violation | undefined =>
  before === undefined || atLeast(now.upper, before.upper)
    ? undefined
    : {
        what: `the upper bound of ε falls from ${before.upper} to ${now.upper} as δ falls to ${delta}`,
        measured: now.upper,
        allowed: before.upper,
      };

/** Whether δ at an end of ε excludes that end. Ends without information, 0 and infinity, are not asked. */
function contradicted(
  { lower, upper }: Interval,
  delta: number,
  deltaAt: (epsilon: number) => Interval | undefined,
): Violation | undefined {
  const above = upper < Infinity ? deltaAt(upper * (1 + rounding)) : undefined;
  if (above !== undefined && above.lower > delta)
    return {
      what: `ε is at most ${upper} at δ = ${delta}, but δ at that ε is at least ${above.lower}`,
      measured: above.lower,
      allowed: delta,
    };
  const below = lower > 0 ? deltaAt(lower * (1 - rounding)) : undefined;
  if (below !== undefined && below.upper < delta)
    return {
      what: `ε is at least ${lower} at δ = ${delta}, but δ at that ε is at most ${below.upper}`,
      measured: below.upper,
      allowed: delta,
    };
  return undefined;
}
