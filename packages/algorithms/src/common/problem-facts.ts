import { Unsupported, type Problem } from '@lethe/core';
import { type Domain } from '@lethe/numerics';

/** The public number of slots of a central curator's data set; under add-remove a public guess. */
export function centralSlots({ slots }: Problem): number {
  if (slots.length === 1 && Number.isFinite(slots[0]) && slots[0] >= 1) return slots[0];
  throw new Unsupported(`a central curator holds one data set; the problem declares slots [${slots.join(', ')}]. Give one number, at least 1.`, { slots });
}

/**
 * ℓ2 diameter of the domain, as the domain itself says; where it has none, the fact `diameter`, which is then a bound on how far the minimiser is.
 *
 * @throws {Unsupported} when it is not finite.
 */
export function diameterOf(problem: Problem, domain: Domain): number {
  const diameter = domain.diameter < Infinity ? domain.diameter : problem.facts['diameter']?.value ?? domain.diameter;
  if (diameter > 0 && diameter < Infinity) return diameter;
  throw new Unsupported(`the domain '${domain.name}' has diameter ${diameter}; use a bounded domain, such as l2-ball, or declare the fact 'diameter'`, { domain: domain.name, diameter });
}
