import { addDown, addUp, multiplyDown, multiplyUp, powUp, subtractDown } from '@lethe/numerics';
import type { BufferedToeplitz } from './buffered-inverse.js';
import { geometricSum, geometricSumUp } from './geometric-sum.js';

/** Sums and products of positive numbers, rounded one way or another. */
export interface Arithmetic {
  add(a: number, b: number): number;
  multiply(a: number, b: number): number;
  power(a: number, n: number): number;
  /** `Σ_{n < terms} (x y)^n`. */
  geometric(x: number, y: number, terms: number): number;
}

/** Every result is at least the exact one. */
export const upwards: Arithmetic = {
  add: addUp,
  multiply: multiplyUp,
  power: powUp,
  geometric: (x, y, terms) =>
    geometricSumUp(addDown(subtractDown(1, x), multiplyDown(x, subtractDown(1, y))), terms),
};

/** The nearest double, for searches. */
export const nearest: Arithmetic = {
  add: (a, b) => a + b,
  multiply: (a, b) => a * b,
  power: (a, n) => a ** n,
  geometric: (x, y, terms) => geometricSum(x * y, 1 - x + x * (1 - y), terms),
};

/**
 * Participations that are looked at one by one; beyond, a block at a time, of this part of those before it.
 */
const oneByOne = 2 ** 18;
const part = 2 ** -12;

/**
 * `Σ_t (Σ_{m < times} c_{t − m gap})²` over `t < steps`, to a few roundings: the squared norm of the sum of
 * the columns `0, gap, 2 gap, …` of C.
 *
 * Between two participations every coefficient decays by its own ratio, so that each stretch is a geometric
 * sum; the cost does not depend on `steps`. Where buffers still fill after 2¹⁸ participations, later ones are
 * taken in blocks, each as its last: an upper bound, less than a hundredth too large.
 *
 * @param times - Columns; `(times − 1) gap < steps`.
 */
export function spacedColumns(
  { theta, omega }: BufferedToeplitz,
  steps: number,
  times: number,
  gap: number,
  arithmetic: Arithmetic,
): number {
  const { add, multiply, power } = arithmetic;
  const whole = times > 1 ? pairSums(theta, gap - 1, arithmetic) : [];
  const rest = pairSums(theta, steps - (times - 1) * gap - 1, arithmetic);
  const decayOfGap = theta.map((ratio) => power(ratio, gap));
  const decayToNext = theta.map((ratio) => power(ratio, gap - 1));
  const next = (scale: number, i: number): number => add(omega[i], multiply(scale, decayOfGap[i]));
  // After each participation, buffer i holds omega_i (1 + theta_i^gap + … ), as many terms as there were.
  let held = theta.map(() => 0);
  let total = 0;
  const take = (sums: readonly (readonly number[])[]): number => {
    const first = held.reduce((sum, scale, i) => add(sum, multiply(scale, decayToNext[i])), 1);
    held = held.map(next);
    return add(multiply(first, first), quadraticForm(held, sums, arithmetic));
  };
  for (let done = 0; done < times - 1;) {
    const left = times - 1 - done;
    const many = done < oneByOne ? 1 : Math.min(left, Math.floor(done * part));
    // After n more at most n omega_i + theta_i^(n gap) of what it holds, unless it is full.
    if (many > 1)
      held = held.map((scale, i) =>
        next(scale, i) <= scale
          ? scale
          : add(multiply(many - 1, omega[i]), multiply(scale, power(decayOfGap[i], many - 1))),
      );
    const before = held;
    const square = take(whole);
    // Once the buffers hold what they will always hold, all stretches but the last are alike.
    const settled = held.every((scale, i) => scale <= before[i]);
    total = add(total, multiply(settled ? left : many, square));
    if (settled) break;
    done += many;
  }
  return add(total, take(rest));
}

/** Row by row up to the diagonal. */
const pairSums = (
  theta: readonly number[],
  terms: number,
  { geometric }: Arithmetic,
): readonly (readonly number[])[] =>
  theta.map((ratio, i) => theta.slice(0, i + 1).map((other) => geometric(ratio, other, terms)));

function quadraticForm(
  vector: readonly number[],
  lower: readonly (readonly number[])[],
  { add, multiply }: Arithmetic,
): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) {
    for (let j = 0; j <= i; j++)
      sum = add(sum, multiply(multiply((i === j ? 1 : 2) * vector[i], vector[j]), lower[i][j]));
  }
  return sum;
}
