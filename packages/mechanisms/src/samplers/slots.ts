import { InvalidParameter } from '@lethe/core';

/** @throws {InvalidParameter} unless `slots` is an integer of at least `least`. */
export function assertSlots(slots: number, least: number): void {
  if (!Number.isSafeInteger(slots) || slots < least || slots > 2 ** 32) {
    throw new InvalidParameter(
      `${slots} slots were given; this sampler needs an integer from ${least} to 2^32`,
      { slots, least },
    );
  }
}

/**
 * A public number of slots may be an expected size, so it need not be whole.
 *
 * @throws {InvalidParameter} unless `slots` is positive and finite.
 */
export function assertPublicSlots(slots: number): void {
  if (!(slots > 0) || !Number.isFinite(slots)) {
    throw new InvalidParameter(
      `a public number of ${slots} slots was given; it must be positive and finite`,
      { slots },
    );
  }
}

/** The positions `first … first + size − 1`. */
export function consecutive(first: number, size: number): Uint32Array {
  const positions = new Uint32Array(size);
  for (let i = 0; i < size; i++) positions[i] = first + i;
  return positions;
}
