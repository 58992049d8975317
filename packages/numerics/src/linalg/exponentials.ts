import { engineOf, scratchEngine } from './arena.js';

/**
 * `out[i] = exp(values[i])` to about 2 units in the last place, with arguments clamped to [−708, 708].
 * Bit-identical on all platforms.
 */
export function exponentials(values: Float64Array, out: Float64Array): Float64Array {
  const engine = engineOf(values) ?? scratchEngine();
  const { staging } = engine;
  for (let from = 0; from < values.length; from += staging.length) {
    const count = Math.min(staging.length, values.length - from);
    staging.set(values.subarray(from, from + count));
    engine.kernels.exponentials(staging.byteOffset, staging.byteOffset, count);
    out.set(staging.subarray(0, count), from);
  }
  return out;
}
