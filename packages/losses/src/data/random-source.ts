/**
 * Interface of the randomness of the generators; every `RandomSource` of `@lethe/core` implements it.
 * Uniforms lie in [0, 1); forks with different labels are independent streams.
 */
export interface DataRandom {
  /** A uniform number in `[0, 1)`. */
  uniform(): number;
  /** Fills `out` with standard normal numbers, and returns it. */
  gaussianInto(out: Float64Array): Float64Array;
  /** An independent source for each label. */
  fork(label: string): DataRandom;
}
