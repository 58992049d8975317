import { defineDomain } from '@lethe/core';
import { l1Ball } from '@lethe/numerics';
import { ballOf, ballParams } from './parameters.js';
import { attainedDiameter, projectionClaims } from './projection-claims.js';

/**
 * The cross-polytope `‖x − centre‖₁ ≤ radius`.
 *
 * @param params - `radius`: positive; `centre`: one number per coordinate, the origin unless given.
 */
export const l1BallDomain = defineDomain({
  name: 'l1-ball',
  summary: 'Sum of absolute differences from the centre at most the radius.',
  source: { id: 'held-wolfe-crowder-1974', item: 'Section 4' },
  params: ballParams,
  claims: [...projectionClaims, attainedDiameter],
  examples: [{ radius: 2 }, { radius: 0.5, centre: [1, -2, 0.5] }],
  build: (params, dimension) => l1Ball(ballOf(params, dimension)),
});
