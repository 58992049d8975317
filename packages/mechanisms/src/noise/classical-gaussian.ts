import { defineMechanism, Unsupported } from '@lethe/core';
import { divideUp, logUp, multiplyUp, sqrtUp } from '@lethe/numerics';
import { gaussian } from './gaussian.js';
import { assertEpsilonDelta } from './noise-target.js';

/**
 * The same noise as {@link gaussian}, for (ε, δ) calibrated by the textbook condition: multiplier
 * `√(2 ln(1.25/δ))/ε`. The condition is proved only for ε below 1, false for large ε, and never tight. For
 * comparison with published results; otherwise use `gaussian`.
 */
export const classicalGaussian = defineMechanism({
  ...gaussian,
  name: 'classical-gaussian',
  summary: 'Adds Gaussian noise calibrated by the textbook condition, for ε below 1.',
  source: { id: 'dwork-roth-2014', item: 'Theorem 3.22' },
  claims: [
    ...gaussian.claims.filter(
      ({ property }) => property !== 'calibration' && property !== 'least-multiplier',
    ),
    {
      property: 'calibration',
      statement: 'the multiplier √(2 ln(1.25/δ))/ε for ε < 1 meets (ε, δ); other ε are refused',
    },
  ],
  multiplierFor(params, target) {
    if ('rho' in target) return gaussian.multiplierFor(params, target);
    const { epsilon, delta } = target;
    assertEpsilonDelta(epsilon, delta);
    if (delta === 0 || epsilon >= 1) {
      throw new Unsupported(
        'the classical calibration is proved for epsilon below 1 and delta above 0; ' +
          `got ${epsilon} and ${delta}. Use 'gaussian', which is calibrated exactly at every ` +
          `epsilon${delta === 0 ? ", or 'laplace', which has delta = 0" : ''}.`,
        { mechanism: 'classical-gaussian', epsilon, delta, alternatives: ['gaussian', 'laplace'] },
      );
    }
    return divideUp(sqrtUp(multiplyUp(2, logUp(divideUp(1.25, delta)))), epsilon);
  },
});
