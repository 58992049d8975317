import type { ParamsOf } from '@lethe/core';
import { restarting } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const params = { inner: { name: 'binary-tree' }, period: 4 };
type Params = ParamsOf<typeof restarting>;

export const xPrefixSum20 = defineMutant({
  id: 'prefix-sum/every-block-begins-same-noise',
  title: 'every block begins with the same noise',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation'],
  within: 10,
  plant: () =>
    plantedPlugin(
      restarting,
      {
        begin(given: Params, shape) {
          const run = restarting.begin(given, shape);
          return {
            nextInto: (out, noise) => run.nextInto(out, (row, into) => noise(row % given.period, into)),
          };
        },
      },
      params,
    ),
});

export const xPrefixSum21 = defineMutant({
  id: 'prefix-sum/variance-forgets-finished-blocks-left',
  title: 'the variance omits finished blocks',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/variance'],
  within: 20,
  plant: () =>
    plantedPlugin(
      restarting,
      { variance: (given: Params, shape, step) => restarting.variance(given, shape, step % given.period) },
      params,
    ),
});

export const xPrefixSum22 = defineMutant({
  id: 'prefix-sum/slot-hidden-took-part-one-block-only',
  title: 'the column norm is that of a slot in one block only',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/column-norm'],
  within: 80,
  plant: () =>
    plantedPlugin(
      restarting,
      {
        columnNorm: (given: Params, shape, participation) =>
          restarting.columnNorm(
            given,
            { ...shape, steps: Math.min(given.period, shape.steps) },
            participation,
          ),
      },
      params,
    ),
});

export const xPrefixSum23 = defineMutant({
  id: 'prefix-sum/all-variances-once-first-block',
  title: 'variancesInto has the variances of the first block only',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/variance'],
  within: 20,
  plant: () =>
    plantedPlugin(
      restarting,
      {
        variancesInto(out, given: Params, shape) {
          for (let step = 0; step < out.length; step++)
            out[step] = restarting.variance(given, shape, step % given.period);
        },
      },
      params,
    ),
});
