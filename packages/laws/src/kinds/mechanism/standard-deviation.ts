import { seededRandom } from '@lethe/core';
import { fails, holds, judge, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { integrate } from '@lethe/numerics';
import { cdfOf, isExact, supportedScale, type MechanismSubject } from './call.js';
import { cdfAtScale } from './cdf-at-scale.js';
import { quantileOf } from '../../engines/quantile.js';

/** Mass omitted in each tail, and the error that it may cause. */
const tail = 1e-14;
const tolerance = 1e-6;

export const standardDeviationLaw = defineLaw({
  id: 'mechanism/standard-deviation',
  kind: 'mechanism',
  tier: 'exact',
  statement:
    'the declared standard deviation equals that of the declared ' +
    'distribution function, and a bound for all scales is no less, nor less than that of any scale',
  power: 'an error of 1e-6, relative; for integer noise of eight scales from .3 to 4100',
  check(subject) {
    const declared = subject.plugin.standardDeviation(subject.params);
    if (declared === Infinity)
      return holds(1, 'an infinite standard deviation is declared; nothing was compared');
    const bound = subject.plugin.deviationBound?.(subject.params) ?? declared;
    if (!(bound >= declared * (1 - tolerance)))
      return judge(1, {
        what:
          'the standard deviation at scale 1 is declared to ' +
          `be ${declared}, and at most ${bound} at any scale`,
        measured: declared,
        allowed: bound,
      });
    const above = scaleAbove(subject, bound);
    if (above !== undefined) return fails(1, above);
    const { actual, most } = deviationOf(cdfOf(subject), isExact(subject));
    return judge(
      1,
      declared >= actual * (1 - tolerance) && declared <= most * (1 + tolerance) && declared > 0
        ? undefined
        : {
            what:
              `the standard deviation at scale 1 is declared to be ${declared}, ` +
              `and the declared distribution function has ${actual}`,
            measured: declared,
            allowed: actual,
          },
    );
  },
});

/** A scale at which integer noise spreads more than the bound says; real noise spreads as at scale 1. */
function scaleAbove(subject: MechanismSubject, bound: number): Violation | undefined {
  if (!isExact(subject) || subject.plugin.deviationBound === undefined) return undefined;
  for (const scale of [0.3, 0.6, 1.5, 5, 17, 60.3, 257, 4100.7]) {
    if (supportedScale(subject, [scale], seededRandom('tried')) === undefined) continue;
    const cdf = cdfAtScale(subject, scale);
    const end = Math.max(Math.abs(quantileOf(cdf, tail)), Math.abs(quantileOf(cdf, 1 - tail)), 1);
    const measured = latticeDeviation(cdf, Math.ceil(end));
    if (!(measured <= bound * scale * (1 + tolerance)))
      return {
        what:
          `the standard deviation at scale ${scale} is ${measured}; ` +
          `it is said to be at most ${bound} times the scale`,
        measured,
        allowed: bound * scale,
        input: { scale },
      };
  }
  return undefined;
}

/** End of the first range of integration: a distribution may have a step this close to 0. */
const firstEnd = 2 ** -24;

/**
 * From `E X = ∫₀ (1 − F(x) − F(−x))` and `E X² = ∫₀ 2x (1 − F(x) + F(−x))`, over ranges that double.
 * `most` adds what may be left beyond the last one: twice that of tails that fall like `x⁻³`.
 */
function deviationOf(
  cdf: (x: number) => number,
  whole: boolean,
): { readonly actual: number; readonly most: number } {
  const end = Math.max(Math.abs(quantileOf(cdf, tail)), Math.abs(quantileOf(cdf, 1 - tail)), 1);
  if (whole) {
    const actual = latticeDeviation(cdf, Math.ceil(end));
    return { actual, most: actual };
  }
  let mean = 0;
  let square = 0;
  for (let from = 0, to = firstEnd; from < end; from = to, to = Math.min(2 * to, end)) {
    // Far out, a distribution function next to 1 is known to a rounding only.
    const allowed = { tolerance: 1e-9, absoluteTolerance: Math.max(1e-11, 2 ** -50 * to * to) };
    mean += integrate((x) => 1 - cdf(x) - cdf(-x), from, to, allowed).value;
    square += integrate((x) => 2 * x * (1 - cdf(x) + cdf(-x)), from, to, allowed).value;
  }
  const variance = square - mean * mean;
  const left = 4 * end * end * (1 - cdf(end) + cdf(-end));
  return { actual: Math.sqrt(variance), most: Math.sqrt(variance + left) };
}

function latticeDeviation(cdf: (x: number) => number, end: number): number {
  let mean = 0;
  let square = 0;
  for (let k = -end; k <= end; k++) {
    const mass = cdf(k + 0.5) - cdf(k - 0.5);
    mean += k * mass;
    square += k * k * mass;
  }
  return Math.sqrt(square - mean * mean);
}
