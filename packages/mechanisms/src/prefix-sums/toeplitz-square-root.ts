const listed = 24;

/** `binom(2k, k) / 4^k` for small `k`. */
const coefficients = Float64Array.of(1, ...new Float64Array(listed - 1));
for (let k = 1; k < listed; k++) coefficients[k] = (coefficients[k - 1] * (2 * k - 1)) / (2 * k);

/**
 * `r_k = binom(2k, k) / 4^k`: the coefficients of `(1 − x)^{−1/2}`, so that their Toeplitz matrix squared is
 * all ones below the diagonal. They fall as `1/√(πk)`. Relative error below `2^−50`, for any `k`.
 *
 * From 24 on, by the series of `Γ(k + 1/2) / Γ(k + 1)` in `k + 1/4`, which has even powers only.
 */
export function squareRootCoefficient(k: number): number {
  if (k < listed) return coefficients[k];
  const n = k + 0.25;
  const y = 1 / (n * n);
  return (
    (1 + y * (-1 / 64 + y * (21 / 8192 + y * (-671 / 524288 + y * (180323 / 134217728))))) /
    Math.sqrt(Math.PI * n)
  );
}

/** Coefficients of `(1 − x)^{1/2}`, the inverse: 1, then negative and falling as `k^{−3/2}`. */
export const inverseRootCoefficient = (k: number): number => -squareRootCoefficient(k) / (2 * k - 1);

const eulerGamma = 0.5772156649015329;

/**
 * `Σ_{k < count} r_k²`: Landau's constant of index `count − 1`, close to `(ln count + γ + 4 ln 2) / π`.
 * Relative error below `2^−49`, for any `count`.
 *
 * From 24 on, by the series in `count − 1/4`, which has even powers only.
 */
export function squareRootEnergy(count: number): number {
  if (count <= listed) {
    let sum = 0;
    for (let k = count - 1; k >= 0; k--) sum += coefficients[k] * coefficients[k];
    return sum;
  }
  const n = count - 0.25;
  const y = 1 / (n * n);
  const rest = y * (11 / 192 + y * (-1541 / 122880 + y * (63433 / 8257536 - (y * 9199901) / 1006632960)));
  return (Math.log(n) + eulerGamma + 4 * Math.LN2 + rest) / Math.PI;
}
