import { defineDomain } from '@lethe/core';
import { l2Ball } from '@lethe/numerics';
import { ballOf, ballParams } from './parameters.js';
import { attainedDiameter, projectionClaims } from './projection-claims.js';

/**
 * The ball `‖x − centre‖₂ ≤ radius`.
 *
 * @param params - `radius`: positive; `centre`: one number per coordinate, the origin unless given.
 */
export const l2BallDomain = defineDomain({
  name: 'l2-ball',
  summary: 'Euclidean distance from the centre at most the radius.',
  source: { id: 'lethe', item: 'definition' },
  params: ballParams,
  claims: [...projectionClaims, attainedDiameter],
  examples: [{ radius: 2 }, { radius: 0.5, centre: [1, -2, 0.5] }],
  build: (params, dimension) => l2Ball(ballOf(params, dimension)),
});
