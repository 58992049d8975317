import { add, type DoubleDouble, exactSum, multiply, widen } from './double-double.js';

// ln 2 in three parts; the first two have 40 bits or fewer, so their products with an exponent are exact.
export const ln2Parts = [0.6931471805592082, 7.371002565161996e-13, 5.8029889835956905e-25] as const;

/** 1/k! for k = 2 … 8, each as high and low part. */
const inverseFactorials: readonly DoubleDouble[] = [
  { high: 0.5, low: 0 },
  { high: 0.16666666666666666, low: 9.25185853854297e-18 },
  { high: 0.041666666666666664, low: 2.3129646346357427e-18 },
  { high: 0.008333333333333333, low: 1.1564823173178714e-19 },
  { high: 0.001388888888888889, low: -5.300543954373577e-20 },
  { high: 0.0001984126984126984, low: 1.7209558293420705e-22 },
  { high: 2.48015873015873e-5, low: 2.1511947866775882e-23 },
];

/** 1/k! for k = 9 … 17: of these terms a double has enough digits. */
const laterInverseFactorials: readonly number[] = [
  2.7557319223985893e-6, 2.755731922398589e-7, 2.505210838544172e-8, 2.08767569878681e-9,
  1.6059043836821613e-10, 1.1470745597729725e-11, 7.647163731819816e-13, 4.779477332387385e-14,
  2.8114572543455206e-15,
];

/** `e^r − 1` for `|r| ≤ 0.42`, relative error below 2^-96 (r not within 2^-900 of zero). */
export function expm1Reduced(r: DoubleDouble): DoubleDouble {
  const t = { high: r.high / 8, low: r.low / 8 };
  // The later terms are at most 2^-47 of the series, and the series at most 2^-5 of the result.
  let later = 0;
  for (let k = laterInverseFactorials.length - 1; k >= 0; k--)
    later = later * t.high + laterInverseFactorials[k];
  let series = widen(later);
  for (let k = inverseFactorials.length - 1; k >= 0; k--)
    series = add(multiply(series, t), inverseFactorials[k]);
  let value = add(t, multiply(multiply(t, t), series));
  for (let doubling = 0; doubling < 3; doubling++) value = multiply(value, add(widen(2), value));
  return value;
}

/** A number `(1 + fraction) · 2^exponent`. */
export interface Exponential {
  readonly exponent: number;
  /** In [-0.3, 0.42]. */
  readonly fraction: DoubleDouble;
}

/** `e^x` for `|x| ≤ 1000`; the relative error of `1 + fraction` is below 2^-90. */
export function exponential(x: DoubleDouble): Exponential {
  const exponent = Math.round(x.high / ln2Parts[0]);
  if (exponent === 0) return { exponent, fraction: expm1Reduced(x) };
  const first = add(x, widen(-exponent * ln2Parts[0]));
  const second = add(first, exactSum(-exponent * ln2Parts[1], -exponent * ln2Parts[2]));
  return { exponent, fraction: expm1Reduced(second) };
}
