import { gaussian } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.ts';
import { planted } from './plant.ts';

export const m05 = defineMutant({
  id: 'M05', title: 'the classical √(2 ln(1.25/δ))/ε is used for every ε', kind: 'mechanism', source: 'Balle and Wang 2018, Section 2',
  killedBy: ['mechanism/calibration'], within: 100,
  plant: () => planted(gaussian, {
    multiplierFor: (params, target) => ('rho' in target || target.delta === 0 ? gaussian.multiplierFor(params, target) : Math.sqrt(2 * Math.log(1.25 / target.delta)) / target.epsilon),
  }),
});
