import { clipBound, factBound, type Bound, type BoundedShape, type RecordBound } from '@lethe/core';
import { sumUp } from '@lethe/numerics';
import type { PublicContext } from './context.js';

/** A single whole gradient, wherever it is taken. */
export const oneGradient = ({
  dimension,
  facts,
  registry,
}: Pick<PublicContext, 'dimension' | 'facts' | 'registry'>): BoundedShape => ({
  dimension,
  iterateDimension: dimension,
  weight: 1,
  facts,
  registry,
});

/** The bound a query asks for. @throws As {@link clipBound} and {@link factBound}. */
export const recordBound = (shape: BoundedShape, bound: Bound): RecordBound =>
  bound.by === 'clip' ? clipBound(shape, bound.clip) : factBound(shape, bound.fact);

/** No bound at all: for sums that are not released. */
export const unbounded: RecordBound = Object.freeze({
  radius: Infinity,
  norm: 'l2',
  linear: { factor: () => 1, radius: Infinity },
  boundInPlace: () => undefined,
});

/** `Σ|weight|`, rounded up. */
export const weightOf = (terms: readonly { readonly weight: number }[]): number =>
  sumUp(terms.map(({ weight }) => Math.abs(weight)));
