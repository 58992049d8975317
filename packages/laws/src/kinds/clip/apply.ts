import type { Norm } from '@lethe/core';
import type { Row } from '../../arbitraries/vectors.js';
import type { Subject } from '../../law/subject.js';

/** Half the distance from 1 to the next double. */
export const unit = 2 ** -53;

/** The clip of a copy of a vector. */
export function clipped({ plugin, params }: Subject<'clip'>, vector: Row): Float64Array {
  const out = new Float64Array(vector);
  plugin.clipInPlace(params, out);
  return out;
}

export const radiusOf = ({ plugin, params }: Subject<'clip'>): number => plugin.radius(params);

const lengths = [1, 2, 3, 4, 5, 8, 17, 64, 257];

/** Vector lengths to test: the usual ones, or the declared one. */
export function lengthsOf({ plugin, params }: Subject<'clip'>, most = Infinity): readonly number[] {
  const only = plugin.vectorLength?.(params);
  return only === undefined ? lengths.filter((length) => length <= most) : [only];
}

/** Relative rounding error of a norm of `length` entries and a scaling. */
export const roundingOf = (length: number): number => (2 * length + 16) * unit;
/** Underflow per entry. */
export const tiniest = 2 ** -1074;

/** Symbol of a norm. */
export const named = (norm: Norm): string => ({ l1: 'ℓ1', l2: 'ℓ2', linf: 'ℓ∞' })[norm];
