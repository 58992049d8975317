/**
 * What the generators need of a source of randomness; every `RandomSource` of `@lethe/core` has it.
 * Uniforms lie in [0, 1); forks with different labels are independent streams.
 */
export interface DataRandom {
  uniform(): number;
  gaussianInto(out: Float64Array): Float64Array;
  fork(label: string): DataRandom;
}
