import { type Bound, MissingFact, type Problem, type Ref, Unsupported } from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import { certifiedMean, clippedMean, gaussian, l2Clip } from '@lethe/mechanisms';

/** The public number of slots of a central curator's data set; under add-remove a public guess. */
export function centralSlots({ slots }: Problem): number {
  if (slots.length === 1 && Number.isFinite(slots[0]) && slots[0] >= 1) return slots[0];
  throw new Unsupported(
    'a central curator holds one data set; the problem declares ' +
      `slots [${slots.join(', ')}]. Give one number, at least 1.`,
    { slots },
  );
}

/**
 * ℓ2 diameter of the domain, as the domain itself says; where it has none, the fact `diameter`, which is then
 * a bound on how far the minimiser is.
 *
 * @throws {Unsupported} when it is not finite.
 */
export function diameterOf(problem: Problem, domain: Domain): number {
  const diameter =
    domain.diameter < Infinity ? domain.diameter : (problem.facts['diameter']?.value ?? domain.diameter);
  if (diameter > 0 && diameter < Infinity) return diameter;
  throw new MissingFact(
    `the domain '${domain.name}' has diameter ${diameter}; use a bounded domain, such as l2-ball, or ` +
      "declare the fact 'diameter'",
    ['diameter'],
  );
}

/**
 * How records are bounded: by clipping to `clipNorm`, or by the
 * Lipschitz constant that the curator’s data set certifies.
 */
export const boundBy = (clipNorm: number | null): Bound =>
  clipNorm === null
    ? { by: 'certificate', fact: 'lipschitz' }
    : { by: 'clip', clip: l2Clip({ radius: clipNorm }) };

/** Mean of records clipped to an ℓ2 ball, with Gaussian noise. */
export const clippedGaussian = (clipNorm: number): Ref<'mean'> =>
  clippedMean({ clip: l2Clip({ radius: clipNorm }), mechanism: gaussian({}) });

/** Mean of records bounded as by {@link boundBy}, with Gaussian noise. */
export const gaussianMean = (clipNorm: number | null): Ref<'mean'> =>
  clipNorm === null ? certifiedMean({ mechanism: gaussian({}) }) : clippedGaussian(clipNorm);

/**
 * Which of the constants of every record and of a bounded domain are missing, in words; `null` if none is.
 * Smoothness may be 0.
 */
export function lackingConstants({ facts }: Problem, { diameter, name }: Domain): string | null {
  const missing = ['lipschitz', 'smoothness'].filter((fact) => facts[fact]?.scope !== 'every-record');
  const lacking = [
    ...(missing.length === 0
      ? []
      : [`no fact ${missing.map((fact) => `'${fact}'`).join(' or ')} holds for every record`]),
    ...(diameter < Infinity ? [] : [`the domain '${name}' is unbounded`]),
  ];
  return lacking.length === 0 ? null : lacking.join(', and ');
}

/** The Lipschitz constant of every record, if the problem declares one. */
export function lipschitzOf({ facts }: Problem): number | null {
  const fact = facts['lipschitz'];
  return fact?.scope === 'every-record' ? fact.value : null;
}

/**
 * The same for a method that cannot do without.
 *
 * @param instead - The parameter that could stand in for it.
 * @throws {Unsupported} when no Lipschitz constant of every record is declared.
 */
export function requiredLipschitz(problem: Problem, instead: string): number {
  const value = lipschitzOf(problem);
  if (value !== null) return value;
  const isThere = problem.facts['lipschitz'] !== undefined;
  throw new MissingFact(
    "the problem declares no fact 'lipschitz' that holds " +
      'for every record; declare the record domain it follows ' +
      `from${isThere ? ' (the one there is holds for the population only)' : ''}, or give ${instead}`,
    ['lipschitz'],
  );
}

/**
 * Why a Lipschitz constant says nothing of a run: the loss has one on bounded sets only, and is on no such
 * set.
 */
export const boundedOnly = ({ loss, capabilities }: Problem, domain: Domain): string | null =>
  capabilities.lipschitz === true || domain.diameter < Infinity
    ? null
    : `the loss '${loss.name}' is Lipschitz on bounded sets only, and the domain '${domain.name}' is ` +
      'unbounded';
