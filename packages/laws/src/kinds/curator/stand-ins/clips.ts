import { defineClip, type Clip, type Ref, type Vector } from '@lethe/core';
import * as z from 'zod';
import { normOf } from '../../../engines/norms.js';
import { plain } from './common.js';

const params = z.strictObject({ radius: z.number().positive() });

function shrink(vector: Vector, radius: number): void {
  const length = normOf('l2', vector);
  if (!Number.isFinite(length)) {
    vector.fill(0);
    return;
  }
  if (length > radius) for (let j = 0; j < vector.length; j++) vector[j] *= radius / length;
}

const common = {
  ...plain,
  params,
  norm: 'l2',
  radius: ({ radius }: { radius: number }) => radius,
  biasBound: () => Infinity,
  varianceBound: () => Infinity,
} as const;

/** Projection to a ball: with a declared factor, without, for vectors of two entries only, and on grids. */
export const clips: readonly Clip[] = [
  defineClip({
    ...common,
    name: 'laws/ball',
    isProjection: true,
    factor: ({ radius }, norm) => (norm <= radius ? 1 : radius / norm),
    clipInPlace: ({ radius }, vector) => shrink(vector, radius),
  }),
  defineClip({
    ...common,
    name: 'laws/pair-ball',
    isProjection: false,
    factor: null,
    vectorLength: () => 2,
    clipInPlace: ({ radius }, vector) => shrink(vector, radius),
  }),
  defineClip({
    ...common,
    name: 'laws/opaque-ball',
    isProjection: false,
    factor: null,
    clipInPlace: ({ radius }, vector) => shrink(vector, radius),
  }),
  defineClip({
    ...common,
    name: 'laws/grid-ball',
    params: z.strictObject({ radius: z.number().positive(), spacing: z.number().positive() }),
    isProjection: false,
    factor: null,
    spacing: ({ spacing }) => spacing,
    clipInPlace({ radius, spacing }, vector) {
      shrink(vector, radius);
      for (let j = 0; j < vector.length; j++) vector[j] = spacing * Math.round(vector[j] / spacing);
      while (normOf('l2', vector) > radius)
        for (let j = 0; j < vector.length; j++) vector[j] = spacing * Math.trunc(vector[j] / spacing / 2);
    },
  }),
  defineClip({
    ...common,
    name: 'laws/off-grid-ball',
    params: z.strictObject({ radius: z.number().positive(), spacing: z.number().positive() }),
    isProjection: false,
    factor: null,
    spacing: ({ spacing }) => spacing,
    clipInPlace: ({ radius }, vector) => shrink(vector, radius),
  }),
];
/** A plain reference: a ball that declares a grid and leaves its points between the steps. */
export const offGridBall = (radius: number, spacing: number): Ref<'clip'> => ({
  kind: 'clip',
  name: 'laws/off-grid-ball',
  params: { radius, spacing },
});
/** A plain reference: a ball whose points are on a grid. */
export const gridBall = (radius: number, spacing: number): Ref<'clip'> => ({
  kind: 'clip',
  name: 'laws/grid-ball',
  params: { radius, spacing },
});
/** A plain reference. */
export const ball = (radius: number, name: 'ball' | 'opaque-ball' | 'pair-ball' = 'ball'): Ref<'clip'> => ({
  kind: 'clip',
  name: `laws/${name}`,
  params: { radius },
});
