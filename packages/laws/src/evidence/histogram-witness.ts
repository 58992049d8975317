import { defined } from '@lethe/numerics';
import { binOf, quantileEdges } from './bins.js';
import { requireCount } from './require.js';
import type { Witness } from './witness.js';

/** A statistic, and the number of pairs before the first bet. */
export interface HistogramWitnessOptions {
  readonly name?: string;
  /** Statistic of the output; NaN is an ordinary value. @defaultValue its first coordinate */
  readonly statistic?: (y: ArrayLike<number>) => number;
  /** @defaultValue 40 */
  readonly bins?: number;
  /** Pairs that determine the bins, before any bet. @defaultValue 2000 */
  readonly warmUp?: number;
}

/**
 * Learns both distributions of a statistic as histograms, with bins of equal content from the first pairs.
 */
export function histogramWitness({
  name = 'histogram',
  statistic = (y) => y[0],
  bins = 40,
  warmUp = 2000,
}: HistogramWitnessOptions = {}): Witness {
  requireCount('bins', bins, 2);
  requireCount('warmUp', warmUp, 1);
  const nan = 2 * bins;
  const fromP = new Float64Array(nan + 1);
  const fromQ = new Float64Array(nan + 1);
  const scores = new Float64Array(nan + 1);
  const early: [number, number][] = [];
  let edges: readonly number[] | undefined;
  const place = (value: number): number => (value === value ? binOf(defined(edges), value) : nan);
  const count = (counts: Float64Array, value: number): void => {
    const bin = place(value);
    counts[bin]++;
    scores[bin] = Math.log((fromP[bin] + 0.5) / (fromQ[bin] + 0.5));
  };
  return {
    name,
    get ready() {
      return edges !== undefined;
    },
    get wait() {
      return edges === undefined ? warmUp - early.length : 0;
    },
    score: (y) => (edges === undefined ? 0 : scores[place(statistic(y))]),
    learn(x, y) {
      const pair: [number, number] = [statistic(x), statistic(y)];
      if (edges === undefined) {
        early.push(pair);
        if (early.length < warmUp) return;
        edges = quantileEdges(
          early.flat().filter((value) => value === value),
          bins,
        );
        for (const [p, q] of early) {
          count(fromP, p);
          count(fromQ, q);
        }
        early.length = 0;
        return;
      }
      count(fromP, pair[0]);
      count(fromQ, pair[1]);
    },
  };
}
