import { defined, IncompatiblePlugins } from '@lethe/numerics';
import type { DominatingPair, PrivacyLossDistribution, PairFactor } from '@lethe/core';
import { type Refuse, verifyLossDistribution, verifyMasses } from './verify-distribution.js';

const directions: readonly unknown[] = [
  'remove',
  'add',
  'symmetric',
] satisfies readonly DominatingPair['direction'][];

/**
 * The checked wrapper of each distribution, so that compositions still recognise equal distributions by
 * identity.
 */
const guards = new WeakMap<PrivacyLossDistribution, PrivacyLossDistribution>();
const trusted = new WeakSet<DominatingPair>();

/** Marks resolved pairs as checked, so a plugin that returns them keeps the same distribution objects. */
export function trustPairs(pairs: readonly DominatingPair[]): void {
  for (const pair of pairs) {
    trusted.add(pair);
    for (const { distribution } of pair.factors) guards.set(distribution, distribution);
  }
}

/**
 * Validates a plugin's dominating pairs, and wraps each distribution so that every later answer is checked.
 * Without these checks an invalid distribution would become a guarantee: empty sums and maxima are 0, and
 * comparisons with NaN are false.
 *
 * @param kind - Event kind of the plugin, for messages.
 * @throws {IncompatiblePlugins} when the pairs do not cover both directions, a distribution is inconsistent,
 * or, later, an answer of a distribution is not a probability.
 */
export function checkedPairs(kind: string, pairs: readonly DominatingPair[]): readonly DominatingPair[] {
  const refuse: Refuse = (found, rule, details = {}) => {
    throw new IncompatiblePlugins(`the event kind '${kind}' gave ${found}; ${rule}`, {
      kind,
      want: 'pair',
      ...details,
    });
  };
  if (!Array.isArray(pairs)) refuse(`${String(pairs)} for its dominating pairs`, 'they must be a list');
  const given = pairs.map(({ direction }) => direction);
  const odd = given.findIndex((direction) => !directions.includes(direction));
  if (odd >= 0)
    refuse(
      `a dominating pair for '${String(given[odd])}'`,
      "its direction must be 'remove', 'add' or 'symmetric'",
      { direction: given[odd] },
    );
  if (!given.includes('symmetric') && !(given.includes('remove') && given.includes('add'))) {
    refuse(
      given.length === 0 ? 'no dominating pairs' : `dominating pairs for '${given.join("', '")}' only`,
      "both 'remove' and 'add' are needed, or 'symmetric'",
      { directions: given },
    );
  }
  return pairs.map((pair) =>
    trusted.has(pair)
      ? pair
      : checkedPair(pair, (found, rule, details) =>
          refuse(`a dominating pair for '${pair.direction}' with ${found}`, rule, details),
        ),
  );
}

function checkedPair(
  { direction, factors, attained, witness }: DominatingPair,
  refuse: Refuse,
): DominatingPair {
  if (typeof attained !== 'boolean')
    refuse(`${String(attained)} for 'attained'`, 'it must be true or false', { attained });
  return {
    direction,
    attained,
    factors: checkedFactors(factors, refuse),
    ...(witness !== undefined && { witness: checkedFactors(witness, refuse) }),
  };
}

function checkedFactors(factors: readonly PairFactor[], refuse: Refuse): readonly PairFactor[] {
  if (!Array.isArray(factors) || factors.length === 0)
    refuse(
      'no factors',
      'it would cost nothing; give at least one loss distribution, or the resolved pair of another event',
    );
  return factors.map(({ distribution, count }: PairFactor) => {
    if (!(Number.isSafeInteger(count) && count >= 1))
      refuse(`a loss distribution with count ${count}`, 'the count must be a whole number from 1', {
        count,
      });
    return { distribution: guardedDistribution(distribution, refuse), count };
  });
}

function guardedDistribution(distribution: PrivacyLossDistribution, refuse: Refuse): PrivacyLossDistribution {
  const known = guards.get(distribution);
  if (known !== undefined) return known;
  const {
    infinite,
    grain,
    support: { least, most },
  } = distribution;
  if (!(infinite >= 0 && infinite <= 1))
    refuse(`a loss distribution with infinite loss of probability ${infinite}`, 'it must be a probability', {
      infinite,
    });
  // If the loss is always infinite, the interval of finite losses may be empty.
  if (!(least <= most) && !(infinite === 1 && least > most))
    refuse(`a loss distribution whose losses lie between ${least} and ${most}`, 'that must be an interval', {
      least,
      most,
    });
  if (grain !== undefined && !(grain >= 0 && grain < 1))
    refuse(
      `a loss distribution with masses of grain ${grain}`,
      'it must be a relative error, at least 0 and below 1',
      { grain },
    );
  const guarded: PrivacyLossDistribution = {
    infinite,
    support: { least, most },
    ...(grain !== undefined && { grain }),
    hockeyStick(epsilon) {
      const { lower, upper } = distribution.hockeyStick(epsilon);
      if (!(lower >= 0 && lower <= upper && upper <= 1 + 1e-9))
        refuse(
          `a loss distribution whose δ at ε = ${epsilon} is in [${lower}, ${upper}]`,
          'these must be bounds within [0, 1], the lower one first',
          { epsilon, lower, upper },
        );
      return { lower: Math.min(1, lower), upper: Math.min(1, upper) };
    },
    ...(distribution.massesInto !== undefined && {
      massesInto(p: Float64Array, q: Float64Array, edges: Float64Array) {
        // Entries that the plugin does not write must not count as probabilities.
        p.fill(NaN);
        q.fill(NaN);
        defined(distribution.massesInto)(p, q, edges);
        verifyMasses({ p, q, edges }, guarded, refuse);
      },
    }),
  };
  verifyLossDistribution(guarded, refuse);
  guards.set(distribution, guarded);
  guards.set(guarded, guarded);
  return guarded;
}
