import type { Mechanism } from '@lethe/core';

/**
 * Direction of a neighbour's shift: a number of coordinates,
 * each shifted by the same part of the sensitivity.
 */
export interface Direction {
  readonly name: string;
  readonly copies: number;
  readonly each: number;
}

/**
 * Shifts of norm 1 on an axis and, for vector mechanisms, along
 * the diagonal: noise for another norm fails along one of them.
 */
export function directionsOf({ norm, scalar }: Pick<Mechanism, 'norm' | 'scalar'>): readonly Direction[] {
  const diagonal = (copies: number): number => {
    if (norm === 'l1') return 1 / copies;
    return norm === 'l2' ? 1 / Math.sqrt(copies) : 1;
  };
  const axis: Direction = { name: 'one coordinate', copies: 1, each: 1 };
  return scalar === true
    ? [axis]
    : [axis, { name: 'the diagonal of 4 coordinates', copies: 4, each: diagonal(4) }];
}
