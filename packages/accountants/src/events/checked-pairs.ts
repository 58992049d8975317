import { IncompatiblePlugins } from '@lethe/numerics';
import type { DominatingPair, PrivacyLossDistribution, PairFactor } from '@lethe/core';
import { type Refuse, verifyLossDistribution, verifyMasses } from './verify-distribution.js';

const directions: readonly unknown[] = ['remove', 'add', 'symmetric'] satisfies readonly DominatingPair['direction'][];

/** Each law by the one that takes its place, so that compositions still tell equal ones by identity. */
const guards = new WeakMap<PrivacyLossDistribution, PrivacyLossDistribution>();
const trusted = new WeakSet<DominatingPair>();

/** Remembers pairs that were resolved, so that a plugin that hands them on as its own gives the very laws. */
export function trustPairs(pairs: readonly DominatingPair[]): void {
  for (const pair of pairs) {
    trusted.add(pair);
    for (const { distribution } of pair.factors) guards.set(distribution, distribution);
  }
}

/**
 * The pairs a plugin gives for an event, each law of which checks whatever it answers. Without that a broken law would become a
 * guarantee: sums and maxima of nothing are 0, and no comparison with NaN refuses anything.
 *
 * @param kind - The event kind of the plugin, for messages.
 * @throws {IncompatiblePlugins} when they are no pairs for both directions, a law contradicts itself, or, later on, an answer of a law is
 * no probability.
 */
export function checkedPairs(kind: string, pairs: readonly DominatingPair[]): readonly DominatingPair[] {
  const refuse: Refuse = (found, rule, details = {}) => { throw new IncompatiblePlugins(`the event kind '${kind}' gave ${found}; ${rule}`, { kind, want: 'pair', ...details }); };
  if (!Array.isArray(pairs)) refuse(`${String(pairs)} for its dominating pairs`, 'they must be a list');
  const given = pairs.map(({ direction }) => direction);
  const odd = given.findIndex((direction) => !directions.includes(direction));
  if (odd >= 0) refuse(`a dominating pair for '${String(given[odd])}'`, 'its direction must be \'remove\', \'add\' or \'symmetric\'', { direction: given[odd] });
  if (!given.includes('symmetric') && !(given.includes('remove') && given.includes('add'))) {
    refuse(given.length === 0 ? 'no dominating pairs' : `dominating pairs for '${given.join('\', \'')}' only`, 'both \'remove\' and \'add\' are needed, or \'symmetric\'', { directions: given });
  }
  return pairs.map((pair) => (trusted.has(pair) ? pair : checkedPair(pair, (found, rule, details) => refuse(`a dominating pair for '${pair.direction}' with ${found}`, rule, details))));
}

function checkedPair({ direction, factors, attained }: DominatingPair, refuse: Refuse): DominatingPair {
  if (typeof attained !== 'boolean') refuse(`${String(attained)} for 'attained'`, 'it must be true or false', { attained });
  if (!Array.isArray(factors) || factors.length === 0) refuse('no factors', 'it would cost nothing; give at least one law, or the pair that another event was resolved to');
  return {
    direction, attained,
    factors: factors.map(({ distribution, count }: PairFactor) => {
      if (!(Number.isSafeInteger(count) && count >= 1)) refuse(`a law that occurs ${count} times`, 'a whole number from 1 on is needed', { count });
      return { distribution: guardedDistribution(distribution, refuse), count };
    }),
  };
}

function guardedDistribution(distribution: PrivacyLossDistribution, refuse: Refuse): PrivacyLossDistribution {
  const known = guards.get(distribution);
  if (known !== undefined) return known;
  const { infinite, grain, support: { least, most } } = distribution;
  if (!(infinite >= 0 && infinite <= 1)) refuse(`a law of which ${infinite} is infinite`, 'it must be a probability', { infinite });
  // Where everything is infinite there is no finite loss, and the interval may be empty.
  if (!(least <= most) && !(infinite === 1 && least > most)) refuse(`a law whose losses lie between ${least} and ${most}`, 'that must be an interval', { least, most });
  if (grain !== undefined && !(grain >= 0 && grain < 1)) refuse(`a law with masses of grain ${grain}`, 'it must be a relative error, from 0 to below 1', { grain });
  const guarded: PrivacyLossDistribution = {
    infinite, support: { least, most },
    ...(grain !== undefined && { grain }),
    hockeyStick(epsilon) {
      const { lower, upper } = distribution.hockeyStick(epsilon);
      if (!(lower >= 0 && lower <= upper && upper <= 1 + 1e-9)) refuse(`a law whose δ at ε = ${epsilon} is in [${lower}, ${upper}]`, 'these must be bounds within [0, 1], the lower one first', { epsilon, lower, upper });
      return { lower: Math.min(1, lower), upper: Math.min(1, upper) };
    },
    ...(distribution.massesInto !== undefined && {
      massesInto(p: Float64Array, q: Float64Array, edges: Float64Array) {
        // What is left unwritten must not be taken for a probability.
        p.fill(NaN);
        q.fill(NaN);
        distribution.massesInto!(p, q, edges);
        verifyMasses({ p, q, edges }, guarded, refuse);
      },
    }),
  };
  verifyLossDistribution(guarded, refuse);
  guards.set(distribution, guarded);
  guards.set(guarded, guarded);
  return guarded;
}
