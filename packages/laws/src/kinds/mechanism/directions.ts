import type { Mechanism } from '@lethe/core';

/** A direction of a neighbour's shift: that many coordinates, each by the same part of the sensitivity. */
export interface Direction { readonly name: string; readonly copies: number; readonly each: number }

/** Shifts of norm 1 on the axis and, unless its guarantee is for single numbers, along the diagonal: noise for one norm fails in another along one of them. */
export function directionsOf({ norm, scalar }: Pick<Mechanism, 'norm' | 'scalar'>): readonly Direction[] {
  const diagonal = (copies: number): number => (norm === 'l1' ? 1 / copies : norm === 'l2' ? 1 / Math.sqrt(copies) : 1);
  const axis: Direction = { name: 'one coordinate', copies: 1, each: 1 };
  return scalar === true ? [axis] : [axis, { name: 'the diagonal of 4 coordinates', copies: 4, each: diagonal(4) }];
}
