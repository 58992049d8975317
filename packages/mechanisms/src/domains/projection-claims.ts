import type { Claim } from '@lethe/core';

/** Claims of every domain about its projection. */
export const projectionClaims: readonly Claim[] = [
  {
    property: 'idempotent',
    statement: 'a projected point lies in the set and is projected onto itself, bit for bit',
  },
  { property: 'non-expansive', statement: '‖Π(x) − Π(y)‖ ≤ ‖x − y‖ up to rounding' },
  { property: 'nearest', statement: '⟨x − Π(x), y − Π(x)⟩ ≤ 0 for every y in the set, up to rounding' },
  { property: 'diameter', statement: 'no two points of the set are farther apart than diameter' },
  { property: 'convex', statement: 'the set is convex' },
  { property: 'tolerance', statement: 'a tolerance admits more points and never fewer' },
  { property: 'in-place', statement: 'a point may be projected in place; nothing else is changed or kept' },
  {
    property: 'refuses',
    statement: 'points that are not finite, or of another length, are refused and nothing is written',
  },
];

/** Further claim of domains whose diameter is exact. */
export const attainedDiameter: Claim = {
  property: 'diameter-attained',
  statement: 'two points of the set are as far apart as diameter, up to rounding',
};
