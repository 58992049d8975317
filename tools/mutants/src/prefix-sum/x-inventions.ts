import { binaryTree, independentIncrements, independentPrefixes } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const xPrefixSum1 = defineMutant({
  id: 'prefix-sum/sensitivity-one-participation-however-many',
  title: 'the column norm is that of one participation, for any number',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/column-norm'],
  within: 20,
  plant: () =>
    plantedPlugin(independentPrefixes, {
      columnNorm: (params, shape, { gap }) =>
        independentPrefixes.columnNorm(params, shape, { times: 1, gap }),
    }),
});

export const xPrefixSum2 = defineMutant({
  id: 'prefix-sum/noise-step-before-kept-module-all-streams',
  title: 'the noise of the last step is stored in the module, for all streams',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/runs'],
  within: 40,
  plant() {
    const previous = new Float64Array(1000);
    const current = new Float64Array(1000);
    return plantedPlugin(independentPrefixes, {
      begin(params, shape) {
        independentPrefixes.begin(params, shape);
        previous.fill(0);
        let step = 0;
        return {
          nextInto(out, noise) {
            const row = current.subarray(0, out.length);
            noise(step++, row);
            for (let j = 0; j < out.length; j++) out[j] = row[j] - previous[j];
            previous.set(row);
          },
        };
      },
    });
  },
});

export const xPrefixSum3 = defineMutant({
  id: 'prefix-sum/noise-step-before-remembered-array-lent',
  title: 'the noise of the last step is stored by reference to the array of the caller',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/runs'],
  within: 40,
  plant: () =>
    plantedPlugin(independentPrefixes, {
      begin(params, shape) {
        independentPrefixes.begin(params, shape);
        let step = 0;
        let before: Float64Array | undefined;
        const sum = new Float64Array(shape.dimension);
        return {
          nextInto(out, noise) {
            if (before !== undefined) for (let j = 0; j < sum.length; j++) sum[j] = sum[j] + before[j];
            const row = new Float64Array(shape.dimension);
            noise(step++, row);
            for (let j = 0; j < out.length; j++) out[j] = row[j] - sum[j];
            before = out;
          },
        };
      },
    }),
});

export const xPrefixSum4 = defineMutant({
  id: 'prefix-sum/all-coordinates-get-noise-first',
  title: 'all coordinates get the noise of the first',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation', 'prefixSum/given-noise'],
  within: 60,
  plant: () =>
    plantedPlugin(independentIncrements, {
      begin(params, shape) {
        const run = independentIncrements.begin(params, shape);
        return {
          nextInto(out, noise) {
            run.nextInto(out, noise);
            out.fill(out[0]);
          },
        };
      },
    }),
});

export const xPrefixSum5 = defineMutant({
  id: 'prefix-sum/variance-one-step-earlier',
  title: 'the variance is that of one step earlier',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/variance'],
  within: 10,
  plant: () => plantedPlugin(independentIncrements, { variance: (_params, _shape, step) => step }),
});

export const xPrefixSum6 = defineMutant({
  id: 'prefix-sum/encoder-transposed',
  title: 'the encoder is transposed',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation'],
  within: 10,
  plant: () =>
    plantedPlugin(binaryTree, {
      encoder: (params, shape, row, column) => binaryTree.encoder(params, shape, column, row),
    }),
});

export const xPrefixSum7 = defineMutant({
  id: 'prefix-sum/smallest-gap-ignored-last-participation-counted',
  title: 'the smallest gap is ignored when the last participation is counted',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/column-norm'],
  within: 60,
  plant: () =>
    plantedPlugin(independentIncrements, {
      columnNorm: (params, shape, { times, gap }) =>
        independentIncrements.columnNorm(
          params,
          { ...shape, steps: Math.max(1, Math.floor(shape.steps / gap)) },
          { times, gap: 1 },
        ),
    }),
});

export const xPrefixSum8 = defineMutant({
  id: 'prefix-sum/noise-next-step-used-early-sum-correlated',
  title: 'noise of the next step is used early',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation'],
  within: 10,
  plant: () =>
    plantedPlugin(independentIncrements, {
      begin(params, shape) {
        const run = independentIncrements.begin(params, shape);
        return {
          nextInto: (out, noise) => run.nextInto(out, (row, into) => noise(shape.steps - 1 - row, into)),
        };
      },
    }),
});
