import { createResolver } from '@lethe/accountants';
import { IncompatiblePlugins, type PrivacyLossDistribution } from '@lethe/core';
import { type Bounds } from '@lethe/numerics';
import fc from 'fast-check';
import { pairProfile } from '../../divergence/index.js';
import { defineLaw } from '../../law/law.js';
import type { Violation } from '../../law/finding.js';
import { examplesOf, kindsOf, knownOf, scenesOf } from './known.js';

/** Ascending, so that neighbours can be compared; negative ones belong to the rest of the trade-off curve. */
const epsilons = [-8, -5, -3, -2, -1, -0.5, -0.2, -0.05, 0, 0.05, 0.2, 0.5, 1, 1.5, 2, 3, 5, 8] as const;

/** What is wrong with a profile, if anything. */
function misshapen(profile: (epsilon: number) => Bounds, name: string): Violation | undefined {
  const points = epsilons.map((epsilon) => ({ epsilon, x: Math.exp(epsilon), ...profile(epsilon) }));
  for (const [i, { epsilon, x, lower, upper }] of points.entries()) {
    const at = `${name} has δ in [${lower}, ${upper}] at ε = ${epsilon}`;
    if (!(lower >= 0 && lower <= upper && upper <= 1)) return { what: `${at}; bounds lie in [0, 1], the lower one first` };
    if (!(upper >= 1 - x - 1e-12)) return { what: `${at}; all outcomes together come to 1 − e^ε = ${1 - x}`, measured: upper, allowed: 1 - x };
    const before = points[i - 1], after = points[i + 1];
    if (before === undefined) continue;
    if (!(lower <= before.upper * (1 + 1e-9))) return { what: `${at}, more than ${before.upper} at ε = ${before.epsilon}; δ falls as ε grows`, measured: lower, allowed: before.upper };
    // From any δ(ε) it falls by at most e^ε' − e^ε, as Q has no more than 1.
    if (!(upper >= before.lower - (x - before.x) - 1e-9)) return { what: `${at}, and at least ${before.lower} at ε = ${before.epsilon}: it falls faster than e^ε grows`, measured: upper, allowed: before.lower - (x - before.x) };
    if (after === undefined) continue;
    const line = before.upper + (after.upper - before.upper) * (x - before.x) / (after.x - before.x);
    if (!(lower <= line + 1e-9)) return { what: `${at}, above the line between its neighbours, ${line}: δ is convex in e^ε`, measured: lower, allowed: line };
  }
  return undefined;
}

/** What is wrong with the numbers of a law that need no question, if anything. */
function odd({ infinite, support: { least, most }, grain }: PrivacyLossDistribution): string | undefined {
  if (!(infinite >= 0 && infinite <= 1)) return `the mass of infinite losses is ${infinite}; it must be in [0, 1]`;
  // Where all of P is beyond Q there is no finite loss, and an empty support.
  if (!(least <= most) && infinite < 1) return `finite losses lie between ${least} and ${most}, which is no interval`;
  return grain === undefined || (grain >= 0 && grain < 1) ? undefined : `the grain is ${grain}; it must be a small relative error, below 1`;
}

function refusal(resolve: () => unknown): string | undefined {
  try {
    resolve();
  } catch (error) {
    if (error instanceof IncompatiblePlugins) return error.message;
    throw error;
  }
  return undefined;
}

export const pair = defineLaw<'event'>({
  id: 'event/pair', kind: 'event', tier: 'search',
  statement: 'dominating pairs cover both directions, as products of laws that occur a whole number of times; each profile lies in [0, 1], is at least 1 − e^ε, has its bounds in order, falls in ε and is convex in e^ε, for negative ε too',
  source: { id: 'zhu-dong-wang-2022', item: 'Lemma 8' },
  power: 'any of these off by 1e-9 at 18 ε, on 1 of 20 events',
  exempt: ({ plugin }) => (plugin.characterise.pair === undefined ? 'it gives no dominating pairs' : undefined),
  check: (subject, { forAll }) => forAll(fc.record({ scene: scenesOf(subject) }), ({ scene: { event, adjacency } }): Violation | undefined => {
    const { pair: pairs } = knownOf(subject, event, adjacency);
    if (pairs === undefined) return undefined;
    const directions = pairs.map(({ direction }) => direction);
    if (!directions.includes('symmetric') && !(directions.includes('remove') && directions.includes('add'))) return { what: `under ${adjacency}, its pairs are for ${directions.join(', ')}; both 'remove' and 'add' are needed, or 'symmetric'`, input: event };
    for (const one of pairs) {
      const name = `under ${adjacency}, the pair for '${one.direction}'`;
      if (typeof one.attained !== 'boolean') return { what: `${name} says of being attained: ${String(one.attained)}`, input: event };
      for (const { distribution, count } of one.factors) {
        if (!(Number.isSafeInteger(count) && count > 0)) return { what: `${name} has a law that occurs ${count} times; a whole number from 1 on is needed`, input: event };
        const wrong = odd(distribution);
        if (wrong !== undefined) return { what: `${name}: ${wrong}`, input: event };
        const bent = misshapen((epsilon) => distribution.hockeyStick(epsilon), name);
        if (bent) return { ...bent, input: event };
      }
      const whole = one.factors.length === 1 && one.factors[0]!.count === 1 ? undefined : pairProfile(one), bent = whole && misshapen(whole, `${name}, all its laws together,`);
      if (bent) return { ...bent, input: event };
    }
    const why = refusal(() => createResolver(kindsOf(subject))(event, 'pair', adjacency));
    return why === undefined ? undefined : { what: `under ${adjacency}, core refuses its pairs: ${why}`, input: event };
  }, { runs: 15, examples: examplesOf(subject).map((scene) => ({ scene })) }),
});
