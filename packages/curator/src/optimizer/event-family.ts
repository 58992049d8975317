import type { PrivacyEvent } from '@lethe/core';

/** No plan has this number by itself: where the event of a run with such noise holds it, it is the noise. */
export const marker = 1.234_567_890_123;

/**
 * The events of runs that differ only in their noise, from the one with the multiplier {@link marker}: other
 * multipliers take its place wherever the event holds it. `undefined` where the event holds it nowhere.
 *
 * It is a conjecture: the cost of a run may follow from its noise in another way.
 */
export function familyOf(event: PrivacyEvent): ((noiseMultiplier: number) => PrivacyEvent) | undefined {
  return holdsMarker(event) ? (multiplier) => replaced(event, multiplier) : undefined;
}

const holdsMarker = (value: unknown): boolean =>
  value === marker ||
  (typeof value === 'object' &&
    value !== null &&
    !ArrayBuffer.isView(value) &&
    Object.values(value).some(holdsMarker));

function replaced<T>(value: T, multiplier: number): T {
  if (value === marker) return multiplier as T;
  // What does not hold the marker is shared, with all that is remembered of it.
  if (!holdsMarker(value)) return value;
  if (Array.isArray(value)) return value.map((inner: unknown) => replaced(inner, multiplier)) as T;
  return Object.fromEntries(
    Object.entries(value as object).map(([name, inner]) => [name, replaced(inner as unknown, multiplier)]),
  ) as T;
}
