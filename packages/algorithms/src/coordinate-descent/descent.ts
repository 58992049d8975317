import { plainLoops, type Loops, type Program, type Vector } from '@lethe/core';
import { emptyAverage, lazyAverage } from './lazy-average.js';

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
 * Algorithm 1: `T` rounds of `K` steps on random sets of coordinates, each round from the average of the one before. A step and
 * its share of the average take O(size of the set).
 *
 * @returns `w^T`.
 * @see Maranjyan, Sadiev and Richtárik 2024, Algorithm 1.
 */
export function* sketchedDescent({ start, rounds, innerSteps, draw, stepSizes, gradient, shrink, project, confine = project, loops = plainLoops() }: SketchedDescent): Program<Vector> {
  const everything = project === undefined ? null : Uint32Array.from(stepSizes, (_, j) => j);
  const { theta } = loops.state({ theta: start.slice() });
  for (const t of loops.rounds(rounds)) {
    const average = lazyAverage(loops.state(emptyAverage(theta)));
    for (const k of loops.rounds(innerSteps)) {
      const coordinates = draw((t - 1) * innerSteps + k - 1);
      const noisy = yield* gradient(theta, coordinates);
      for (let i = 0; i < coordinates.length; i++) {
        const j = coordinates[i]!, eta = stepSizes[j]!, moved = theta[j]! - eta * noisy[i]!;
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
