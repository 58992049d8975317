import { defineMeanErrorBound, InvalidParameter } from '@lethe/core';
import * as z from 'zod';
import { blockDiagonal } from './blocks.js';
import { constants, sparseParams, sparsityFits, sparsityRule } from './common-params.js';
import { pureBaseRate } from './mean-rates.js';
import { greedyPacking } from './packing.js';
import { ghazi } from './source.js';
import { closeAnswerWithin } from './supports.js';

const params = z.strictObject({ ...sparseParams, constants }).refine(sparsityFits, sparsityRule);
type Params = z.output<typeof params>;

/** Distance of the points of a packing, α₀. */
const apart = Math.SQRT1_2;

/**
 * Number of copies `n′ = min(n, ⌊ln(p/2)/ε⌋)` of a point of the packing; the other records are zero.
 *
 * @throws {InvalidParameter} where it is 0: then a randomised response over the points may be right more
 * often than not.
 */
function copiesOf({ n, epsilon }: Params, points: number): number {
  const copies = Math.min(n, Math.floor(Math.log(points / 2) / epsilon));
  if (copies >= 1) return copies;
  throw new InvalidParameter(
    `epsilon is ${epsilon} for a packing of ${points} points; the bound needs epsilon of at most ` +
      `ln(points/2) = ${Math.log(points / 2)}, so that one record does not tell its point`,
    { epsilon, points },
  );
}

/**
 * Every ε-private estimate errs by `(α₀/2)·min{1, n′/n}` with probability one half or more on records that
 * are n′ copies of a uniform point of a packing, `n′ = ⌊ln(p/2)/ε⌋`, among zeros. The packing is
 * {@link greedyPacking}, for dimensions in which it can be listed.
 *
 * With `'hidden'` it is the printed rate of Theorem 4.4, {@link pureBaseRate}.
 */
export const packingMeanBound = defineMeanErrorBound({
  name: 'sparse-mean-packing',
  summary: 'Error of the mean of copies of one point of a packing, under pure differential privacy.',
  source: ghazi('Lemma A.3 (Lemma A.1, Theorem 4.4)'),
  statement:
    'P[‖A − mean‖ ≥ (L/√8) min{1, ⌊ln(p/2)/ε⌋/n}] ≥ ½ for every ε-private A, over a packing of p points, ' +
    'where ln(p/2) ≥ ε; p ≥ (d/s − ½)^{s/2}',
  params,
  examples: [
    { n: 4, dimension: 8, sparsity: 2, epsilon: 0.5 },
    { n: 1, dimension: 12, sparsity: 1, epsilon: 1.75 },
    { n: 9, dimension: 8, sparsity: 4, epsilon: 0.3, radius: 0.5 },
    { n: 500, dimension: 14, sparsity: 4, epsilon: 0.1, constants: 'hidden' },
  ],
  claims: [
    { property: 'padded', statement: 'records of zeros may be added, which divide the error' },
    {
      property: 'separated',
      statement: 'points of the packing are at least α₀ apart',
      source: ghazi('Lemma A.1'),
    },
    {
      property: 'monotone',
      statement: 'the bound decreases as n doubles and in ε, and increases in the radius',
    },
    { property: 'homogeneous', statement: 'the bound is linear in the radius, and so are the records' },
    {
      property: 'private-answers',
      statement: 'private estimates err by the value with the stated probability, over drawn records',
      source: ghazi('Lemma A.3'),
    },
  ],
  problem: ({ dimension, sparsity, epsilon, radius }) => ({
    columns: dimension,
    radius,
    sparsity,
    target: { epsilon, delta: 0 },
    adjacency: 'replace-one',
  }),
  evaluate(given) {
    const { n, dimension, sparsity, epsilon, radius } = given;
    if (given.constants === 'hidden') {
      const value = radius * pureBaseRate(given);
      return { value, probability: null, rootMeanSquare: null, explicit: false, terms: {} };
    }
    const points = greedyPacking(dimension, sparsity).length;
    const copies = copiesOf(given, points);
    const failing = 1 - closeAnswerWithin(epsilon * copies, { logRatio: Math.log(points), distinct: true });
    const value = (radius * apart * copies) / (2 * n);
    return {
      value,
      probability: failing,
      rootMeanSquare: value * Math.sqrt(failing),
      explicit: true,
      terms: { points, copies },
    };
  },
  instance(given, random) {
    const { n, dimension, sparsity, radius } = given;
    const points = greedyPacking(dimension, sparsity);
    const copies = copiesOf(given, points.length);
    const columns = Uint32Array.from(points[random.fork('point').integer(points.length)]);
    const values = new Float64Array(sparsity).fill(radius / Math.sqrt(sparsity));
    return blockDiagonal(
      { rows: n, columns: dimension, blocks: 1, rowsPerBlock: copies, columnsPerBlock: dimension },
      () => [{ row: { columns, values }, copies }],
    );
  },
});
