import { atomAt, cellProbability, repeatsNeeded } from '../../engines/streams.js';
import { quantileOf } from '../../engines/quantile.js';
import { noteTest } from '../../evidence/judged.js';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { cdfOf, isExact, noised, onlyIdealised, refusesAll, supportedScale, wideScales } from './call.js';

/** Lengths around block ends, and two longer than usual staging buffers. */
const lengths = [1, 2, 3, 7, 33, 64, 65, 1000, 4097, 70_001];

export const everyCoordinateLaw = defineLaw({
  id: 'mechanism/every-coordinate',
  kind: 'mechanism',
  tier: 'search',
  statement: 'every entry gets noise: also the first, the last, a zero entry, and the only entry',
  power: 'an entry without noise in vectors of 1 to 70 001 entries',
  check(subject, env) {
    const scale = supportedScale(subject, wideScales(subject), env.random('tried'));
    if (scale === undefined) return skipped(refusesAll);
    // Integer noise is often 0, but not in many calls in a row.
    const zero = isExact(subject) ? 0.5 : 0;
    const calls = zero === 0 ? 1 : Math.ceil(Math.log(env.alpha / 1e5) / Math.log(zero));
    let tried = 0;
    for (const length of lengths)
      for (const filling of [0, 3, 'sparse'] as const) {
        const value = Float64Array.from({ length }, (_, j) => {
          if (filling === 'sparse') return j % 3 === 0 ? 5 : 0;
          return filling;
        });
        const untouched = new Set(value.keys());
        for (let call = 0; call < calls && untouched.size > 0; call++) {
          const out = noised(subject, value, scale, env.random(`${length} ${filling} ${call}`));
          tried++;
          for (const j of untouched) if (out[j] !== value[j]) untouched.delete(j);
        }
        if (untouched.size === 0) continue;
        const at = Math.max(...untouched);
        return fails(tried, {
          what:
            `entry ${at} of ${length} keeps its value ${value[at]} ` +
            `exactly${calls > 1 ? ` in ${calls} calls` : ''}; ` +
            `${untouched.size} of ${length} entries are unchanged`,
          measured: value[at],
          input: {
            entries: length,
            value: filling === 'sparse' ? 'zero but in every third entry' : `all ${filling}`,
            scale,
          },
        });
      }
    return holds(tried);
  },
});

export const inPlaceLaw = defineLaw({
  id: 'mechanism/in-place',
  kind: 'mechanism',
  tier: 'search',
  statement:
    'addNoise writes to the entries of the given value and nowhere else: ' +
    'for a part of a larger array the rest is unchanged',
  power: 'one changed entry beside the part, for 4 parts',
  check(subject, env) {
    const scale = supportedScale(subject, wideScales(subject), env.random('tried'));
    if (scale === undefined) return skipped(refusesAll);
    for (const [from, to] of [
      [0, 3],
      [2, 9],
      [5, 40],
      [63, 64],
    ] as const) {
      const whole = new Float64Array(64).fill(1);
      const value = whole.subarray(from, to);
      const random = env.random(`${from}`);
      subject.plugin.addNoise(subject.params, value, scale, random);
      const outside = whole.findIndex((x, j) => (j < from || j >= to) && x !== 1);
      if (outside >= 0)
        return fails(1, {
          what:
            `the value is the part [${from}, ${to}) of an array, and entry ${outside} beside it was ` +
            `changed from 1 to ${whole[outside]}`,
          measured: whole[outside],
          allowed: 1,
        });
      const alone = noised(subject, new Float64Array(to - from).fill(1), scale, env.random(`${from}`));
      const inside = alone.findIndex((x, j) => x !== value[j]);
      if (inside >= 0)
        return fails(1, {
          what:
            `with equal randomness, entry ${inside} of a part of an array becomes ${value[inside]}, ` +
            `in a separate array ${alone[inside]}`,
          measured: value[inside],
          allowed: alone[inside],
        });
    }
    return holds(4);
  },
});

export const noAtomsLaw = defineLaw({
  id: 'mechanism/no-atoms',
  kind: 'mechanism',
  tier: 'statistical',
  statement:
    'no output equals its input, or any other single value, more often than the declared distribution allows',
  power: 'noise omitted once in 100 calls, with probability 0.99 in 460 calls; once in 1 000, in 4 600',
  exempt: (subject) =>
    onlyIdealised(subject) ??
    (hasAtom(cdfOf(subject)) ? 'its declared distribution has an atom; see mechanism/noise-law' : undefined),
  check(subject, env) {
    const calls = env.samples(6000);
    const value = Float64Array.of(0, 5);
    const spread = { scale: spreadOf(cdfOf(subject)), alpha: env.alpha / (4 * calls) };
    const before = [new Map<number, number>(), new Map<number, number>()];
    const repeats = repeatsNeeded(calls, cellProbability(spread.scale, 5 + 10 * spread.scale), env.alpha / 4);
    noteTest(env.alpha, repeats <= calls ? Infinity : 0);
    for (let call = 1; call <= calls; call++) {
      const out = noised(subject, value, 1, env.random('calls').fork(call));
      for (let j = 0; j < out.length; j++) {
        const count = (before[j].get(out[j]) ?? 0) + 1;
        before[j].set(out[j], count);
        const kept = out[j] === value[j] && atomAt([out[j]], value[j], spread) !== undefined;
        if (kept || count >= repeats) {
          return fails(call, {
            what: kept
              ? `entry ${j} keeps its value ${value[j]} exactly in call ${call}: it got no noise`
              : `entry ${j} takes the value ${out[j]} for the ${count}th time in ${call} calls; ` +
                'draws from a density do not repeat',
            measured: out[j],
            input: { value: [...value], scale: 1 },
          });
        }
      }
    }
    return holds(calls);
  },
});

/** Whether the distribution has an atom near 0 or at its median, the likely places. */
export function hasAtom(cdf: (x: number) => number): boolean {
  const middle = quantileOf(cdf, 0.5);
  return [0, middle].some((x) => cdf(x + 1e-9) - cdf(x - 1e-9) > 1e-5);
}

/** A scale with density at most about `1 / (2 scale)`: from the steepest of 64 parts. */
export function spreadOf(cdf: (x: number) => number): number {
  let steepest = 0;
  for (let k = 1; k < 64; k++) {
    const from = quantileOf(cdf, k / 65);
    const to = quantileOf(cdf, (k + 1) / 65);
    steepest = Math.max(steepest, 1 / 65 / (to - from));
  }
  return 1 / (2 * steepest);
}
