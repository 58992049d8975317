import fc from 'fast-check';

/** Numbers of every size from 10^low to 10^high, of both signs, and zero. */
export const multiScale = (low = -6, high = 6): fc.Arbitrary<number> =>
  fc
    .tuple(fc.integer({ min: -999, max: 999 }), fc.integer({ min: low, max: high }))
    .map(([mantissa, exponent]) => (mantissa / 100) * 10 ** exponent);

/** Positive numbers of every size from 10^low to 10^high. */
export const positive = (low = -6, high = 6): fc.Arbitrary<number> =>
  fc
    .tuple(fc.integer({ min: 100, max: 999 }), fc.integer({ min: low, max: high }))
    .map(([mantissa, exponent]) => (mantissa / 100) * 10 ** exponent);

export const vectorOf = (length: number, low = -6, high = 6): fc.Arbitrary<Float64Array> =>
  fc
    .array(multiScale(low, high), { minLength: length, maxLength: length })
    .map((entries) => Float64Array.from(entries));

/** Vectors of length 1 to 8 whose entries share a scale, so that several of them matter. */
export const vectors = (low = -6, high = 6): fc.Arbitrary<Float64Array> =>
  fc
    .tuple(fc.integer({ min: low, max: high }), fc.array(multiScale(-2, 0), { minLength: 1, maxLength: 8 }))
    .map(([exponent, entries]) => Float64Array.from(entries, (x) => x * 10 ** exponent));

/** Two vectors of one length. */
export const vectorPairs = (low = -6, high = 6): fc.Arbitrary<readonly [Float64Array, Float64Array]> =>
  fc
    .integer({ min: 1, max: 8 })
    .chain((length) => fc.tuple(vectorOf(length, low, high), vectorOf(length, low, high)));

export const notPositive = fc.constantFrom(
  0,
  -0,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
);
