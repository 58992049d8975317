import { defineSelector, exponentialEvent, type Ref, type Selector } from '@lethe/core';
import { none, plain, type Observer } from './common.js';

const weightsOf = (utilities: Float64Array, epsilon: number): Float64Array => {
  const best = utilities.reduce((most, utility) => Math.max(most, utility), -Infinity);
  const weights = utilities.map((utility) => Math.exp((epsilon * (utility - best)) / 2));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
};

/** The exponential mechanism, by inversion of its cumulative probabilities. */
export const selector = (observe: Observer): Selector =>
  defineSelector({
    ...plain,
    name: 'laws/exponential',
    params: none,
    numerics: 'idealised',
    event: (_params, epsilon, relative) => exponentialEvent(epsilon, relative),
    choose(_params, utilities, epsilon, random) {
      observe({ did: 'noise', scale: 2 / epsilon, entries: utilities.length, utilities: [...utilities] });
      let rest = random.uniform();
      const after = weightsOf(utilities, epsilon).findIndex((weight) => (rest -= weight) < 0);
      return after < 0 ? utilities.length - 1 : after;
    },
    probabilities: (_params, utilities, epsilon) => weightsOf(utilities, epsilon),
    regretBound: (_params, candidates, epsilon) => (2 * Math.log(candidates)) / epsilon,
  });
/** A plain reference. */
export const exponential: Ref<'selector'> = { kind: 'selector', name: 'laws/exponential', params: {} };
