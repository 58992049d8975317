import fc from 'fast-check';

/** Numbers of either sign whose magnitudes are spread over `10^low … 10^high`. */
export const multiScale = (low: number, high: number): fc.Arbitrary<number> =>
  fc
    .tuple(fc.constantFrom(-1, 1), fc.integer({ min: 1000, max: 9999 }), fc.integer({ min: low, max: high }))
    .map(([sign, digits, exponent]) => sign * (digits / 1000) * 10 ** exponent);

export const vectorOf = (length: number, entry: fc.Arbitrary<number>): fc.Arbitrary<Float64Array> =>
  fc.array(entry, { minLength: length, maxLength: length }).map((entries) => Float64Array.from(entries));
