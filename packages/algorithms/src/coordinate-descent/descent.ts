import { plainLoops, type Loops, type Program, type PublicState, type Vector } from '@lethe/core';
import { productError, sumError } from '@lethe/numerics';
import { requireLength } from '../common/require.js';

/** Beyond it the error of a product could overflow; such products are rounded. */
const largest = 2 ** 900;

/**
 * Adds `a · b` to entry `j` of a sum kept as `sum + rest`, with an error of about `2⁻¹⁰⁵` of the largest
 * term: the order and the grouping of terms do not show in the sum rounded to a double, but for ties.
 */
export function addProduct(sum: Vector, rest: Vector, j: number, a: number, b: number): void {
  const product = a * b;
  const before = sum[j];
  const after = before + product;
  sum[j] = after;
  if (!(Math.abs(a) < largest && Math.abs(b) < largest && Math.abs(product) < largest)) return;
  rest[j] += sumError(before, product, after) + productError(a, b, product);
}

/** All that a {@link LazyAverage} remembers: a state of a run. */
export interface LazyAverageState {
  readonly [key: string]: PublicState;
  count: number;
  readonly held: Vector;
  readonly since: Vector;
  readonly sum: Vector;
  readonly rest: Vector;
}

/** The mean of vectors of which each differs from the one before in a few coordinates. */
export interface LazyAverage {
  /**
   * The next vector: it differs from the last one at most in `coordinates`.
   * O(number of coordinates); keeps nothing of its arguments.
   */
  push(next: ArrayLike<number>, coordinates: ArrayLike<number>): void;
  /**
   * The mean of what was pushed, the start not among it, and rounded once:
   * sums are kept in pairs of doubles. The start while nothing was pushed.
   */
  value(): Vector;
}

/** The state of an average to which nothing was pushed yet. */
export const emptyAverage = (start: ArrayLike<number>): LazyAverageState => {
  const zeros = (): Vector => new Float64Array(start.length);
  return { count: 0, held: Float64Array.from(start), since: zeros(), sum: zeros(), rest: zeros() };
};

/**
 * Averages iterates without touching all of their coordinates at
 * every step: of each it remembers since when it has its value.
 *
 * @param start - The vector before the first push; or a state, which is kept up to date.
 */
export function lazyAverage(start: ArrayLike<number> | LazyAverageState): LazyAverage {
  const now = 'held' in start ? start : emptyAverage(start);
  const { held, since, sum, rest } = now;
  return {
    push(next, coordinates) {
      requireLength(held.length, 'the next vector', next);
      for (let i = 0; i < coordinates.length; i++) {
        const j = coordinates[i];
        // Its old value held up to the push before this one.
        addProduct(sum, rest, j, held[j], now.count - since[j]);
        since[j] = now.count;
        held[j] = next[j];
      }
      now.count++;
    },
    value() {
      if (now.count === 0) return held.slice();
      const total = sum.slice();
      const small = rest.slice();
      for (let j = 0; j < held.length; j++) addProduct(total, small, j, held[j], now.count - since[j]);
      return total.map((large, j) => (large + small[j]) / now.count);
    },
  };
}

/** One run of {@link sketchedDescent}. */
export interface SketchedDescent {
  /** `w⁰`. Not changed. */
  readonly start: Vector;
  /** `T`. */
  readonly rounds: number;
  /** `K`. */
  readonly innerSteps: number;
  /** Coordinates of step `0, 1, …, KT − 1`; the same whenever it is asked for the same step. */
  readonly draw: (step: number) => Uint32Array;
  /** Entries `γ_j / p_j` of `ΓC`: `1/M_j` for `Γ = PM⁻¹`. */
  readonly stepSizes: Vector;
  /** A noisy gradient at `theta` along `coordinates`, one entry for each. Its arguments are lent. */
  readonly gradient: (theta: Vector, coordinates: Uint32Array) => Program<Vector>;
  /** The proximal map of a separable regulariser in coordinate `j`, at step size `eta`; none if left out. */
  readonly shrink?: (j: number, value: number, eta: number) => number;
  /** Projects `theta` in place; then all of its coordinates may have moved, and a step takes O(dimension). */
  readonly project?: (theta: Vector) => void;
  /** Projects the average of a round in place: it may leave a set by a rounding. @defaultValue `project` */
  readonly confine?: (theta: Vector) => void;
  /** Of the run. @defaultValue of one that is never stored */
  readonly loops?: Pick<Loops, 'state' | 'rounds'>;
}

/**
 * Algorithm 1: `T` rounds of `K` steps on random sets of coordinates, each round from the average of the one
 * before. A step and its share of the average take O(size of the set).
 *
 * @returns `w^T`.
 * @see Maranjyan, Sadiev and Richtárik 2024, Algorithm 1.
 */
export function* sketchedDescent({
  start,
  rounds,
  innerSteps,
  draw,
  stepSizes,
  gradient,
  shrink,
  project,
  confine = project,
  loops = plainLoops(),
}: SketchedDescent): Program<Vector> {
  const everything = project === undefined ? null : Uint32Array.from(stepSizes, (_, j) => j);
  const { theta } = loops.state({ theta: start.slice() });
  for (const t of loops.rounds(rounds)) {
    const average = lazyAverage(loops.state(emptyAverage(theta)));
    for (const k of loops.rounds(innerSteps)) {
      const coordinates = draw((t - 1) * innerSteps + k - 1);
      const noisy = yield* gradient(theta, coordinates);
      for (let i = 0; i < coordinates.length; i++) {
        const j = coordinates[i];
        const eta = stepSizes[j];
        const moved = theta[j] - eta * noisy[i];
        theta[j] = shrink === undefined ? moved : shrink(j, moved, eta);
      }
      project?.(theta);
      average.push(theta, everything ?? coordinates);
    }
    theta.set(average.value());
    confine?.(theta);
  }
  return theta;
}
