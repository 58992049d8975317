import type { Violation } from '../../law/finding.js';

/** The exponent in Chernoff's bound on so many successes of independent trials, `chance` each, or on a rarer count of them. */
export function chernoff(successes: number, trials: number, chance: number): number {
  const share = successes / trials, part = (a: number, b: number): number => (a === 0 ? 0 : a * Math.log(a / b));
  return trials * (part(share, chance) + part(1 - share, 1 - chance));
}

/**
 * Slots that go where others went: of the disjoint pairs of slots a given distance apart, as many should agree as for independent slots.
 * Every distance is looked at, so that coins used again show wherever they come up again.
 *
 * @param places - Where each slot goes, independently of all others, with probabilities whose squares add up to `agreeing`.
 * @param alpha - Probability with which a correct sampler may be found out.
 */
export function repeatedRandomness(places: ArrayLike<number>, agreeing: number, alpha: number): Violation | undefined {
  const slots = places.length, enough = Math.log((2 * slots) / alpha);
  if (!(agreeing > 0 && agreeing < 1)) return undefined;
  for (let distance = 1; distance < slots; distance++) {
    let agree = 0, pairs = 0;
    for (let block = 0; block + distance < slots; block += 2 * distance) {
      const end = Math.min(block + distance, slots - distance);
      pairs += end - block;
      for (let slot = block; slot < end; slot++) if (places[slot] === places[slot + distance]) agree++;
    }
    if (chernoff(agree, pairs, agreeing) <= enough) continue;
    return { what: `of ${pairs} pairs of slots that are ${distance} apart, ${agree} go the same way; independent slots do so with probability ${agreeing}`, measured: agree, allowed: agreeing * pairs, input: { slots, distance } };
  }
  return undefined;
}
