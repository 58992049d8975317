import type { Violation } from '../../law/finding.js';

/**
 * Chernoff's exponent for this many successes in independent
 * trials with success probability `chance`, or for a rarer count.
 */
export function chernoff(successes: number, trials: number, chance: number): number {
  const share = successes / trials;
  const part = (a: number, b: number): number => (a === 0 ? 0 : a * Math.log(a / b));
  return trials * (part(share, chance) + part(1 - share, 1 - chance));
}

/**
 * Reused randomness: among disjoint pairs of slots at a given distance, the number of equal pairs should be
 * that of independent slots. Tests every distance, so that reused random numbers show wherever they repeat.
 * @param places - Batch of each slot, independent of the others,
 * with probabilities whose squares sum to `agreeing`.
 * @param alpha - False-alarm probability for a correct sampler.
 */
export function repeatedRandomness(
  places: ArrayLike<number>,
  agreeing: number,
  alpha: number,
): Violation | undefined {
  const slots = places.length;
  const enough = Math.log((2 * slots) / alpha);
  if (!(agreeing > 0 && agreeing < 1)) return undefined;
  for (let distance = 1; distance < slots; distance++) {
    let agree = 0;
    let pairs = 0;
    for (let block = 0; block + distance < slots; block += 2 * distance) {
      const end = Math.min(block + distance, slots - distance);
      pairs += end - block;
      for (let slot = block; slot < end; slot++) if (places[slot] === places[slot + distance]) agree++;
    }
    if (chernoff(agree, pairs, agreeing) <= enough) continue;
    return {
      what:
        `of ${pairs} pairs of slots that are ${distance} apart, ${agree} agree; ` +
        `independent slots agree with probability ${agreeing}`,
      measured: agree,
      allowed: agreeing * pairs,
      input: { slots, distance },
    };
  }
  return undefined;
}
