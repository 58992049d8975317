import type { PrivacyEvent } from '@lethe/core';
import { laplace } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const assumesNothing = defineMutant({
  id: 'mechanism/floating-point-noise-event-plain-pure-differential',
  title: 'floating-point noise with an event of pure differential privacy, without assumptions',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/assumptions'],
  within: 1,
  plant: () =>
    planted(laplace, {
      event: (_params, noiseMultiplier): PrivacyEvent =>
        ({ kind: 'core/pure', v: 1, epsilon: 1 / noiseMultiplier }) as PrivacyEvent,
    }),
});
