import {
  acceleratedDpSgd,
  heavyTailedGradientDescent,
  localizedAcSa,
  noisyClippedSgd,
  onlineToBatch,
  phasedErm,
  phasedSgd,
} from '@lethe/algorithms';
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

/** Plans with one parameter left out, and takes the noise of that plan with all of them. */
const calibratedWithout =
  (name: string): Parameters<typeof preparedOtherwise>[1] =>
  (prepare, context) => {
    const { [name]: part, ...params } = context.params as Params;
    if (part === undefined || 'noiseMultiplier' in params) return prepare(context);
    const { noiseMultiplier } = prepare({ ...context, params: params as never })
      .plan as unknown as Calibrated;
    return prepare({ ...context, params: { ...(context.params as Params), noiseMultiplier } as never });
  };

/** Plans and runs with one parameter left out. */
const without =
  (name: string): Parameters<typeof preparedOtherwise>[1] =>
  (prepare, context) => {
    const { [name]: _, ...params } = context.params as Params;
    return prepare({ ...context, params: params as never });
  };

export const calibratedOnStandardMechanism = defineMutant({
  id: 'optimizer/noise-calibrated-on-the-standard-mechanism',
  title: 'the noise is calibrated for Gaussian noise, and asked for of the mechanism that is given',
  kind: 'optimizer',
  source: 'phased-erm with a mechanism by reference',
  killedBy: ['optimizer/within-budget'],
  within: 12,
  plant: () => preparedOtherwise(phasedErm, calibratedWithout('mechanism')),
});

export const calibratedOnStandardSampler = defineMutant({
  id: 'optimizer/noise-calibrated-on-the-standard-sampler',
  title: 'the noise is calibrated for the amplification of the standard sampler, whichever is given',
  kind: 'optimizer',
  source: 'localized-ac-sa with a sampler by reference',
  killedBy: ['optimizer/within-budget'],
  within: 12,
  plant: () => preparedOtherwise(localizedAcSa, calibratedWithout('sampler')),
});

export const calibratedOnStandardMean = defineMutant({
  id: 'optimizer/noise-calibrated-on-the-clipped-mean',
  title: 'the noise is calibrated for a clipped mean, and asked for of the mean that is given',
  kind: 'optimizer',
  source: 'accelerated-dp-sgd with a mean by reference',
  killedBy: ['optimizer/within-budget'],
  within: 12,
  plant: () => preparedOtherwise(acceleratedDpSgd, calibratedWithout('mean')),
});

export const givenMechanismIgnored = defineMutant({
  id: 'optimizer/given-mechanism-ignored',
  title: 'a mechanism is accepted by reference, and the noise is Gaussian',
  kind: 'optimizer',
  source: 'phased-sgd with a mechanism by reference',
  killedBy: ['optimizer/event'],
  within: 16,
  plant: () => preparedOtherwise(phasedSgd, without('mechanism')),
});

export const givenClipIgnored = defineMutant({
  id: 'optimizer/given-clip-ignored',
  title: 'a clip is accepted by reference, and differences are projected',
  kind: 'optimizer',
  source: 'online-to-batch with a clip by reference',
  killedBy: ['optimizer/event'],
  within: 16,
  plant: () => preparedOtherwise(onlineToBatch, without('clip'), { params: {} }),
});
