import type { ZodSchema } from '@lethe/numerics';
import type * as z from 'zod';
import type { Vector } from '../query/query.js';
import { callablePlugin, type Callable, type Plugin } from './plugin.js';

/** Increments in a stream, and the length of each. */
export interface PrefixSumShape {
  readonly steps: number;
  readonly dimension: number;
}
/** Participation of one slot: at most `times` times, at least `gap` steps apart. */
export interface Participation {
  readonly times: number;
  readonly gap: number;
}

/** The correlated noise of one stream. */
export interface PrefixSumRun {
  /**
   * Writes `(Bz)_t − (Bz)_{t−1}` for `t = 0, 1, …` in order, where row `s` of `z` is standard noise that
   * `noise(s, out)` writes; a row is the same each time it is asked for.
   */
  nextInto(out: Vector, noise: (row: number, out: Vector) => void): void;
}

/**
 * Releases running sums with correlated noise, by a factorisation `A = BC` of the all-ones lower triangle. B
 * and C are square and lower triangular: one row of noise for each step. That loses nothing: whatever more
 * independent Gaussian rows a factorisation uses, the release has the distribution of one with the Cholesky
 * factor of `BBᵀ` in place of B, and with a C that lengthens nothing.
 *
 * @see Denisov, McMahan, Rush, Smith, Thakurta 2022, Theorem 2.1.
 */
export interface PrefixSum<Params extends ZodSchema = ZodSchema> extends Plugin<'prefixSum', Params> {
  /**
   * Upper bound on the norm of `C(x − x′)` over increments that differ by at most 1 in the declared norm at
   * each step of a participation pattern. This times the increment's sensitivity is the stream's.
   */
  columnNorm(params: z.output<Params>, shape: PrefixSumShape, participation: Participation): number;
  /**
   * Variance of one entry of the running sum after step `t` (0-based), in units of the squared noise scale.
   */
  variance(params: z.output<Params>, shape: PrefixSumShape, step: number): number;
  /**
   * Writes `variance` of every step of the stream, in units of the squared noise scale; `out` has length
   * `steps`. For those that can do so at less than the cost of each.
   */
  variancesInto?(out: Vector, params: z.output<Params>, shape: PrefixSumShape): void;
  /**
   * How many vectors of the stream's dimension a run allocates, from its first step to its last. What it
   * keeps besides does not grow with the dimension.
   */
  vectorsKept?(params: z.output<Params>, shape: PrefixSumShape): number;
  /** Entry (row, column) of C; zero above the diagonal. */
  encoder(params: z.output<Params>, shape: PrefixSumShape, row: number, column: number): number;
  /** Rows from the diagonal beyond which the entries of C are zero. @defaultValue the steps of the stream */
  bandwidth?(params: z.output<Params>, shape: PrefixSumShape): number;
  /**
   * `B = I`: the running sum after step `t` carries row `t` of the noise and no other. Whole noise is taken
   * for such sums only.
   */
  readonly freshNoise?: true;
  /** The noise of one stream, from its first step. */
  begin(params: z.output<Params>, shape: PrefixSumShape): PrefixSumRun;
}

/** Declares a prefix sum; the result, called with parameters, is a reference for queries. */
export function definePrefixSum<Params extends ZodSchema>(
  definition: Omit<PrefixSum<Params>, 'kind'>,
): Callable<PrefixSum<Params>> {
  return callablePlugin({ ...definition, kind: 'prefixSum' });
}
