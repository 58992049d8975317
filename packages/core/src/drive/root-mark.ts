import { hexOf, keyedHash128, type RandomSource } from '@lethe/numerics';

const domain = new TextEncoder().encode('lethe/root/mark1');

/**
 * A one-way name of a source's key, so that two sides can
 * tell that they were given the same root without showing it.
 */
export function rootMark(random: RandomSource): string {
  return hexOf(keyedHash128(domain, random.fork('mark').key()));
}
