import type { Characterisations, Direction, DominatingPair } from '@lethe/core';
import { lossDistributionOfCurve } from '../../amplification/index.js';
import { presentInPoisson } from '../../pairs/index.js';

/**
 * A pair that neighbours come to whose other records all contribute what the second record does: the record
 * is in the batch with probability `rate`, and otherwise the release is that of the neighbour. Known for
 * Gaussian noise, whose curve is exact.
 *
 * @param rate - Probability that the record is in the batch, rounded down.
 */
export function presentWitness(
  curve: Characterisations['gdp'] | undefined,
  rate: number,
  direction: Exclude<Direction, 'symmetric'>,
): Pick<DominatingPair, 'witness'> {
  if (curve?.exact !== true || !(curve.lower > 0 && curve.lower < Infinity && rate > 0 && rate < 1))
    return {};
  const distribution = presentInPoisson(lossDistributionOfCurve(curve.lower), rate, direction);
  return { witness: [{ distribution, count: 1 }] };
}
