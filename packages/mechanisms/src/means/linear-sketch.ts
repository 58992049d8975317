import { addUp, divideUp, multiplyUp, type RandomSource } from '@lethe/numerics';
import {
  InvalidParameter,
  type LinearMean,
  type MeanShape,
  type MeanRun,
  type MeanTransform,
  type Sensitivity,
  type Vector,
} from '@lethe/core';
import { ballFactor } from '../clips/clip-to-ball.js';
import { l2Clip } from '../clips/l2-clip.js';
import { assertPublicSlots } from '../samplers/slots.js';
import { assertNoiseVariance } from './checks.js';

/** A random linear map `S` with `E SᵀS` the identity. */
export interface LinearSketch {
  /** Entries of a sketch. */
  readonly length: number;
  /** Upper bound on the operator norm of this very `S` in ℓ2. */
  readonly norm: number;
  /** `S x`. */
  apply(vector: Vector): Vector;
  /** `Sᵀ y`; of a sketch of `x` an unbiased estimate of `x`. */
  transpose(sketched: Vector): Vector;
}

/** More than the rounding errors of a sketch come to. */
const roundings = 1 + 2 ** -40;

/**
 * The ℓ2 sensitivities of a mean over public slots, of records
 * in a ball, through a map that lengthens nothing.
 */
export function meanSensitivity(radius: number, slots: number): Sensitivity {
  assertPublicSlots(slots);
  const one = multiplyUp(divideUp(radius, slots), roundings);
  return { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one };
}

/** {@link sketchedMeanRun} as a linear mean: the sketch is drawn when a release begins. */
export const sketchedLinearMean = (
  radius: number,
  draw: (random: RandomSource) => LinearSketch,
): LinearMean => ({
  factor: (norm) => ballFactor(radius, norm),
  radius,
  transform: (random) => through(draw(random)),
});

const through = ({ norm, apply, transpose }: LinearSketch): MeanTransform => ({
  value: (mean) => apply(mean).map((x) => x / norm),
  finish: (noised) => transpose(noised.map((x) => x * norm)),
});

/**
 * The mean of clipped records, sketched and divided by the norm of the sketch; `Sᵀ` and that norm again undo
 * it. As the sketch is linear, it is applied once, to the mean.
 */
export function sketchedMeanRun(
  radius: number,
  { dimension, slots }: MeanShape,
  sketch: LinearSketch,
): MeanRun {
  assertPublicSlots(slots);
  const { value, finish } = through(sketch);
  const sum = new Float64Array(dimension);
  const record = new Float64Array(dimension);
  return {
    add(_slot, gradient) {
      if (gradient.length !== dimension)
        throw new InvalidParameter(
          `a vector of length ${gradient.length} was added; the mean has dimension ${dimension}`,
          { length: gradient.length, dimension },
        );
      record.set(gradient);
      l2Clip.clipInPlace({ radius }, record);
      for (let j = 0; j < dimension; j++) sum[j] += record[j];
    },
    value: () => value(sum.map((total) => total / slots)),
    finish,
  };
}

/**
 * Upper bound on `E‖answer − E answer‖²` where one sketch is shared by independent records of second moment
 * `second`, with `E‖SᵀSz − z‖² = excess ‖z‖²` for every `z`, and noise of variance `noise` on each entry is
 * multiplied by `gain` in all. Attained by records that are all the same, or of mean zero.
 */
export function sketchedVariance(
  second: number,
  slots: number,
  excess: number,
  noise: { readonly gain: number; readonly variance: number },
): number {
  assertPublicSlots(slots);
  assertNoiseVariance(noise.variance);
  return addUp(
    multiplyUp(noise.gain, noise.variance),
    multiplyUp(second, Math.max(divideUp(addUp(1, excess), slots), excess)),
  );
}

/** @throws {InvalidParameter} unless the vector has that length. */
export function assertLength(vector: Vector, length: number, what: string): void {
  if (vector.length !== length)
    throw new InvalidParameter(`${what} of length ${vector.length} was given; it must be ${length}`, {
      given: vector.length,
      length,
    });
}
