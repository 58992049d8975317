import { randomFromKey, defined } from '@lethe/numerics';
import { noteTest } from '../../evidence/judged.js';
import { fails, holds, skipped, type Finding } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { claimOf, pairCells, pairOf, released } from './pairs.js';

export const deterministicLaw = defineLaw({
  id: 'release/deterministic-given-coins',
  kind: 'release',
  tier: 'search',
  cells: pairCells,
  statement:
    'an output is a function of data and randomness: equal inputs give equal outputs bit for bit, ' +
    'whatever was released before; its length is fixed',
  power: 'a counter, a constant stream or another source of randomness, at the first of 20 seeds',
  check(subject, env): Finding {
    const pair = pairOf(subject, env.cell);
    const rounds = 20;
    const sourceOf = (i: number) => randomFromKey(env.random(`coins ${i}`).key(), 'seeded');
    const first = Array.from({ length: rounds }, (_, i) =>
      Float64Array.from(released(subject, defined(pair[i % 2]), sourceOf(i))),
    );
    for (const i of Array.from(first.keys()).toReversed()) {
      const again = released(subject, defined(pair[i % 2]), sourceOf(i));
      const before = first[i];
      if (again.length !== first[0].length || before.length !== first[0].length)
        return fails(rounds, {
          what:
            `outputs have ${first[0].length} numbers, and then ${before.length} and ${again.length}; ` +
            'a fixed length is required',
          measured: again.length,
          allowed: first[0].length,
        });
      const at = before.findIndex((x, j) => !Object.is(x, again[j]));
      if (at >= 0)
        return fails(rounds, {
          what:
            `with equal data and randomness, number ${at} of the output is ${before[at]} and later ` +
            `${again[at]}: something besides them decides`,
          measured: again[at],
          allowed: before[at],
          input: pair[i % 2],
        });
    }
    return holds(2 * rounds);
  },
});

/** Maximum number of calls to rule out a constant on either side. */
const most = 2000;

export const freshRandomnessLaw = defineLaw({
  id: 'release/fresh-coins',
  kind: 'release',
  tier: 'statistical',
  cells: pairCells,
  statement:
    'outputs that depend on the data are randomised: no number of the output is one constant on a data ' +
    'set and another constant on its neighbour',
  power: 'a number released without noise; in 50 calls for ε = 1, in 1 300 for ε = 4',
  check(subject, env): Finding {
    const pair = pairOf(subject, env.cell);
    const odds = largestOdds(claimOf(subject).delta);
    const draw = (side: 0 | 1, i: number): ArrayLike<number> =>
      released(subject, pair[side], env.random(`side ${side}`).fork(i));
    const here = draw(0, 0);
    const there = draw(1, 0);
    const suspects = new Set(
      Array.from({ length: here.length }, (_, j) => j).filter((j) => here[j] !== there[j]),
    );
    const calls =
      odds >= 1 ? Infinity : 1 + Math.ceil(Math.log(env.alpha / Math.max(1, here.length)) / Math.log(odds));
    if (!(calls <= most)) return skipped('the claim is too weak to distinguish a constant from chance');
    noteTest(env.alpha, Infinity);
    for (let i = 1; i < calls; i++) {
      if (suspects.size === 0) return holds(i);
      const [p, q] = [draw(0, i), draw(1, i)];
      for (const j of suspects) if (p[j] !== here[j] || q[j] !== there[j]) suspects.delete(j);
    }
    const [at] = suspects;
    return at === undefined
      ? holds(calls)
      : fails(calls, {
          what:
            `number ${at} of the output is ${here[at]} on one data set and ${there[at]} on its ` +
            `neighbour, in each of ${calls} calls with independent randomness`,
          measured: odds ** calls,
          allowed: env.alpha,
          input: pair,
        });
  },
});

/**
 * The largest probability, under the claimed profile, of one value on a data set and another value on its
 * neighbour: `max p (1 − q)` over `p ≤ e^ε q + δ(ε)`, for the best ε.
 */
function largestOdds(profile: (epsilon: number) => number): number {
  let least = 1;
  for (const epsilon of [0, 0.01, 0.1, 0.25, 0.5, 1, 2, 4, 8]) {
    const delta = profile(epsilon);
    const slope = Math.exp(epsilon);
    // (slope q + delta)(1 − q) is concave in q, and p is at most 1.
    const free = (1 - delta / slope) / 2;
    const full = (1 - delta) / slope;
    const q = Math.max(0, Math.min(free, full));
    least = Math.min(least, Math.min(1, slope * q + delta) * (1 - q));
  }
  return least;
}
