import type { ZodSchema } from '@lethe/numerics';
import { defineClip, type Clip } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { l2Clip, mechanisms } from '@lethe/mechanisms';
import type * as z from 'zod';

/** A clip with changed methods, at given parameters. */
export function plantedOn<P extends ZodSchema>(
  clip: Clip<P>,
  params: z.input<P>,
  changes: Partial<Clip<P>>,
): Subject<'clip'> {
  const { kind: _kind, ...base } = Object.fromEntries(Object.entries(clip)) as unknown as Clip<P>;
  return subjectsOf(defineClip({ ...base, name: 'planted', examples: [params], ...changes }), {
    registry: mechanisms,
  })[0] as Subject<'clip'>;
}

/** The ℓ2 clip of radius 1 with changed methods. */
export const planted = (changes: Partial<Clip<typeof l2Clip.params>>): Subject<'clip'> =>
  plantedOn(l2Clip, { radius: 1 }, changes);

/** ‖z‖₂ by the formula. */
export const norm2 = (vector: ArrayLike<number>): number =>
  Math.sqrt(Array.from(vector).reduce((sum, x) => sum + x * x, 0));
