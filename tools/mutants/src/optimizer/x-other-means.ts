import { heavyTailedGradientDescent, noisyClippedSgd } from '@lethe/algorithms';
import { defineMutant } from '../mutant.js';
import { preparedOtherwise } from '../reference/spied-optimizer.js';

type Params = Readonly<Record<string, unknown>>;
interface Calibrated {
  readonly noiseMultiplier: number;
}

export const calibratedAtUnit = defineMutant({
  id: 'optimizer/noise-calibrated-on-mean-of-unit-size',
  title: 'the noise is calibrated on the mean of unit size, and asked for of the mean at the clip norm',
  kind: 'optimizer',
  source: 'noisy-clipped-sgd with a mean on a grid',
  killedBy: ['optimizer/within-budget'],
  within: 12,
  plant: () =>
    preparedOtherwise(noisyClippedSgd, (prepare, context) => {
      const params = context.params as Params;
      const atUnit = prepare({ ...context, params: { ...params, clipNorm: 1 } as never });
      const { noiseMultiplier } = atUnit.plan as unknown as Calibrated;
      return prepare({ ...context, params: { ...params, noiseMultiplier } as never });
    }),
});

export const calibratedOnAllRecords = defineMutant({
  id: 'optimizer/noise-calibrated-on-batch-of-all-records',
  title: 'the noise is calibrated on one batch of all records, and asked for over batches of some',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/within-budget'],
  within: 12,
  plant: () =>
    preparedOtherwise(heavyTailedGradientDescent, (prepare, context) => {
      const params = { ...(context.params as Params), rounds: 3, batches: 'disjoint' };
      const whole = prepare({ ...context, params: { ...params, rounds: 1 } as never });
      const { noiseMultiplier } = whole.plan as unknown as Calibrated;
      return prepare({ ...context, params: { ...params, noiseMultiplier } as never });
    }),
});
