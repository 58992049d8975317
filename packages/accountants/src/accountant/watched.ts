import type {
  AccountingContext,
  CharacterisationKind,
  Characterisations,
  PrivacyLossDistribution,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import { familyOf, inFamily } from '../events/pairs/family.js';

type Signal = NonNullable<AccountingContext['signal']>;

/**
 * Adds a signal check to each evaluation of a Rényi curve or a dominating pair, so that long computations can
 * be cancelled. Other characterisations are numbers and are returned unchanged.
 */
export function watched<C extends CharacterisationKind>(
  known: Characterisations[C],
  want: C,
  signal: Signal,
): Characterisations[C] {
  switch (want) {
    case 'rdp': {
      const curve = known as Characterisations['rdp'];
      const watchedCurve: Characterisations['rdp'] = (alpha) => {
        signal.throwIfAborted();
        return curve(alpha);
      };
      return watchedCurve as Characterisations[C];
    }
    case 'pair': {
      const pairs: Characterisations['pair'] = (known as Characterisations['pair']).map((pair) => ({
        ...pair,
        factors: pair.factors.map(({ distribution, count }) => ({
          distribution: watchedDistribution(distribution, signal),
          count,
        })),
      }));
      return pairs as Characterisations[C];
    }
    default:
      return known;
  }
}

function watchedDistribution(distribution: PrivacyLossDistribution, signal: Signal): PrivacyLossDistribution {
  const { infinite, support, grain } = distribution;
  const family = familyOf(distribution);
  const watchedOne: PrivacyLossDistribution = {
    infinite,
    support,
    ...(grain !== undefined && { grain }),
    hockeyStick: (epsilon) => {
      signal.throwIfAborted();
      return distribution.hockeyStick(epsilon);
    },
    ...(distribution.massesInto && {
      massesInto: (p: Float64Array, q: Float64Array, edges: Float64Array) => {
        signal.throwIfAborted();
        defined(distribution.massesInto)(p, q, edges);
      },
    }),
  };
  return family === undefined
    ? watchedOne
    : inFamily(watchedOne, { ...family, member: (mu) => watchedDistribution(family.member(mu), signal) });
}
