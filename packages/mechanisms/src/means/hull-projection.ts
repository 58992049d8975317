import { defineMean } from '@lethe/core';
import { l2Clip } from '../clips/l2-clip.js';
import { gaussian } from '../noise/gaussian.js';
import { projectSparseHull, sparseHullNorm } from '../solvers/sparse-hull.js';
import { ghazi } from '../sources.js';
import { projectedGaussian } from './projection-mechanism.js';

/**
 * The projection mechanism of Nikolov, Talwar and Zhang for means of sparse records: add Gaussian noise, then
 * go to the nearest point of the convex hull H of all that records can be, the vectors of at most `sparsity`
 * entries and ℓ2 norm at most `radius`. {@link projectionMechanism} goes to a larger set.
 *
 * For every noise ξ the squared error is at most twice `radius` times the ℓ2 norm of the `sparsity` largest
 * entries of ξ, which is no more than the bound of Lemma 3.1.
 *
 * A record z outside of H is scaled to its border, `z·radius/‖z‖_H` with {@link sparseHullNorm}; sparse ones
 * within the radius stay as they are. Bounds on bias and variance are those of {@link projectionMechanism}:
 * `‖z‖_H ≤ ‖z‖₂·√(dimension/sparsity)`.
 *
 * @param params - As those of {@link projectionMechanism}.
 */
export const hullProjectionMechanism = defineMean({
  ...projectedGaussian({
    bound({ radius, sparsity }, record) {
      l2Clip.clipInPlace({ radius }, record);
      const by = radius / sparseHullNorm(record, sparsity);
      if (by < 1) for (let j = 0; j < record.length; j++) record[j] *= by;
    },
    nearest: (given) => (noised) => projectSparseHull(noised, given),
    extent: ({ radius }) => radius,
  }),
  name: 'hull-projection',
  summary: 'Mean with Gaussian noise, projected onto the convex hull of sparse records.',
  source: ghazi('Section 3.1, after Nikolov, Talwar and Zhang 2013'),
  claims: [
    {
      property: 'sensitivity',
      statement: '2·radius/slots in ℓ2 under replace-one, radius/slots under zero-out and add-remove',
    },
    { property: 'sensitivity-attained', statement: 'by opposite records on an axis, or one' },
    { property: 'permutation-invariant', statement: 'value() is a sum over records, up to rounding' },
    {
      property: 'nearest-answer',
      statement:
        'finish gives the point nearest to the noised value among all that means of bounded records can be',
    },
    {
      property: 'bias-bound',
      statement:
        'sup E(‖z‖ − radius·min(1, √(sparsity/dimension)))₊ from bounding records, ' +
        'and E‖bounded z‖ from the projection of symmetric noise of any scale',
    },
    {
      property: 'variance-bound',
      statement:
        'V/slots + min(dimension · noise variance, ' +
        '2·radius·√sparsity · E‖ξ‖∞), V = E‖bounded z‖²; at most radius²',
      source: ghazi('Lemma 3.1'),
    },
  ],
  mechanism: () => gaussian({}),
  // Its factor is of a norm of its own.
  linear: () => null,
});
