import { accountants, calibrator } from '@lethe/accountants';
import { gaussianEvent, repeatedEvent, sampledEvent } from '@lethe/core';
import { milliseconds } from '../case.mjs';
import { timed } from '../measure.mjs';

const adjacency = 'add-remove';

/**
 * The noise multiplier of `steps` Poisson-sampled Gaussians for ε = 1.
 * @param {number} rate
 * @param {number} steps
 * @param {number} delta
 */
function planned(rate, steps, delta) {
  const make = (/** @type {number} */ sigma) =>
    repeatedEvent(
      sampledEvent({ kind: 'core/poisson', rate }, gaussianEvent(sigma, { [adjacency]: 1 })),
      steps,
    );
  return () =>
    calibrator(accountants)({
      make,
      target: { epsilon: 1, delta },
      adjacency,
      direction: 'larger-is-private',
    });
}

/**
 * Tiny rates are hard to account: most of each loss is one atom,
 * and the relevant part is far from it. Compared with a usual rate.
 * @type {readonly import('../case.mjs').Case[]}
 */
export const planning = [1e-6, 1e-10].flatMap((delta) =>
  [1, 0.05, 5e-4, 5e-5, 1e-6, 5e-8].flatMap((rate) =>
    [1, 3, 100, 10_000, 1_000_000].map((steps) => ({
      ...milliseconds,
      name: `planning/${rate}-${steps}-${delta}`,
      what: `σ for ε = 1 at δ = ${delta}, rate ${rate}, ${steps} steps, beside rate .01, 1000 steps`,
      against: 'rate .01, 1000 steps',
      prepare: () => ({ run: timed(planned(rate, steps, delta)), other: timed(planned(0.01, 1000, delta)) }),
    })),
  ),
);
