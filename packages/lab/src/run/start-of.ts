import { iterateDimensionOf, seededRandom, type Loss, type Resolved, type Vector } from '@lethe/core';
import type { Domain } from '@lethe/numerics';

/**
 * Start of optimizers: the point of the domain nearest to zero, or to the start that the loss defines. The
 * randomness is public, and the same for every run.
 */
export function startOf(loss: Resolved<Loss>, columns: number, domain: Domain): Vector {
  const dimension = iterateDimensionOf(loss, columns);
  const from =
    loss.plugin.start?.(loss.params, columns, seededRandom('start')) ?? new Float64Array(dimension);
  return domain.projectInto(new Float64Array(dimension), from);
}
