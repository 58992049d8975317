import type { Claim } from '@lethe/core';

/** Claims of every regulariser about its proximal map. */
export const proximalClaims: readonly Claim[] = [
  { property: 'optimal', statement: '(z − p)/η is a subgradient at p = prox(z), up to rounding' },
  {
    property: 'firmly-non-expansive',
    statement: '‖p − q‖² ≤ ⟨p − q, y − z⟩ for the proximal points p of y and q of z, up to rounding',
  },
  { property: 'convex', statement: 'the function is convex' },
  { property: 'in-place', statement: 'a point may be mapped in place; nothing else is changed or kept' },
  {
    property: 'refuses',
    statement:
      'points that are not finite or of another length, and steps that are not positive, ' +
      'are refused and nothing is written',
  },
];

/** Further claims of separable regularisers. */
export const separable: Claim = {
  property: 'separable',
  statement: 'coordinate(j, z_j, η) is entry j of the proximal point of z',
};
