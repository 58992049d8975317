/**
 * A distribution of the privacy loss under P on the grid `step·k`,
 * `k ≥ first`. Rounded down (a lower bound of δ) or up (an upper one).
 * @see Meiser, Mohammadi 2018; Koskela, Jälkö, Honkela 2020.
 */
import { defined } from '@lethe/numerics';

export interface LossGrid {
  readonly step: number;
  readonly first: number;
  readonly masses: Float64Array;
}

/** Direction of rounding of losses and masses. */
export type Side = 'down' | 'up';

/** Rounding allowance for a whole composition: above `(terms + steps)·2^-53`. */
const grain = 2 ** -34;

/** The distribution of the sum of independent losses on one grid. */
export function convolve(a: LossGrid, b: LossGrid): LossGrid {
  const masses = new Float64Array(a.masses.length + b.masses.length - 1);
  const [ours, theirs] = [a.masses, b.masses];
  const isSquare = ours === theirs;
  for (let i = 0; i < ours.length; i++) {
    const mass = ours[i];
    if (mass === 0) continue;
    if (isSquare) {
      masses[2 * i] += mass * mass;
      for (let j = i + 1; j < ours.length; j++) masses[i + j] += 2 * mass * ours[j];
    } else for (let j = 0; j < theirs.length; j++) masses[i + j] += mass * theirs[j];
  }
  return { step: a.step, first: a.first + b.first, masses };
}

/** The distribution of the sum of `count` independent losses. */
export function power(grid: LossGrid, count: number): LossGrid {
  let result: LossGrid | undefined;
  for (let square = grid, left = count; ; square = convolve(square, square)) {
    if (left % 2 === 1) result = result === undefined ? square : convolve(result, square);
    left = Math.floor(left / 2);
    if (left === 0) return defined(result);
  }
}

/** `E (1 − e^{ε − L})₊` on the grid, rounded to `side`, without infinite losses. */
export function gridDelta({ step, first, masses }: LossGrid, epsilon: number, side: Side): number {
  let sum = 0;
  for (let i = 0; i < masses.length; i++) {
    const excess = step * (first + i) - epsilon;
    if (excess > 0) sum += masses[i] * -Math.expm1(-excess);
  }
  return side === 'down' ? sum * (1 - grain) : Math.min(1, sum * (1 + grain));
}
