import { addUp, defineClip, InvalidParameter, multiplyUp, sqrtUp, type Moment, type Vector } from '@lethe/core';
import { l2Clip } from '@lethe/mechanisms';
import { z } from 'zod';

const source = { id: 'generic', item: 'generic' };

function clampInPlace(vector: Vector, limit: number): void {
  if (!vector.every(Number.isFinite)) { vector.fill(0); return; }
  for (let j = 0; j < vector.length; j++) vector[j] = Math.max(-limit, Math.min(limit, vector[j]));
}

/** The projection onto the cube `[−radius, radius]^d`, bounded in ℓ∞. */
export const cubeClip = defineClip({
  name: 'cube', summary: 'Clips every coordinate.', source, params: z.strictObject({ radius: z.number().positive() }), examples: [{ radius: 1 }],
  claims: [
    { property: 'bounded-norm', statement: '‖clip(z)‖∞ ≤ radius' }, { property: 'radius-attained', statement: 'by every z outside the cube' },
    { property: 'idempotent', statement: 'clip(clip(z)) = clip(z)' }, { property: 'non-expansive', statement: 'in ℓ∞' }, { property: 'scale-equivariant', statement: 'clip is homogeneous' },
    { property: 'bias-bound', statement: 'that of one coordinate' }, { property: 'bias-bound-attained', statement: 'on an axis' }, { property: 'variance-bound', statement: '4·min(radius², (E‖z‖^k)^(2/k)): both points lie in the cube' },
  ],
  norm: 'linf', isProjection: false, factor: null, radius: ({ radius }) => radius,
  clipInPlace: ({ radius }, vector) => clampInPlace(vector, radius),
  biasBound: ({ radius }, moment) => l2Clip.biasBound({ radius }, moment),
  varianceBound: ({ radius }, moment) => multiplyUp(4, l2Clip.varianceBound({ radius }, moment)),
});

/** Blocks clipped one by one, with the radius that is true of the whole: `√blocks · each`. */
export const blockClip = defineClip({
  name: 'blocks', summary: 'Clips blocks of a vector one by one.', source, params: z.strictObject({ each: z.number().positive(), sizes: z.array(z.number().int().positive()).min(1) }),
  examples: [{ each: 1, sizes: [1, 2, 1] }],
  claims: [
    { property: 'bounded-norm', statement: '‖clip(z)‖ ≤ √blocks · each' }, { property: 'radius-attained', statement: 'where every block is outside its ball' },
    { property: 'idempotent', statement: 'clip(clip(z)) = clip(z)' }, { property: 'non-expansive', statement: 'a projection onto a convex set' },
    { property: 'bias-bound', statement: 'as of one block: Σ‖z_b‖^k ≤ ‖z‖^k' }, { property: 'variance-bound', statement: 'min(blocks · each², (E‖z‖^k)^(2/k))' },
  ],
  norm: 'l2', isProjection: false, factor: null,
  radius: ({ each, sizes }) => multiplyUp(each, sqrtUp(sizes.length)),
  clipInPlace({ each, sizes }, vector) {
    const total = sizes.reduce((sum, size) => sum + size, 0);
    if (vector.length !== total) throw new InvalidParameter(`a vector of length ${vector.length} was given; the blocks have ${total} entries`, { length: vector.length, total });
    if (!vector.every(Number.isFinite)) { vector.fill(0); return; }
    let from = 0;
    for (const size of sizes) { l2Clip.clipInPlace({ radius: each }, vector.subarray(from, from + size)); from += size; }
  },
  biasBound: ({ each }, moment) => lineBound(each, moment),
  varianceBound: ({ each, sizes }, moment) => Math.min(multiplyUp(sizes.length, multiplyUp(each, each)), l2Clip.varianceBound({ radius: 1e150 }, moment)),
});

/** The line through 0 of the ℓ2 clip's bound: what is true of sums of powers of parts. */
function lineBound(radius: number, moment: Moment): number {
  l2Clip.biasBound({ radius }, moment);
  const { order, value } = moment, rest = order - 1;
  return addUp(Math.min((rest / order) ** rest / order * (value / radius ** rest), value ** (1 / order)) * (1 + 1e-12), 0);
}
