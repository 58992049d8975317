/**
 * Privacy losses on a grid of step `step`: `mass[i]` at
 * `(first + i)·step`, and the mass where the loss is infinite.
 */
export interface Losses {
  readonly step: number;
  readonly first: number;
  readonly mass: Float64Array;
  readonly infinite: number;
}

/** Bugs of the reference; without any it dominates the truth. */
export interface Bugs {
  readonly rounds?: 'down';
  readonly drops?: 'tail' | 'infinite';
  readonly wraps?: true;
  readonly only?: 'remove' | 'add';
}

const points = 256;
const most = 640;

/** Masses of two distributions on a range of losses between two grid points. */
export interface Slab {
  readonly p: number;
  readonly q: number;
}

/**
 * Discretisation of a pair (connect-the-dots): the mass between two grid points goes to both ends, so that
 * the totals of P and Q are unchanged. The chord lies above the profile, which is convex in e^ε.
 */
export function discretised(
  range: readonly [number, number],
  slabs: (losses: Float64Array) => readonly Slab[],
  infinite: number,
  { rounds, drops }: Bugs,
): Losses {
  const step = 2 ** Math.ceil(Math.log2(Math.max(range[1] - range[0], 1e-12) / points));
  const first = Math.floor(range[0] / step) - 1;
  const count = Math.ceil(range[1] / step) - first + 2;
  const ends = Float64Array.from({ length: count }, (_, i) => (first + i) * step);
  const mass = new Float64Array(count);
  slabs(ends).forEach(({ p, q }, i) => {
    // Beyond the range of the exponential all mass goes up.
    const share =
      q === 0 || ends[i] > 700
        ? p
        : Math.min(p, Math.max(0, (p - q * Math.exp(ends[i])) / -Math.expm1(-step)));
    if (rounds === 'down') mass[i] += p;
    else {
      mass[i] += p - share;
      mass[i + 1] += share;
    }
  });
  if (drops === 'tail') for (let i = Math.floor(count * 0.75); i < count; i++) mass[i] = 0;
  return { step, first, mass, infinite };
}

/** The losses on a grid twice as coarse; mass between its points goes up, or to both ends. */
function coarser({ step, first, mass, infinite }: Losses, { rounds }: Bugs): Losses {
  const low = Math.floor(first / 2);
  const count = Math.ceil((first + mass.length - 1) / 2) - low + 1;
  const merged = new Float64Array(count);
  // Splits p at l between l − step and l + step, preserving p and p e^−l.
  const up = 1 / (1 + Math.exp(-step));
  mass.forEach((p, i) => {
    const at = first + i;
    if (at % 2 === 0) merged[at / 2 - low] += p;
    else if (rounds === 'down') merged[Math.floor(at / 2) - low] += p;
    else {
      merged[Math.floor(at / 2) - low] += p * (1 - up);
      merged[Math.ceil(at / 2) - low] += p * up;
    }
  });
  return { step: 2 * step, first: low, mass: merged, infinite };
}

export const nothing: Losses = { step: 2 ** -60, first: 0, mass: Float64Array.of(1), infinite: 0 };

/** Losses of the composition of two releases. */
export function convolved(a: Losses, b: Losses, bugs: Bugs): Losses {
  if (a === nothing) return b;
  if (b === nothing) return a;
  let [left, right] = [a, b];
  while (left.step < right.step) left = coarser(left, bugs);
  while (right.step < left.step) right = coarser(right, bugs);
  while (left.mass.length + right.mass.length > most)
    [left, right] = [coarser(left, bugs), coarser(right, bugs)];
  const mass = new Float64Array(left.mass.length + right.mass.length - 1);
  left.mass.forEach((p, i) => {
    if (p > 0) for (let j = 0; j < right.mass.length; j++) mass[i + j] += p * right.mass[j];
  });
  // With a transform as long as the inputs, the end of the convolution wraps around to its beginning.
  const length = Math.max(left.mass.length, right.mass.length);
  if (bugs.wraps)
    for (let i = length; i < mass.length; i++) {
      mass[i - length] += mass[i];
      mass[i] = 0;
    }
  return {
    step: left.step,
    first: left.first + right.first,
    mass,
    infinite: bugs.drops === 'infinite' ? 0 : left.infinite + right.infinite * (1 - left.infinite),
  };
}

/** Losses of `count` runs, by squaring. */
export function repeated(losses: Losses, count: number, bugs: Bugs): Losses {
  let total = nothing;
  let square = losses;
  for (let left = count; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) total = convolved(total, square, bugs);
    if (left > 1) square = convolved(square, square, bugs);
  }
  return total;
}

/** δ(ε), increased by more than the rounding error. */
export function deltaOf({ step, first, mass, infinite }: Losses, epsilon: number): number {
  let sum = 0;
  for (let i = mass.length - 1; i >= 0; i--) {
    const loss = (first + i) * step;
    if (loss <= epsilon) break;
    sum -= mass[i] * Math.expm1(epsilon - loss);
  }
  return Math.min(1, infinite + (sum === 0 && infinite === 0 ? 0 : sum * (1 + 1e-8) + 1e-14));
}
