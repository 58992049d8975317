import { InvalidParameter } from '@lethe/core';

/** @throws {InvalidParameter} unless ε is positive and finite. */
export function assertEpsilon(epsilon: number): void {
  if (!(epsilon > 0 && epsilon < Infinity))
    throw new InvalidParameter(
      `a choice at epsilon = ${epsilon} was asked for; epsilon must be positive and finite`,
      { epsilon },
    );
}

/** @throws {InvalidParameter} unless there is a whole, positive number of candidates. */
export function assertCandidates(candidates: number): void {
  if (!(Number.isSafeInteger(candidates) && candidates >= 1))
    throw new InvalidParameter(
      `a choice among ${candidates} candidates was asked for; there must be at least one`,
      { candidates },
    );
}

/**
 * `ε (largest − utility) / 2` for each candidate: its gap to the best, in the unit of noise. Halves are
 * taken first, so that no difference overflows.
 *
 * @throws {InvalidParameter} for no candidate, a utility that is
 * not finite, or an ε that is not positive and finite.
 */
export function behind(utilities: Float64Array, epsilon: number): Float64Array {
  assertEpsilon(epsilon);
  assertCandidates(utilities.length);
  let best = -Infinity;
  for (let i = 0; i < utilities.length; i++) {
    if (!Number.isFinite(utilities[i]))
      throw new InvalidParameter(`candidate ${i} has utility ${utilities[i]}; utilities must be finite`, {
        candidate: i,
        utility: utilities[i],
      });
    best = Math.max(best, utilities[i]);
  }
  return utilities.map((utility) => epsilon * (best / 2 - utility / 2));
}

/** Position of the largest of `noise − behind`, the first of equals. */
export function largestAfter(behindBest: Float64Array, noise: () => number): number {
  let [chosen, most] = [0, -Infinity];
  for (let i = 0; i < behindBest.length; i++) {
    const noisy = noise() - behindBest[i];
    if (noisy > most) [chosen, most] = [i, noisy];
  }
  return chosen;
}
