import type { Program, Vector } from '@lethe/core';
import type { CoordinateDescentSubject } from '../../src/index.js';

type Descent = CoordinateDescentSubject['sketchedDescent'];
type Options = Parameters<Descent>[0];

/** What can be got wrong in the listing of Algorithm 1. */
export interface Slips {
  /** What a round ends in, from its iterates `θ⁰ … θ^K`. */
  readonly endOf?: (iterates: readonly Vector[]) => Vector;
  /** Where the next round begins, from the same and from what the round ended in. */
  readonly nextFrom?: (iterates: readonly Vector[], end: Vector) => Vector;
  /** What is added to a step, from its noisy gradient. */
  readonly stray?: (theta: Vector, slopes: Vector, coordinates: Uint32Array, stepSizes: Vector) => void;
}

export const meanOf = (vectors: readonly Vector[], count = vectors.length): Vector =>
  vectors[0].map((_, j) => vectors.reduce((sum, vector) => sum + vector[j], 0) / count);

/**
 * Algorithm 1 line by line, in O(dimension) a step, with slips.
 * Without any it is a second implementation of the descent.
 */
export const listedDescent = ({
  endOf = (iterates) => meanOf(iterates.slice(1)),
  nextFrom = (_, end) => end,
  stray,
}: Slips = {}): Descent =>
  function* listed({ start, rounds, innerSteps, draw, stepSizes, gradient }: Options): Program<Vector> {
    let from: Vector = (start as Vector).slice();
    let end = from;
    for (let t = 0; t < rounds; t++) {
      const iterates = [from];
      for (let k = 0; k < innerSteps; k++) {
        const theta = iterates[iterates.length - 1].slice();
        const coordinates = draw(t * innerSteps + k);
        const slopes = yield* gradient(theta, coordinates);
        coordinates.forEach((j, i) => {
          theta[j] = theta[j] - stepSizes[j] * slopes[i];
        });
        stray?.(theta, slopes, coordinates, stepSizes);
        iterates.push(theta);
      }
      end = endOf(iterates);
      from = nextFrom(iterates, end);
    }
    return end;
  };
