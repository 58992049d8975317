import type { Problem } from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import { lackingConstants } from '../common/problem-facts.js';
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
 * Constants of every record and of a bounded domain, or which of them are missing.
 *
 * @throws {InvalidParameter} for a negative one, and for a Lipschitz constant of 0.
 */
export function knownFacts(problem: Problem, domain: Domain): KnownFacts | string {
  const lacking = lackingConstants(problem, domain);
  if (lacking !== null) return lacking;
  const { facts, dimension } = problem;
  const { value: lipschitz } = facts['lipschitz'];
  const { value: smoothness } = facts['smoothness'];
  requirePositive({ lipschitz });
  requireNonNegative({ smoothness });
  const startDistance = startDistanceOf(problem, domain);
  return { dimension, lipschitz, smoothness, diameter: domain.diameter, startDistance };
}
