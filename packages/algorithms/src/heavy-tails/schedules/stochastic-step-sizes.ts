import { InvalidParameter } from '@lethe/core';

/**
 * The recursion `r_{t+1} ≤ (1 − aη_t) r_t − bη_t s_t + cη_t²` with `η_t ≤ 1/g`: `convexity` is `a`,
 * `smoothness` is `g ≥ a`, for `T + 1` steps.
 */
export interface StepSizeRule {
  readonly convexity: number;
  readonly smoothness: number;
  readonly rounds: number;
}

/** Step sizes `η_0 … η_T` and weights `ζ_0 … ζ_T` of an average. */
export interface WeightedSteps {
  readonly stepSizes: readonly number[];
  readonly weights: readonly number[];
}

/**
 * Step sizes and weights with which Lemma 33 holds, which the paper does not print. For `T ≤ g/a` constant
 * steps `1/g`, weights that grow as `(1 − a/g)^−t`; otherwise the same steps without weight for half of the
 * time, then steps `2/(a(2g/a + i))` and weights `2g/a + i`, `i = 0, 1, …`.
 *
 * @throws {InvalidParameter} unless `0 < a ≤ g < ∞` and `T` is a whole number of at least 1.
 * @see Lowy & Razaviyayn, Lemma 33; Stich 2019, Lemma 3.
 */
export function stochasticStepSizes({ convexity: a, smoothness: g, rounds: T }: StepSizeRule): WeightedSteps {
  if (!(a > 0 && a <= g && g < Infinity))
    throw new InvalidParameter(
      `the strong convexity is ${a}; it must be positive and at most the smoothness, ${g}`,
      { convexity: a, smoothness: g },
    );
  if (!Number.isSafeInteger(T) || T < 1)
    throw new InvalidParameter(`rounds is ${T}; it must be a whole number of at least 1`, { rounds: T });
  const length = T + 1;
  if (T <= g / a)
    return {
      stepSizes: Array.from({ length }, () => 1 / g),
      weights: Array.from({ length }, (_, t) => (1 - a / g) ** (T - t)),
    };
  const begin = Math.ceil(T / 2);
  const condition = g / a;
  const place = (t: number): number => 2 * condition + t - begin;
  return {
    stepSizes: Array.from({ length }, (_, t) => (t < begin ? 1 / g : 2 / (a * place(t)))),
    weights: Array.from({ length }, (_, t) => (t < begin ? 0 : place(t))),
  };
}

/**
 * What Lemma 33 bounds `(b/Z) Σ ζ_t s_t + a r_{T+1}` by, for non-negative `r` and `s`:
 * `32 g r_0 exp(−aT/(2g)) + 36c/(aT)`.
 *
 * @param options - `start`: `r_0`.
 * @see Lowy & Razaviyayn, Lemma 33.
 */
export const stichBound = ({
  a,
  c,
  g,
  start,
  rounds: T,
}: {
  readonly a: number;
  readonly c: number;
  readonly g: number;
  readonly start: number;
  readonly rounds: number;
}): number => 32 * g * start * Math.exp((-a * T) / (2 * g)) + (36 * c) / (a * T);
