import type { Adjacency } from '@lethe/core';

/** Records as a curator is given them: rows of features with a label, without null records. */
export interface Used {
  readonly rows: readonly string[];
  readonly n: number;
}

/** What about two neighbouring releases tells them apart beyond one record; nothing where the law holds. */
export function differenceOf(a: Used, b: Used, adjacency: Adjacency): string | null {
  if (a.n !== b.n) return `means divide by ${a.n} and by ${b.n}`;
  if (adjacency === 'add-remove') {
    const apart = surplus(a.rows, b.rows) + surplus(b.rows, a.rows);
    return apart <= 1 ? null : `${apart} records are used on one side alone`;
  }
  if (a.rows.length !== b.rows.length) return `${a.rows.length} and ${b.rows.length} records are used`;
  const apart = a.rows.filter((row, slot) => row !== b.rows[slot]).length;
  return apart <= 1 ? null : `${apart} slots differ`;
}

/** How many rows of `a`, each as often as it stands there, are not in `b`. */
function surplus(a: readonly string[], b: readonly string[]): number {
  const left = new Map<string, number>();
  for (const row of b) left.set(row, (left.get(row) ?? 0) + 1);
  return a.filter((row) => {
    const there = left.get(row) ?? 0;
    left.set(row, there - 1);
    return there <= 0;
  }).length;
}
