/**
 * A source of random numbers: the keystream of a 256-bit key. The key of a fork depends only on the path of
 * labels, not on the order of forking or on draws from the parent. Streams have the same bits on every
 * platform.
 */
export interface RandomSource {
  /** `seeded` streams are reproducible and give no privacy. */
  readonly kind: 'secure' | 'seeded';
  /** Uniform on the multiples of 2⁻⁵³ strictly between 0 and 1. */
  uniform(): number;
  /**
   * Uniform on `{0, …, below − 1}`, exactly.
   *
   * @throws {InvalidParameter} unless `below` is a whole number from 1 to 2⁵³ − 1.
   */
  integer(below: number): number;
  /** Uniform on `{0, …, 2³² − 1}`. */
  bits32(): number;
  /** Uniform on `{0, …, 2⁵³ − 1}`. */
  bits53(): number;
  /** `count` uniform bytes. */
  bytes(count: number): Uint8Array;
  /** Fills `out` with independent N(0, 1), by a ziggurat over 53-bit uniforms; returns it. */
  gaussianInto(out: Float64Array): Float64Array;
  /** Fills `out` with independent Laplace(1), density `½ e^{−|x|}`; returns it. */
  laplaceInto(out: Float64Array): Float64Array;
  /** Exponential with mean 1; positive. */
  exponential(): number;
  /**
   * The fork with the label `label`. A number and a string always give different forks.
   *
   * @throws {InvalidParameter} for a number that is not finite.
   */
  fork(label: string | number): RandomSource;
  /**
   * The 32-byte key; {@link randomFromKey} recreates the source from its start. Secret if the source is
   * secret.
   */
  key(): Uint8Array;
}
