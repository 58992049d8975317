import { pld } from '@lethe/accountants';
import type { CoreEvent, PrivacyEvent } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { misreading } from './plant.js';

export const lowRatesLower = defineMutant({
  id: 'accountant/rates-below-a-five-hundredth-a-tenth-lower',
  kind: 'accountant',
  title: 'Poisson rates below .002 count as a tenth less',
  source: 'generic',
  killedBy: ['accountant/low-rates'],
  within: 14,
  plant: () =>
    misreading(pld, (event) => {
      const core = event as CoreEvent;
      if (core.kind !== 'core/sampled' || core.sampler.kind !== 'core/poisson') return event;
      const { rate } = core.sampler;
      return {
        ...core,
        sampler: { ...core.sampler, rate: rate < 0.002 ? 0.9 * rate : rate },
      } as PrivacyEvent;
    }),
});
