import type { Norm } from '@lethe/core';

/** A direction of a neighbour's shift: that many coordinates, each by the same part of the sensitivity. */
export interface Direction { readonly name: string; readonly copies: number; readonly each: number }

/** Shifts of norm 1 on the axis and along the diagonal: noise for one norm fails in another along one of them. */
export function directionsOf(norm: Norm): readonly Direction[] {
  const diagonal = (copies: number): number => (norm === 'l1' ? 1 / copies : norm === 'l2' ? 1 / Math.sqrt(copies) : 1);
  return [{ name: 'one coordinate', copies: 1, each: 1 }, { name: 'the diagonal of 4 coordinates', copies: 4, each: diagonal(4) }];
}
