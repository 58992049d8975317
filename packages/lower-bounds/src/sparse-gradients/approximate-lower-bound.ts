import { defineMeanErrorBound } from '@lethe/core';
import * as z from 'zod';
import { approximateBlocks } from './approximate-blocks.js';
import { blockDiagonal } from './blocks.js';
import { constants, sparseParams, sparsityFits, sparsityRule } from './common-params.js';
import { drawFingerprints } from './fingerprints.js';
import { approximateMeanRate } from './mean-rates.js';
import { ghazi } from './source.js';

const params = z
  .strictObject({
    ...sparseParams,
    delta: z.number().min(0).lt(1).describe('δ, under replace-one.'),
    probability: z
      .number()
      .positive()
      .lt(5 / 36)
      .default(1 / 50)
      .describe('ρ: the error is at least the value with this probability. For proved constants.'),
    constants,
    logDeltaPerEntry: z
      .number()
      .positive()
      .default(1)
      .describe('c of the condition ln(1/δ) ≤ c·s of the printed rate.'),
  })
  .refine(sparsityFits, sparsityRule);

/**
 * Every (ε, δ)-private estimate of the mean of records with at most s entries and ℓ2 norm L has an ℓ2 error
 * of order `L·min{1, (s ln(1/δ))^{1/4}/√(εn), √(d ln(1/δ))/(εn)}` on some records, with constant probability,
 * for `ε ≤ 1` and `ln(1/δ)` at most of order s.
 *
 * With `constants: 'proved'` the value is the bound of {@link approximateBlocks}; the condition on δ is in
 * it, since rows of random signs prove nothing for larger `ln(1/δ)`. With `'hidden'` it is the printed rate,
 * {@link approximateMeanRate}, `explicit: false`.
 */
export const approximateSparseMeanBound = defineMeanErrorBound({
  name: 'sparse-mean-approximate',
  summary: 'Error of the mean of sparse records under approximate differential privacy.',
  source: ghazi('Theorem 4.5 (Lemma 4.3)'),
  statement:
    'for every (ε, δ)-private A there are records with P[‖A − mean‖ ≥ Ω(L min{1, (s ln(1/δ))^{1/4}/√(εn), ' +
    '√(d ln(1/δ))/(εn)})] bounded below, ε ≤ 1 and ln(1/δ) ≤ c·s, which the source leaves out',
  params,
  examples: [
    { n: 12, dimension: 400, sparsity: 400, epsilon: 0.25, delta: 1e-6 },
    { n: 24, dimension: 900, sparsity: 225, epsilon: 0.2, delta: 1e-5, radius: 3, probability: 0.05 },
    { n: 40, dimension: 500, sparsity: 500, epsilon: 1, delta: 0 },
    { n: 1000, dimension: 400, sparsity: 40, epsilon: 0.5, delta: 1e-6, constants: 'hidden' },
  ],
  claims: [
    { property: 'padded', statement: 'records of zeros may be added, which divide the error' },
    {
      property: 'monotone',
      statement: 'the bound decreases as n doubles, in ε and in δ, and increases in the radius',
    },
    { property: 'homogeneous', statement: 'the bound is linear in the radius, and so are the records' },
    {
      property: 'private-answers',
      statement: 'private estimates err by the value with the stated probability, over drawn records',
      source: ghazi('Theorem 4.5'),
    },
  ],
  problem: ({ dimension, sparsity, epsilon, delta, radius }) => ({
    columns: dimension,
    radius,
    sparsity,
    target: { epsilon, delta },
    adjacency: 'replace-one',
  }),
  evaluate(given) {
    const { radius, probability } = given;
    if (given.constants === 'hidden') {
      const value = radius * approximateMeanRate(given);
      return { value, probability: null, rootMeanSquare: null, explicit: false, terms: {} };
    }
    const { error, rootMeanSquare, blocks, distinct, copies } = approximateBlocks(given);
    return {
      value: radius * error,
      probability,
      rootMeanSquare: radius * rootMeanSquare,
      explicit: true,
      terms: { blocks, distinct, copies },
    };
  },
  instance(given, random) {
    const { n, dimension, sparsity, radius } = given;
    const { blocks, distinct, copies } = approximateBlocks(given);
    const source = random.fork('signs');
    return blockDiagonal(
      {
        rows: n,
        columns: dimension,
        blocks,
        rowsPerBlock: distinct * copies,
        columnsPerBlock: sparsity,
      },
      () =>
        drawFingerprints({ distinct, copies, sparsity }, source).map(({ row, ...rest }) => ({
          ...rest,
          row: { ...row, values: row.values.map((x) => radius * x) },
        })),
    );
  },
});
