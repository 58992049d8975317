import { addUp, divideUp, expm1Down, expm1Up, multiplyDown, multiplyUp, subtractUp } from '@lethe/numerics';

/**
 * Upper bound on the Rényi divergence of order α of Skellam noise between two whole-numbered vectors, for
 * every real α > 1 and in every dimension.
 *
 * With noise of variance μ = scale² per entry, vectors `s` apart with `‖s‖₂ = Δ`, and β = α − 1, both of
 * these hold, and they fall as the scale grows at a fixed `Δ / scale`:
 *
 *   D_α ≤ Δ²/μ + (μ/β)(cosh(βΔ/μ) − 1)
 *   D_α ≤ κΔ²/(2μ) + Δ²/μ^(3/2) + (μ/β)(cosh(βκΔ/μ) − 1),  κ = 1 + 2/μ.
 *
 * Proof. Let f be the probabilities of one entry's noise Y, `f(k) = e^(−μ) I_|k|(μ)`, and
 * `ψ(k − ½) = log f(k−1)/f(k)`, an odd function that rises, f being symmetric and log-concave. From the
 * recurrence `I_(n−1) − I_(n+1) = (2n/μ) I_n` and `ψ` rising, `ψ(z) ≤ asinh((z + ½)/μ)`; since moreover
 * `I_(n+1)/I_n` rises with its argument (Riccati's equation), `ψ(z) ≥ asinh(z/μ)` for z > 0, and by the
 * recurrence once more `ψ(z) ≤ asinh(z/μ) + (z + ½)/μ² ≤ asinh(z/μ) + 2z/μ²` for z ≥ ½. The privacy loss of a
 * shift by s ≥ 1 is `L = Σ_(j=1..s) ψ(Y + j − ½)`. First bound: each term is at most
 * `asinh((Y+j)/μ) ≤ asinh(Y/μ) + j/μ`, and
 * `E e^(c asinh(Y/μ)) = E cosh(c asinh(|Y|/μ)) ≤ E cosh(cY/μ) = exp(μ(cosh(c/μ) − 1))`, so that
 * `D_α = log(E e^(βL))/β ≤ (s² + s)/(2μ) + (μ/β)(cosh(βs/μ) − 1)`. Second: with
 * `g(y) = asinh(y/μ) + 2 max(y, 0)/μ²`, whose slope is at most κ/μ, `L ≤ s g(Y) + κs²/(2μ)`; for A = βs
 * asinh(|Y|/μ) and B = 2βs|Y|/μ²,
 * `E e^(βs g(Y)) = E (e^(A+B) + e^(−A))/2 ≤ E cosh(A+B) + E B/2 ≤ exp(μ(cosh(βκs/μ) − 1)) + βs/μ^(3/2)`.
 * Entries add up: Σ|s_j| ≤ Σ s_j² for whole numbers, and `cosh − 1` is convex in the square of its argument.
 * ∎
 *
 * The bound of Agarwal, Kairouz and Liu (Theorem 3.5), stated for whole orders, has terms of the same order
 * in 1/μ or smaller ones; this one needs no interpolation between orders.
 *
 * @param shift - `Δ / scale`, rounded up.
 * @param scale - At most the scale of the noise.
 */
export function skellamRenyi(shift: number, scale: number): (alpha: number) => number {
  const square = multiplyUp(shift, shift);
  const variance = multiplyUp(scale, scale);
  const kappa = addUp(1, divideUp(2, multiplyDown(scale, scale)));
  const coarse = square;
  const fine = multiplyUp(square, addUp(multiplyUp(0.5, kappa), divideUp(1, scale)));
  const fineShift = multiplyUp(kappa, shift);
  return (alpha) => {
    const beta = subtractUp(alpha, 1);
    const growth = (by: number): number =>
      multiplyUp(divideUp(variance, beta), coshMinusOneUp(divideUp(multiplyUp(beta, by), scale)));
    const bound = Math.min(addUp(coarse, growth(shift)), addUp(fine, growth(fineShift)));
    return Number.isNaN(bound) ? Infinity : bound;
  };
}

/** `cosh(x) − 1 = 2 sinh²(x/2)`, rounded up, for `x ≥ 0`. */
function coshMinusOneUp(x: number): number {
  const half = x / 2;
  const sinh = 0.5 * addUp(expm1Up(half), -expm1Down(-half));
  return multiplyUp(multiplyUp(2, sinh), sinh);
}
