import type { Claim } from '@lethe/core';

/** What every domain claims of its projection. */
export const projectionClaims: readonly Claim[] = [
  { property: 'idempotent', statement: 'a projected point lies in the set and is projected onto itself, bit for bit' },
  { property: 'non-expansive', statement: '‖Π(x) − Π(y)‖ ≤ ‖x − y‖ up to rounding' },
  { property: 'nearest', statement: '⟨x − Π(x), y − Π(x)⟩ ≤ 0 for every y in the set, up to rounding' },
  { property: 'diameter', statement: 'no two points of the set are farther apart than diameter' },
];
