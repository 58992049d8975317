import { LetheError, type Norm } from '@lethe/core';
import type { Row } from '../../arbitraries/vectors.js';
import type { Subject } from '../../law/subject.js';

/** Half the distance from 1 to the next double. */
export const unit = 2 ** -53;

/** The clip of a vector, which is left alone. */
export function clipped({ plugin, params }: Subject<'clip'>, vector: Row): Float64Array {
  const out = Float64Array.from(vector);
  plugin.clipInPlace(params as never, out);
  return out;
}

export const radiusOf = ({ plugin, params }: Subject<'clip'>): number => plugin.radius(params as never);

const lengths = [1, 2, 3, 4, 5, 8, 17, 64, 257];

/** Whether the clip takes vectors of a length: one made for blocks of a given shape refuses others, by a typed error. */
export function takes(subject: Subject<'clip'>, length: number): boolean {
  try {
    clipped(subject, Array.from({ length }, () => 1));
    return true;
  } catch (error) {
    return !(error instanceof LetheError);
  }
}

/** The shortest length taken by a clip that takes none of the usual ones. */
function onlyLength(subject: Subject<'clip'>): number {
  for (let length = 1; length <= 1_024; length++) if (takes(subject, length)) return length;
  return 3;
}

/** Lengths that are tried and taken. */
export function lengthsOf(subject: Subject<'clip'>, most = Infinity): readonly number[] {
  const taken = lengths.filter((length) => takes(subject, length));
  const small = taken.filter((length) => length <= most);
  return small.length > 0 ? small : taken.length > 0 ? taken.slice(0, 1) : [onlyLength(subject)];
}

/** Rounding that a norm of `length` entries and a scaling may cost, relative to the result. */
export const roundingOf = (length: number): number => (2 * length + 16) * unit;
/** What underflow may cost each entry. */
export const tiniest = 2 ** -1074;

/** A norm in words. */
export const named = (norm: Norm): string => ({ l1: 'ℓ1', l2: 'ℓ2', linf: 'ℓ∞' })[norm];
