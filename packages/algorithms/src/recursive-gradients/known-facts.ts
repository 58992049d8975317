import type { Problem } from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import { requireNonNegative, requirePositive } from '../common/require.js';
import { startDistanceOf } from '../heavy-tails/facts.js';

/** What schedules read of a problem. */
export interface KnownFacts {
  readonly dimension: number;
  /** `L`, of every record. */
  readonly lipschitz: number;
  /** `M`, of every record; 0 for linear losses. */
  readonly smoothness: number;
  /** `D`: diameter of the domain. */
  readonly diameter: number;
  /** Bound on the distance from the start to the minimiser. */
  readonly startDistance: number;
}

/**
 * Constants of every record and of a bounded domain, or which of them is missing.
 *
 * @throws {InvalidParameter} for a negative one, and for a Lipschitz constant of 0.
 */
export function knownFacts(problem: Problem, domain: Domain): KnownFacts | string {
  const { facts, dimension } = problem;
  const valueOf = (name: string): number | null => {
    const fact = facts[name];
    return fact?.scope === 'every-record' ? fact.value : null;
  };
  const lipschitz = valueOf('lipschitz');
  const smoothness = valueOf('smoothness');
  const { diameter } = domain;
  if (lipschitz === null) return "no fact 'lipschitz' holds for every record";
  if (smoothness === null) return "no fact 'smoothness' holds for every record";
  if (!(diameter < Infinity)) return `the domain '${domain.name}' is unbounded`;
  requirePositive({ lipschitz });
  requireNonNegative({ smoothness });
  const startDistance = startDistanceOf(problem, domain);
  return { dimension, lipschitz, smoothness, diameter, startDistance };
}
