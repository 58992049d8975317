import { defineMeanErrorBound } from '@lethe/core';
import * as z from 'zod';
import { blockDiagonal } from './blocks.js';
import { constants, sparseParams, sparsityFits, sparsityRule } from './common-params.js';
import { pureBlocks } from './pure-blocks.js';
import { pureMeanRate } from './mean-rates.js';
import { ghazi } from './source.js';
import { drawSupport } from './supports.js';

const params = z
  .strictObject({
    ...sparseParams,
    probability: z
      .number()
      .positive()
      .lt(1)
      .default(1 / 3)
      .describe('ρ: the error is at least the value with this probability. For proved constants.'),
    constants,
  })
  .refine(sparsityFits, sparsityRule);

/**
 * Every ε-private estimate of the mean of records with at most s entries and ℓ2 norm L has an ℓ2 error of
 * order `L·min{1, √(s ln(d/(εn))/(εn)), √(sd)/(εn)}` on some records, with constant probability, for `ε ≤ 1`.
 *
 * With `constants: 'proved'` the value is the bound of {@link pureBlocks} for every n, d, s and ε at which a
 * block can hold a record. With `'hidden'` it is the printed rate, {@link pureMeanRate}, `explicit: false`.
 */
export const pureSparseMeanBound = defineMeanErrorBound({
  name: 'sparse-mean-pure',
  summary: 'Error of the mean of sparse records under pure differential privacy.',
  source: ghazi('Theorem 4.1 (Lemmas 4.3, A.1, A.3)'),
  statement:
    'for every ε-private A there are records with P[‖A − mean‖ ≥ Ω(L min{1, ' +
    '√(s ln(d/(εn))/(εn)), √(sd)/(εn)})] bounded below; ' +
    'printed for every ε and s < d/2, true for ε ≤ 1. The proved bound needs no regime',
  params,
  examples: [
    { n: 40, dimension: 24, sparsity: 2, epsilon: 0.5 },
    { n: 3, dimension: 3, sparsity: 1, epsilon: 0.25 },
    { n: 60, dimension: 64, sparsity: 6, epsilon: 1, radius: 2, probability: 0.2 },
    { n: 1000, dimension: 400, sparsity: 5, epsilon: 0.5, constants: 'hidden' },
  ],
  claims: [
    { property: 'padded', statement: 'records of zeros may be added, which divide the error' },
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
    const { radius, probability } = given;
    if (given.constants === 'hidden') {
      const value = radius * pureMeanRate(given);
      return { value, probability: null, rootMeanSquare: null, explicit: false, terms: {} };
    }
    const { error, rootMeanSquare, blocks, copies, columnsPerBlock, entries } = pureBlocks(given);
    return {
      value: radius * error,
      probability,
      rootMeanSquare: radius * rootMeanSquare,
      explicit: true,
      terms: { blocks, copies, columnsPerBlock, entries },
    };
  },
  instance(given, random) {
    const { n, dimension, radius } = given;
    const { blocks, copies, columnsPerBlock, entries } = pureBlocks(given);
    const source = random.fork('supports');
    const values = new Float64Array(entries).fill(radius / Math.sqrt(entries));
    return blockDiagonal(
      { rows: n, columns: dimension, blocks, rowsPerBlock: copies, columnsPerBlock },
      () => [
        { row: { columns: drawSupport({ columns: columnsPerBlock, entries }, source), values }, copies },
      ],
    );
  },
});
