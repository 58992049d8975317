import { defineClip, type Clip } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { l2Clip, mechanisms } from '@lethe/mechanisms';

/** The ℓ2 clip of radius 1 with some of it changed. */
export function planted(changes: Partial<Clip<typeof l2Clip.params>>): Subject<'clip'> {
  const { kind: _kind, ...base } = Object.fromEntries(Object.entries(l2Clip)) as unknown as Clip<typeof l2Clip.params>;
  return subjectsOf(defineClip({ ...base, name: 'planted', examples: [{ radius: 1 }], ...changes }), { registry: mechanisms })[0] as Subject<'clip'>;
}

/** ‖z‖₂, as anybody would write it. */
export const norm2 = (vector: ArrayLike<number>): number => Math.sqrt(Array.from(vector).reduce((sum, x) => sum + x * x, 0));
