import fc from 'fast-check';

/** An exact rational number; the denominator is positive. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const shift = 1074n;

/** A finite double as an exact rational. */
export function rational(x: number): Rational {
  return { numerator: fixed(x, shift), denominator: 1n << shift };
}

export function plus(x: Rational, y: Rational): Rational {
  return {
    numerator: x.numerator * y.denominator + y.numerator * x.denominator,
    denominator: x.denominator * y.denominator,
  };
}

export function times(x: Rational, y: Rational): Rational {
  return { numerator: x.numerator * y.numerator, denominator: x.denominator * y.denominator };
}

export function over(x: Rational, y: Rational): Rational {
  const sign = y.numerator < 0n ? -1n : 1n;
  return { numerator: sign * x.numerator * y.denominator, denominator: sign * x.denominator * y.numerator };
}

/** Sign of `x − y` for an extended real `x` and a rational `y`. */
export function compare(x: number, y: Rational): number {
  if (x === Infinity) return 1;
  if (x === -Infinity) return -1;
  const difference = fixed(x, shift) * y.denominator - (y.numerator << shift);
  if (difference > 0n) return 1;
  return difference < 0n ? -1 : 0;
}

/** `x · 2^bits` of a finite double as an integer; exact for `bits ≥ 1074`. */
export function fixed(x: number, bits: bigint): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const word = view.getBigUint64(0);
  const biased = (word >> 52n) & 0x7ffn;
  const fraction = word & ((1n << 52n) - 1n);
  const mantissa = biased === 0n ? fraction : fraction | (1n << 52n);
  const exponent = (biased === 0n ? 1n : biased) - 1075n + bits;
  const magnitude = exponent >= 0n ? mantissa << exponent : mantissa >> -exponent;
  return word >> 63n === 1n ? -magnitude : magnitude;
}

/** Fraction bits of {@link fixedExp}. */
export const expBits = 1500n;

/** `e^x · 2^expBits`, relative error below 2^-350 for `|x| ≤ 745`. */
export function fixedExp(x: number): bigint {
  const reduction = 20n;
  const one = 1n << expBits;
  const t = fixed(x, expBits) >> reduction;
  let term = one;
  let total = one;
  for (let k = 1n; term !== 0n && term !== -1n; k++) {
    term = (term * t) / (k << expBits);
    total += term;
  }
  for (let k = 0n; k < reduction; k++) total = (total * total) >> expBits;
  return total;
}

/** Doubles of every size between 2^low and 2^high in magnitude, both signs, few and many significant bits. */
export function multiScale(low: number, high: number): fc.Arbitrary<number> {
  return fc
    .tuple(
      fc.constantFrom(1, -1),
      fc.integer({ min: low, max: high - 1 }),
      fc.oneof(
        fc.integer({ min: 0, max: 7 }).map((k) => k / 8),
        fc.integer({ min: 0, max: 2 ** 52 - 1 }).map((k) => k / 2 ** 52),
      ),
    )
    .map(
      ([sign, exponent, fraction]) =>
        sign * ((1 + fraction) * 2 ** Math.trunc(exponent / 2)) * 2 ** (exponent - Math.trunc(exponent / 2)),
    );
}
