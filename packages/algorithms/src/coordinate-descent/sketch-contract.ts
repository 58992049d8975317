import { IncompatiblePlugins, type Drawn } from '@lethe/core';

/** Sums of probabilities may be off by roundings. */
const slack = 1e-9;

/**
 * Probabilities that steps can be divided by.
 *
 * @throws {IncompatiblePlugins} naming the sketch they are of.
 */
export function checkedMarginals(sketch: string, marginals: Float64Array, dimension: number): Float64Array {
  const blame = (what: string): IncompatiblePlugins => new IncompatiblePlugins(`sketch '${sketch}' ${what}; marginals are a Float64Array of ${dimension} probabilities in (0, 1], one for each coordinate. Repair the sketch, or its parameters.`, { sketch, dimension });
  if (!(marginals instanceof Float64Array)) throw blame('gives marginals that are no Float64Array');
  if (marginals.length !== dimension) throw blame(`gives ${marginals.length} marginals in ${dimension} dimensions`);
  const bad = marginals.findIndex((p) => !(p > 0 && p <= 1 + slack));
  if (bad >= 0) throw blame(`draws coordinate ${bad} with probability ${marginals[bad]}`);
  return marginals;
}

/**
 * Coordinates that a query can ask for, checked in O(coordinates).
 *
 * @throws {IncompatiblePlugins} naming the sketch that drew them.
 */
export function checkedDraw(sketch: string, drawn: Drawn, dimension: number): Drawn {
  const blame = (what: string): IncompatiblePlugins => new IncompatiblePlugins(`sketch '${sketch}' drew ${what}; a draw is { coordinates }, a Uint32Array that ascends, each below ${dimension}. Repair the sketch.`, { sketch, dimension });
  const coordinates: unknown = (drawn as Drawn | null | undefined)?.coordinates;
  if (!(coordinates instanceof Uint32Array)) throw blame('what has no coordinates in a Uint32Array');
  for (let i = 0; i < coordinates.length; i++) {
    if (coordinates[i]! >= dimension) throw blame(`coordinate ${coordinates[i]} in ${dimension} dimensions`);
    if (i > 0 && coordinates[i]! <= coordinates[i - 1]!) throw blame(`coordinate ${coordinates[i]} after ${coordinates[i - 1]}`);
  }
  return drawn;
}
