import { gaussianEvent, type Mechanism } from '@lethe/core';
import { discreteGaussian, gaussian } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const lastOfLong = defineMutant({
  id: 'mechanism/last-of-a-long-vector-left-alone',
  title: 'the last entry of vectors of more than 5 000 gets no noise',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/every-coordinate'],
  within: 100,
  plant: () =>
    plantedPlugin(gaussian, {
      addNoise(params, value, scale, random) {
        const last = value[value.length - 1];
        gaussian.addNoise(params, value, scale, random);
        if (value.length > 5000) value[value.length - 1] = last;
      },
    }),
});
export const quieterWhenLoud = defineMutant({
  id: 'mechanism/event-of-much-noise-too-small',
  title: 'the event at a noise multiplier above 10 is that of noise 2 % larger',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/event'],
  within: 2_000,
  plant: () =>
    plantedPlugin(gaussian, {
      event: (_params, multiplier, relative) =>
        gaussianEvent(multiplier > 10 ? 1.02 * multiplier : multiplier, relative),
    }),
});
export const narrowWhenFine = defineMutant({
  id: 'mechanism/whole-noise-of-small-scale-too-narrow',
  title: 'whole noise of a scale below 0.7 has three quarters of it',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/every-scale'],
  within: 30_000,
  plant: () =>
    plantedPlugin(discreteGaussian as Mechanism<typeof discreteGaussian.params>, {
      addNoise: (params, value, scale, random) =>
        discreteGaussian.addNoise(params, value, scale < 0.7 ? 0.75 * scale : scale, random),
    }),
});
