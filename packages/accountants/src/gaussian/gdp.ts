import { accountantOf } from '../accountant/certify.js';
import { gaussianDelta, gaussianEpsilonLower, gaussianEpsilonUpper } from './gaussian-curve.js';
import { gaussianLimit } from '../filters/gaussian-limit.js';

const method = 'gdp';

/**
 * Gaussian differential privacy: exact for Gaussian noise, an upper bound for events above a Gaussian
 * trade-off curve.
 */
export const gdp = accountantOf({
  name: 'gdp',
  summary: 'Sums the squared μ of Gaussian differential privacy; exact for Gaussian noise without sampling.',
  source: { id: 'dong-roth-su-2022', item: 'Corollary 1 and Corollary 3.3' },
  want: 'gdp',
  filter: gaussianLimit(),
  claims: [
    {
      property: 'exact-for-gaussian',
      statement: 'For Gaussian noise without sampling both ends equal the exact cost, up to rounding.',
      source: { id: 'dong-roth-su-2022', item: 'Corollary 1' },
    },
  ],
  epsilon: ({ lower, mu, exact }, delta) => ({
    lower: gaussianEpsilonLower(lower, delta),
    upper: gaussianEpsilonUpper(mu, delta),
    exact,
    method,
  }),
  delta: ({ lower, mu, exact }, epsilon) => ({
    lower: gaussianDelta(lower, epsilon).lower,
    upper: gaussianDelta(mu, epsilon).upper,
    exact,
    method,
  }),
});
