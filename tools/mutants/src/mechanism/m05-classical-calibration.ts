import { classicalGaussian } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const m05 = defineMutant({
  id: 'mechanism/classical-root-2-ln-1-25-delta',
  title: 'the classical √(2 ln(1.25/δ))/ε is used for every ε',
  kind: 'mechanism',
  source: 'Balle and Wang 2018, Section 2',
  killedBy: ['mechanism/calibration'],
  within: 100,
  plant: () =>
    planted(classicalGaussian, {
      // For ε above 1, which the plugin refuses, the formula at ε =
      // ½ is rescaled, since it is proportional to 1/ε.
      multiplierFor: (params, target) =>
        'rho' in target || target.epsilon < 1
          ? classicalGaussian.multiplierFor(params, target)
          : classicalGaussian.multiplierFor(params, { ...target, epsilon: 0.5 }) * (0.5 / target.epsilon),
    }),
});
