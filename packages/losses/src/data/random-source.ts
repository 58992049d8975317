/**
 * Interface of the randomness of the generators; every `RandomSource` of `@lethe/core` implements it.
 * Uniforms lie in [0, 1); forks with different labels are independent streams.
 */
export interface DataRandom {
  uniform(): number;
  gaussianInto(out: Float64Array): Float64Array;
  fork(label: string): DataRandom;
}
