import { bandedColumnNormalised, bandedToeplitz, bufferedLinearToeplitz, squareRootToeplitz } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const blt = { theta: [0.75, 0.96875], omega: [0.25, 0.125] };

export const xToeplitz11 = defineMutant({
  id: 'X-TOEPLITZ-11', title: 'the sensitivity of buffers is that of one participation, however many there are', kind: 'prefixSum', source: 'generic',
  killedBy: ['prefixSum/column-norm'], within: 20,
  plant: () => plantedPlugin(bufferedLinearToeplitz, { columnNorm: (params, shape, { times, gap }) => bufferedLinearToeplitz.columnNorm(params, shape, { times: Math.min(1, times), gap }) }, blt),
});

export const xToeplitz12 = defineMutant({
  id: 'X-TOEPLITZ-12', title: 'participations add up like the sides of right angles, whatever the gap', kind: 'prefixSum', source: 'generic',
  killedBy: ['prefixSum/column-norm'], within: 40,
  plant: () => plantedPlugin(bandedToeplitz, {
    columnNorm: (params, shape, { times, gap }) => Math.sqrt(Math.min(times, Math.floor((shape.steps - 1) / gap) + 1)) * bandedToeplitz.columnNorm(params, shape, { times: 1, gap }),
  }),
});

export const xToeplitz13 = defineMutant({
  id: 'X-TOEPLITZ-13', title: 'columns of norm 1 are taken to be orthogonal inside the band', kind: 'prefixSum', source: 'generic',
  killedBy: ['prefixSum/column-norm'], within: 40,
  plant: () => plantedPlugin(bandedColumnNormalised, {
    columnNorm: (params, shape, { times, gap }) => bandedColumnNormalised.columnNorm(params, shape, { times: Math.min(times, Math.floor((shape.steps - 1) / gap) + 1), gap: 1 }) && Math.sqrt(Math.min(times, Math.floor((shape.steps - 1) / gap) + 1)),
  }),
});

export const xToeplitz14 = defineMutant({
  id: 'X-TOEPLITZ-14', title: 'the variance is that of the newest square, not of all so far', kind: 'prefixSum', source: 'generic',
  killedBy: ['prefixSum/variance'], within: 10,
  plant: () => plantedPlugin(bandedToeplitz, {
    variance: (params, shape, step) => bandedToeplitz.variance(params, shape, step) - (step > 0 ? bandedToeplitz.variance(params, shape, step - 1) : 0),
  }),
});

export const xToeplitz15 = defineMutant({
  id: 'X-TOEPLITZ-15', title: 'coefficients decay one step too early: c_t instead of c_{t−1}', kind: 'prefixSum', source: 'generic',
  killedBy: ['prefixSum/factorisation', 'prefixSum/column-norm'], within: 10,
  plant: () => plantedPlugin(bufferedLinearToeplitz, {
    encoder: (params, shape, row, column) => {
      const entry = bufferedLinearToeplitz.encoder(params, shape, row, column);
      return column >= row ? entry : blt.theta.reduce((sum, ratio, i) => sum + blt.omega[i]! * ratio ** (row - column), 0);
    },
  }, blt),
});

export const xToeplitz16 = defineMutant({
  id: 'X-TOEPLITZ-16', title: 'the sensitivity ignores the gap, so that noise is wasted', kind: 'prefixSum', source: 'generic',
  killedBy: ['prefixSum/column-norm-attained'], within: 80,
  plant: () => plantedPlugin(bufferedLinearToeplitz, {
    columnNorm: (params, shape, { times, gap }) => bufferedLinearToeplitz.columnNorm(params, shape, { times, gap: Math.min(1, gap) }),
  }, blt),
});

export const xToeplitz17 = defineMutant({
  id: 'X-TOEPLITZ-17', title: 'the sum of squares of the root stops one short', kind: 'prefixSum', source: 'generic',
  killedBy: ['prefixSum/column-norm'], within: 20,
  plant: () => plantedPlugin(squareRootToeplitz, {
    columnNorm: (params, shape, participation) => squareRootToeplitz.columnNorm(params, { ...shape, steps: Math.max(1, shape.steps - 1) }, participation),
  }),
});

export const xToeplitz18 = defineMutant({
  id: 'X-TOEPLITZ-18', title: 'the variance of the last steps is that of whole columns', kind: 'prefixSum', source: 'generic',
  killedBy: ['prefixSum/variance'], within: 40,
  plant: () => plantedPlugin(bandedColumnNormalised, { variance: (params, shape, step) => bandedColumnNormalised.variance(params, { ...shape, steps: shape.steps + 100 }, step) }),
});
