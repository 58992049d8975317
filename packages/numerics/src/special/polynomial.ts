/** `Σ coefficients[k] · x^k` from index `first` on (as if it were the constant term), by Horner's rule. */
export function polynomial(coefficients: readonly number[], x: number, first = 0): number {
  let value = 0;
  for (let index = coefficients.length - 1; index >= first; index--) value = value * x + coefficients[index];
  return value;
}
