import { cellProbability } from '../../engines/streams.js';
import { quantileOf } from '../../engines/quantile.js';
import { noteTest } from '../../evidence/judged.js';
import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { cdfOf, isExact, neverOfScaleOne, noised } from './call.js';
import { hasAtom, spreadOf } from './entries.js';

/** Entries of one call, and calls. */
const length = 2 ** 18;
const calls = 4;
/** Tails of probability 2⁻ᵏ, on both sides, in which draws are counted. */
const depths = Array.from({ length: 16 }, (_, i) => i + 1);
/** Tolerated pairs of equal draws: fewer than one is expected in a thousand runs. */
const pairsTolerated = 8;

/**
 * Chernoff's exponent: the probability of `count` of `n` draws
 * in an event of probability `p` is at most `e^-exponent`.
 */
function exponent(count: number, n: number, p: number): number {
  const q = count / n;
  const part = (a: number, b: number): number => (a === 0 ? 0 : a * Math.log(a / b));
  return n * (part(q, p) + part(1 - q, 1 - p));
}

function wrongTail(sorted: Float64Array, cdf: (x: number) => number, alpha: number): Violation | undefined {
  const n = sorted.length;
  const enough = Math.log((4 * depths.length) / alpha);
  for (const depth of depths)
    for (const side of [-1, 1] as const) {
      const at = quantileOf(cdf, side < 0 ? 2 ** -depth : 1 - 2 ** -depth);
      const below = cdf(at);
      const p = side < 0 ? below : 1 - below;
      const upTo = firstAbove(sorted, at);
      const count = side < 0 ? upTo : n - upTo;
      if (!(p > 0 && p < 1) || exponent(count, n, p) <= enough) continue;
      return {
        what:
          `of ${n} draws ${count} are ${side < 0 ? 'at most' : 'above'} ${at}; ` +
          'the declared distribution expects ' +
          `${p * n}${count === 0 ? '. An output farther out is possible on one of two neighbours only' : ''}`,
        measured: count,
        allowed: p * n,
        witness: `beyond ${at}`,
      };
    }
  return undefined;
}

/** The number of entries that are at most `x`. */
function firstAbove(sorted: Float64Array, x: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Repeated draws at any positions, with either sign. */
function repeats(noise: Float64Array, scale: number): Violation | undefined {
  const sizes = noise.map(Math.abs).toSorted();
  const expected = noise.length ** 2 * cellProbability(scale, 1);
  let pairs = 0;
  let run = 1;
  let most = 1;
  let value = sizes[0];
  for (let i = 1; i < sizes.length; i++) {
    run = sizes[i] === sizes[i - 1] ? run + 1 : 1;
    pairs += run - 1;
    if (run > most) [most, value] = [run, sizes[i]];
  }
  if (pairs <= Math.max(pairsTolerated, 1e4 * expected)) return undefined;
  return {
    what:
      `of ${sizes.length} draws ${pairs} pairs have the same size, ${most} of them ${value}; ` +
      'draws from a density do not repeat, so the noise takes few values or is cut off',
    measured: pairs,
    allowed: expected,
  };
}

export const longCallsLaw = defineLaw({
  id: 'mechanism/long-calls',
  kind: 'mechanism',
  tier: 'statistical',
  statement:
    'in long calls the noise has the declared distribution, far into its tails, ' +
    'and no draw from a density repeats',
  source: { id: 'mironov-2012', item: 'Section 4' },
  power:
    'an error of 1 % in the scale; noise truncated where 1 of 30 000 draws would be, ' +
    'or clamped where 1 of 100 000 would; sums of 12 uniforms for a Gaussian; noise made from 32 bits',
  exempt: neverOfScaleOne,
  check(subject, env) {
    const cdf = cdfOf(subject);
    const entries = Math.ceil(env.samples(length * calls) / calls);
    const noise = new Float64Array(entries * calls);
    for (let call = 0; call < calls; call++)
      noise.set(
        noised(subject, new Float64Array(entries), 1, env.random('calls').fork(call)),
        call * entries,
      );
    // No draw below the median.
    noteTest(env.alpha, noise.length * Math.LN2 - Math.log(4 * depths.length));
    const broken =
      wrongTail(noise.toSorted(), cdf, env.alpha) ??
      (isExact(subject) || hasAtom(cdf) ? undefined : repeats(noise, spreadOf(cdf)));
    return broken === undefined
      ? holds(noise.length)
      : fails(noise.length, { ...broken, input: { entries, calls, scale: 1 } });
  },
});
