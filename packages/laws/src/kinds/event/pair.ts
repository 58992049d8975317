import { createResolver } from '@lethe/accountants';
import { IncompatiblePlugins, type PrivacyLossDistribution } from '@lethe/core';
import { type Bounds } from '@lethe/numerics';
import fc from 'fast-check';
import { pairProfile } from '../../divergence/index.js';
import { defineLaw } from '../../law/law.js';
import type { Violation } from '../../law/finding.js';
import { examplesOf, kindsOf, knownOf, settingsOf } from './known.js';

/** Ascending, for comparison of neighbours; negative ε complete the trade-off curve. */
const epsilons = [-8, -5, -3, -2, -1, -0.5, -0.2, -0.05, 0, 0.05, 0.2, 0.5, 1, 1.5, 2, 3, 5, 8] as const;

/** Violation in the shape of a profile, if any. */
function misshapen(profile: (epsilon: number) => Bounds, name: string): Violation | undefined {
  const points = epsilons.map((epsilon) => ({ epsilon, x: Math.exp(epsilon), ...profile(epsilon) }));
  for (const [i, { epsilon, x, lower, upper }] of points.entries()) {
    const at = `${name} has δ in [${lower}, ${upper}] at ε = ${epsilon}`;
    if (!(lower >= 0 && lower <= upper && upper <= 1))
      return { what: `${at}; bounds lie in [0, 1], the lower one first` };
    if (!(upper >= 1 - x - 1e-12))
      return {
        what: `${at}; the set of all outcomes gives 1 − e^ε = ${1 - x}`,
        measured: upper,
        allowed: 1 - x,
      };
    const before = points[i - 1];
    const after = points[i + 1];
    if (before === undefined) continue;
    if (!(lower <= before.upper * (1 + 1e-9)))
      return {
        what: `${at}, more than ${before.upper} at ε = ${before.epsilon}; δ must be non-increasing in ε`,
        measured: lower,
        allowed: before.upper,
      };
    // Between ε and ε', δ falls by at most e^ε' − e^ε, since Q has total mass at most 1.
    if (!(upper >= before.lower - (x - before.x) - 1e-9))
      return {
        what:
          `${at}, and at least ${before.lower} at ε = ${before.epsilon}: ` +
          'δ may fall at most as fast as e^ε grows',
        measured: upper,
        allowed: before.lower - (x - before.x),
      };
    if (after === undefined) continue;
    const line = before.upper + ((after.upper - before.upper) * (x - before.x)) / (after.x - before.x);
    if (!(lower <= line + 1e-9))
      return {
        what: `${at}, above the line between its neighbours, ${line}: δ must be convex in e^ε`,
        measured: lower,
        allowed: line,
      };
  }
  return undefined;
}

/** Violation in the numbers of a distribution, if any. */
function odd({ infinite, support: { least, most }, grain }: PrivacyLossDistribution): string | undefined {
  if (!(infinite >= 0 && infinite <= 1))
    return `the mass of infinite losses is ${infinite}; it must be in [0, 1]`;
  // If P is disjoint from Q there are no finite losses, and the support is empty.
  if (!(least <= most) && infinite < 1)
    return `finite losses lie between ${least} and ${most}, which is no interval`;
  return grain === undefined || (grain >= 0 && grain < 1)
    ? undefined
    : `the grain is ${grain}; it must be a small relative error, below 1`;
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
  id: 'event/pair',
  kind: 'event',
  tier: 'search',
  statement:
    'dominating pairs cover both directions, as products of distributions with integer counts; ' +
    'each profile lies in [0, 1], is at least 1 − e^ε, has lower ≤ upper, ' +
    'is non-increasing in ε and convex in e^ε, for negative ε too',
  source: { id: 'zhu-dong-wang-2022', item: 'Lemma 8' },
  power: 'a violation by 1e-9 at one of 18 ε, on 1 of 20 events',
  exempt: ({ plugin }) =>
    plugin.characterise.pair === undefined ? 'it declares no dominating pairs' : undefined,
  check: (subject, { forAll }) =>
    forAll(
      fc.record({ setting: settingsOf(subject) }),
      ({ setting: { event, adjacency } }): Violation | undefined => {
        const { pair: pairs } = knownOf(subject, event, adjacency);
        if (pairs === undefined) return undefined;
        const directions = pairs.map(({ direction }) => direction);
        if (
          !directions.includes('symmetric') &&
          !(directions.includes('remove') && directions.includes('add'))
        )
          return {
            what:
              `under ${adjacency}, its pairs are for ${directions.join(', ')}; ` +
              "both 'remove' and 'add' are needed, or 'symmetric'",
            input: event,
          };
        for (const one of pairs) {
          const name = `under ${adjacency}, the pair for '${one.direction}'`;
          if (typeof one.attained !== 'boolean')
            return {
              what: `${name} has attained = ${String(one.attained)}; it must be true or false`,
              input: event,
            };
          for (const { distribution, count } of one.factors) {
            if (!(Number.isSafeInteger(count) && count > 0))
              return {
                what: `${name} has a distribution with count ${count}; it must be a positive integer`,
                input: event,
              };
            const wrong = odd(distribution);
            if (wrong !== undefined) return { what: `${name}: ${wrong}`, input: event };
            const bent = misshapen((epsilon) => distribution.hockeyStick(epsilon), name);
            if (bent) return { ...bent, input: event };
          }
          const whole = one.factors.length === 1 && one.factors[0].count === 1 ? undefined : pairProfile(one);
          const bent = whole && misshapen(whole, `${name}, as a product,`);
          if (bent) return { ...bent, input: event };
        }
        const why = refusal(() => createResolver(kindsOf(subject))(event, 'pair', adjacency));
        return why === undefined
          ? undefined
          : { what: `under ${adjacency}, core refuses its pairs: ${why}`, input: event };
      },
      { runs: 15, examples: examplesOf(subject).map((setting) => ({ setting })) },
    ),
});
