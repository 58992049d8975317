import { add, type DoubleDouble, exactSum, multiply, widen } from './double-double.js';

// ln 2 in three parts; the first two have 40 bits or fewer, so their products with an exponent are exact.
export const ln2Parts = [0.6931471805592082, 7.371002565161996e-13, 5.8029889835956905e-25] as const;

/** 1/k! for k = 2 … 17, each as high and low part. */
const inverseFactorials: readonly (readonly [number, number])[] = [
  [0.5, 0],
  [0.16666666666666666, 9.25185853854297e-18],
  [0.041666666666666664, 2.3129646346357427e-18],
  [0.008333333333333333, 1.1564823173178714e-19],
  [0.001388888888888889, -5.300543954373577e-20],
  [0.0001984126984126984, 1.7209558293420705e-22],
  [2.48015873015873e-5, 2.1511947866775882e-23],
  [2.7557319223985893e-6, -1.858393274046472e-22],
  [2.755731922398589e-7, 2.3767714622250297e-23],
  [2.505210838544172e-8, -1.448814070935912e-24],
  [2.08767569878681e-9, -1.20734505911326e-25],
  [1.6059043836821613e-10, 1.2585294588752098e-26],
  [1.1470745597729725e-11, 2.0655512752830745e-28],
  [7.647163731819816e-13, 7.03872877733453e-30],
  [4.779477332387385e-14, 4.399205485834081e-31],
  [2.8114572543455206e-15, 1.6508842730861433e-31],
];

/** `e^r − 1` for `|r| ≤ 0.42`, relative error below 2^-96 (r not within 2^-900 of zero). */
export function expm1Reduced(r: DoubleDouble): DoubleDouble {
  const t = { high: r.high / 8, low: r.low / 8 };
  let series = widen(0);
  for (let k = inverseFactorials.length - 1; k >= 0; k--) {
    const [high, low] = inverseFactorials[k];
    series = add(multiply(series, t), { high, low });
  }
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
