import { defineMean } from '@lethe/core';
import { classicalGaussian } from '../noise/classical-gaussian.js';
import { projectL1Ball } from '../solvers/project-l1-ball.js';
import { ghazi } from '../sources.js';
import { l1RadiusOf, projectedGaussian } from './projection-mechanism.js';

/**
 * {@link projectionMechanism} as printed, for comparison with it: Gaussian noise by the textbook condition,
 * of variance `8·radius²·ln(1.25/δ)/(slots·ε)²` for ε below 1, and the projection onto the ℓ1 ball
 * `‖x‖₁ ≤ radius·√sparsity` alone. Answers can have an ℓ2 norm of `radius·√sparsity`, which no mean has;
 * a clip of them to `radius` never adds error.
 *
 * Records are held to both balls: with the ℓ1 ball alone the sensitivity in ℓ2 would be √sparsity times as
 * large. (The paper's Remark 2.1 allows such records.)
 *
 * @param params - As those of {@link projectionMechanism}.
 */
export const l1ProjectionMechanism = defineMean({
  ...projectedGaussian({
    nearest: (given, dimension) => {
      const l1Radius = l1RadiusOf(given, dimension);
      return (noised) => projectL1Ball(noised, l1Radius).point;
    },
    extent: l1RadiusOf,
  }),
  name: 'l1-projection',
  summary: 'Mean with textbook Gaussian noise, projected onto the ℓ1 ball, as printed.',
  claims: [
    {
      property: 'sensitivity',
      statement: '2·radius/slots in ℓ2 under replace-one, radius/slots under zero-out and add-remove',
      source: ghazi('Theorem 3.3'),
    },
    { property: 'sensitivity-attained', statement: 'by opposite records on an axis, or one' },
    { property: 'permutation-invariant', statement: 'value() is a sum over records, up to rounding' },
    {
      property: 'projected-answer',
      statement: 'finish gives the nearest point of a convex set that holds all means of bounded records',
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
        '2·radius·√sparsity · E‖ξ‖∞), V = E‖bounded z‖²; at most radius²·sparsity',
      source: ghazi('Lemma 3.1'),
    },
  ],
  mechanism: () => classicalGaussian({}),
});
