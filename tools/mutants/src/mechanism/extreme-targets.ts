import { gaussian } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

const calibrated = (by: (target: { readonly epsilon: number; readonly delta: number }) => number) => () =>
  planted(gaussian, {
    multiplierFor: (params, target) =>
      gaussian.multiplierFor(params, target) * ('epsilon' in target ? by(target) : 1),
  });

export const tooLittleForLargeEpsilon = defineMutant({
  id: 'mechanism/calibration-too-small-above-epsilon-15',
  title: 'a fifth less noise for targets of ε above 15',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/calibration'],
  within: 200,
  plant: calibrated(({ epsilon }) => (epsilon > 15 ? 0.8 : 1)),
});

export const tooLittleForSmallDelta = defineMutant({
  id: 'mechanism/calibration-too-small-below-delta-1e-15',
  title: 'a tenth less noise for targets of δ below 1e-15',
  kind: 'mechanism',
  source: 'generic: an asymptotic branch',
  killedBy: ['mechanism/calibration'],
  within: 200,
  plant: calibrated(({ delta }) => (delta > 0 && delta < 1e-15 ? 0.9 : 1)),
});
