import { defineDomain, domainAt, referenceTo } from '@lethe/core';
import { intersectBall } from '@lethe/numerics';
import * as z from 'zod';
import { ballOf, ballParams } from './parameters.js';
import { projectionClaims } from './projection-claims.js';

/**
 * The points of another domain that lie in an ℓ2 ball.
 *
 * @param params - `domain`: reference to another domain of the registry; `ball`: radius and centre.
 */
export const intersectionDomain = defineDomain({
  name: 'intersection',
  summary: 'The points of another domain that lie in a Euclidean ball.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithm 4' },
  params: z.strictObject({ domain: referenceTo('domain'), ball: ballParams }),
  claims: projectionClaims,
  examples: [
    { domain: { name: 'box', params: { lower: -1, upper: 2 } }, ball: { radius: 2 } },
    { domain: { name: 'l2-ball', params: { radius: 1.5 } }, ball: { radius: 1, centre: [1, 0.5, -0.5] } },
    { domain: { name: 'simplex' }, ball: { radius: 0.7, centre: [1, 0, 0, 0] } },
    {
      domain: {
        name: 'intersection',
        params: { domain: { name: 'l1-ball', params: { radius: 2 } }, ball: { radius: 1.5 } },
      },
      ball: { radius: 1.5, centre: [0.5, 1] },
    },
  ],
  build: ({ domain, ball }, dimension, registry) =>
    intersectBall(domainAt(registry, domain, dimension), ballOf(ball, dimension)),
});
