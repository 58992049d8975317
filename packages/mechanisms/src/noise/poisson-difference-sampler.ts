import type { RandomSource } from '@lethe/core';
import { fractionOf } from './dyadic.js';
import { drawFrom, inversionTable } from './inversion.js';
import { poissonWeights } from './whole-weights.js';

/** Largest rate of one table; larger rates are sums of equal parts. */
const largestRate = 2n ** 20n;

/**
 * A sampler of the difference of two independent Poisson numbers of rate `scale²/2` each, exact: the rate is
 * a rational number, and either number, or each of its equal parts, is drawn from a table by whole numbers
 * alone.
 */
export function poissonDifferenceSampler(scale: number): (random: RandomSource) => number {
  const { numerator, denominator } = fractionOf(scale);
  const rate = numerator * numerator;
  const unit = 2n * denominator * denominator;
  const parts = rate / (unit * largestRate) + 1n;
  const count = Number(parts);
  const table = inversionTable(poissonWeights({ numerator: rate, denominator: unit * parts }));
  return (random) => {
    let difference = 0;
    for (let part = 0; part < count; part++) difference += drawFrom(table, random) - drawFrom(table, random);
    return difference;
  };
}
