import { atomWitness } from './atom-witness.js';
import { histogramWitness, type HistogramWitnessOptions } from './histogram-witness.js';
import { learnedWitness } from './learned-witness.js';
import { requireCount } from './require.js';
import type { Witness } from './witness.js';

type Statistic = (y: ArrayLike<number>) => number;

const overAll: Readonly<Record<string, Statistic>> = {
  sum: (y) => fold(y, 0, (sum, x) => sum + x),
  largest: (y) => fold(y, -Infinity, Math.max),
  smallest: (y) => fold(y, Infinity, Math.min),
  'squared length': (y) => fold(y, 0, (sum, x) => sum + x * x),
};

/**
 * Histograms of revealing statistics: every coordinate of short
 * vectors, else the first and last; sum, extremes and length.
 */
export function projections(
  dimension: number,
  options: Omit<HistogramWitnessOptions, 'name' | 'statistic'> = {},
): readonly Witness[] {
  requireCount('dimension', dimension, 1);
  const coordinates = dimension <= 4 ? Array.from({ length: dimension }, (_, i) => i) : [0, dimension - 1];
  const statistics: [string, Statistic][] = [
    ...coordinates.map((i): [string, Statistic] => [`coordinate ${i}`, (y) => y[i]]),
    ...(dimension === 1 ? [] : Object.entries(overAll)),
  ];
  return statistics.map(([name, statistic]) => histogramWitness({ ...options, name, statistic }));
}

/**
 * Witnesses for unknown distributions: coarse histograms that bet after 200 pairs, fine ones that bet after
 * 2000, a direction learned from 1000, and exactly repeated values.
 *
 * @param pairs - The most pairs that they are shown: with fewer than 1600 the coarse ones bet after an
 * eighth.
 */
export function usualWitnesses(dimension: number, pairs = Infinity): readonly Witness[] {
  const warmUp = Math.max(1, Math.min(200, Math.ceil(pairs / 8)));
  const quick = projections(dimension, { bins: 10, warmUp });
  const fine = projections(dimension);
  return [
    ...quick,
    ...fine,
    ...(dimension === 1 ? [] : [learnedWitness({ dimension })]),
    atomWitness({ otherwise: histogramWitness({ name: 'first coordinate', bins: 10, warmUp }) }),
  ];
}

const fold = (y: ArrayLike<number>, start: number, step: (sum: number, x: number) => number): number => {
  let result = start;
  for (let i = 0; i < y.length; i++) result = step(result, y[i]);
  return result;
};
