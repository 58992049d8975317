import { ask, type Program, type PublicState, type Vector } from '@lethe/core';
import { assertResumable } from '../common/resumable.js';
import { lazyAverage, type LazyAverageState } from './lazy-average.js';

/** All that a descent remembers after a step: how many steps are done, `θ`, and the average of the round so far. */
export interface DescentState { readonly [key: string]: PublicState; readonly step: number; readonly theta: Vector; readonly average: LazyAverageState }

/** One run of {@link sketchedDescent}. */
export interface SketchedDescent {
  /** `w⁰`, or the state to go on from. Not changed. */
  readonly start: Vector | DescentState;
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
  /** Steps between places to resume from. */
  readonly checkpointEvery?: number;
}

/**
 * Algorithm 1: `T` rounds of `K` steps on random sets of coordinates, each round from the average of the one before. A step and
 * its share of the average take O(size of the set).
 *
 * @returns `w^T`.
 * @see Maranjyan, Sadiev and Richtárik 2024, Algorithm 1.
 */
export function* sketchedDescent({ start, rounds, innerSteps, draw, stepSizes, gradient, shrink, project, confine = project, checkpointEvery = Infinity }: SketchedDescent): Program<Vector> {
  const from = ArrayBuffer.isView(start) ? null : start;
  const steps = rounds * innerSteps, everything = project === undefined ? null : Uint32Array.from(stepSizes, (_, j) => j);
  assertResumable(from?.step ?? 0, steps);
  const theta = from === null ? (start as Vector).slice() : from.theta.slice();
  let average = lazyAverage(from?.average ?? theta);
  for (let step = from?.step ?? 0; step < steps; step++) {
    const coordinates = draw(step);
    const noisy = yield* gradient(theta, coordinates);
    for (let i = 0; i < coordinates.length; i++) {
      const j = coordinates[i]!, eta = stepSizes[j]!, moved = theta[j]! - eta * noisy[i]!;
      theta[j] = shrink === undefined ? moved : shrink(j, moved, eta);
    }
    project?.(theta);
    average.push(theta, everything ?? coordinates);
    if ((step + 1) % innerSteps === 0) {
      theta.set(average.value());
      confine?.(theta);
      average = lazyAverage(theta);
    }
    if ((step + 1) % checkpointEvery === 0 && step + 1 < steps) yield* ask.checkpoint({ step: step + 1, theta: theta.slice(), average: average.state() });
  }
  return theta;
}
