import {
  bandedColumnNormalised,
  bandedToeplitz,
  bufferedLinearToeplitz,
  squareRootToeplitz,
} from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const blt = { theta: [0.75, 0.96875], omega: [0.25, 0.125] };

export const xToeplitz11 = defineMutant({
  id: 'prefix-sum/sensitivity-buffers-one-participation-however-many',
  title: 'the column norm of buffers is that of one participation, for any number',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/column-norm'],
  within: 20,
  plant: () =>
    plantedPlugin(
      bufferedLinearToeplitz,
      {
        columnNorm: (params, shape, { times, gap }) =>
          bufferedLinearToeplitz.columnNorm(params, shape, { times: Math.min(1, times), gap }),
      },
      blt,
    ),
});

export const xToeplitz12 = defineMutant({
  id: 'prefix-sum/participations-add-like-sides-right-angles-whatever',
  title: 'the column norm grows with √times for any gap',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/column-norm'],
  within: 40,
  plant: () =>
    plantedPlugin(bandedToeplitz, {
      columnNorm: (params, shape, { times, gap }) =>
        Math.sqrt(Math.min(times, Math.floor((shape.steps - 1) / gap) + 1)) *
        bandedToeplitz.columnNorm(params, shape, { times: 1, gap }),
    }),
});

export const xToeplitz13 = defineMutant({
  id: 'prefix-sum/columns-norm-1-taken-orthogonal-inside-band',
  title: 'columns of norm 1 count as orthogonal inside the band',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/column-norm'],
  within: 40,
  plant: () =>
    plantedPlugin(bandedColumnNormalised, {
      columnNorm: (params, shape, { times, gap }) =>
        bandedColumnNormalised.columnNorm(params, shape, {
          times: Math.min(times, Math.floor((shape.steps - 1) / gap) + 1),
          gap: 1,
        }) && Math.sqrt(Math.min(times, Math.floor((shape.steps - 1) / gap) + 1)),
    }),
});

export const xToeplitz14 = defineMutant({
  id: 'prefix-sum/variance-newest-square-not-all-far',
  title: 'the variance is the newest square, not the sum so far',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/variance'],
  within: 10,
  plant: () =>
    plantedPlugin(bandedToeplitz, {
      variance: (params, shape, step) =>
        bandedToeplitz.variance(params, shape, step) -
        (step > 0 ? bandedToeplitz.variance(params, shape, step - 1) : 0),
    }),
});

export const xToeplitz15 = defineMutant({
  id: 'prefix-sum/coefficients-decay-one-step-too-early-c',
  title: 'coefficients decay one step too early: c_t instead of c_{t−1}',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation', 'prefixSum/column-norm'],
  within: 10,
  plant: () =>
    plantedPlugin(
      bufferedLinearToeplitz,
      {
        encoder: (params, shape, row, column) => {
          const entry = bufferedLinearToeplitz.encoder(params, shape, row, column);
          return column >= row
            ? entry
            : blt.theta.reduce((sum, ratio, i) => sum + blt.omega[i] * ratio ** (row - column), 0);
        },
      },
      blt,
    ),
});

export const xToeplitz16 = defineMutant({
  id: 'prefix-sum/sensitivity-ignores-gap-noise-wasted',
  title: 'the column norm ignores the gap, so that noise is wasted',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/column-norm-attained'],
  within: 80,
  plant: () =>
    plantedPlugin(
      bufferedLinearToeplitz,
      {
        columnNorm: (params, shape, { times, gap }) =>
          bufferedLinearToeplitz.columnNorm(params, shape, { times, gap: Math.min(1, gap) }),
      },
      blt,
    ),
});

export const xToeplitz17 = defineMutant({
  id: 'prefix-sum/sum-squares-root-stops-one-short',
  title: 'the sum of squares of the square root stops one term early',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/column-norm'],
  within: 20,
  plant: () =>
    plantedPlugin(squareRootToeplitz, {
      columnNorm: (params, shape, participation) =>
        squareRootToeplitz.columnNorm(
          params,
          { ...shape, steps: Math.max(1, shape.steps - 1) },
          participation,
        ),
    }),
});

export const xToeplitz18 = defineMutant({
  id: 'prefix-sum/variance-last-steps-whole-columns',
  title: 'the variance of the last steps is that of whole columns',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/variance'],
  within: 40,
  plant: () =>
    plantedPlugin(bandedColumnNormalised, {
      variance: (params, shape, step) =>
        bandedColumnNormalised.variance(params, { ...shape, steps: shape.steps + 100 }, step),
    }),
});
