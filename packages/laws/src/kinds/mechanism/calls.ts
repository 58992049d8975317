import fc, { type Arbitrary } from 'fast-check';
import { isExact, type MechanismSubject } from './call.js';

/** Arguments of one call. */
export interface Call {
  readonly value: readonly number[];
  readonly scale: number;
}

/** Lengths around the ends of blocks and unrolled loops, and length 1. */
const lengths = [1, 2, 7, 33, 64, 65];

/** Vectors with zeros among other entries, and scales over 24 powers of 2; integers for integer noise. */
export function callsOf(subject: MechanismSubject): Arbitrary<Call> {
  const whole = isExact(subject);
  const entry = fc.oneof(
    { withCrossShrink: true },
    { weight: 2, arbitrary: fc.constantFrom(0, -0) },
    { weight: 3, arbitrary: fc.integer({ min: -1000, max: 1000 }).map((k) => (whole ? k : k / 8)) },
    { weight: 1, arbitrary: fc.constantFrom(1e9, -1e9, 2 ** 31 + 1, -(2 ** 45) - 1) },
  );
  return fc.constantFrom(...lengths).chain((length) =>
    fc.record(
      {
        value: fc.array(entry, { minLength: length, maxLength: length, size: 'max' }),
        scale: whole
          ? fc.integer({ min: 1, max: 64 })
          : fc
              .integer({ min: -12, max: 12 })
              .chain((exponent) => fc.constantFrom(1, 1.7).map((factor) => factor * 2 ** exponent)),
      },
      { noNullPrototype: true },
    ),
  );
}

/** Index of the first entry in which two vectors differ by more than `slack(i)`; -1 when they do not. */
export function differenceAt(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  slack: (i: number) => number,
): number {
  for (let i = 0; i < a.length; i++) if (!(Math.abs(a[i] - b[i]) <= slack(i))) return i;
  return -1;
}
