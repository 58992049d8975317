import { defineClip, IncompatiblePlugins } from '@lethe/core';
import { blockLayout, blockParams, type BlockLayout, type BlockParams } from './block-layout.js';
import { clipToBall } from './clip-to-ball.js';
import { excessBound } from './excess-bound.js';
import { cappedSquareUp } from './moment.js';
import { normUp } from './norm-up.js';
import { scaledNorm } from './scaled-norm.js';

const layouts = new WeakMap<BlockParams, BlockLayout>();

function layoutOf(params: BlockParams): BlockLayout {
  const known = layouts.get(params) ?? blockLayout(params);
  layouts.set(params, known);
  return known;
}

const smallest = ({ radii }: BlockParams): number => radii.reduce((a, b) => Math.min(a, b));

/**
 * Clips each block of a vector to its own ℓ2 ball ("per-layer clipping"): the projection onto a product of
 * balls. The radius of the whole vector is `√Σ radii²`, the largest norm that all blocks together can have;
 * noise is scaled to it.
 *
 * A vector with a NaN or infinite entry becomes zero in every block. A vector of another length than the
 * blocks is refused before any entry is read.
 *
 * @param params - `radii`: one per block, positive, at most 1e280, in the unit of the vectors; and either
 * `sizes`, the lengths of consecutive blocks, or `coordinates`, the entries of each block, every entry from 0
 * up exactly once.
 */
export const blockClip = defineClip({
  name: 'blocks',
  summary: 'Projects each block of a record onto an ℓ2 ball of its own.',
  source: { id: 'mcmahan-ramage-talwar-zhang-2018', item: 'per-layer clipping' },
  params: blockParams,
  examples: [
    { radii: [1, 0.25, 3], sizes: [1, 2, 1] },
    {
      radii: [0.5, 2],
      coordinates: [
        [0, 3, 6],
        [1, 2, 4, 5, 7],
      ],
    },
    { radii: [1e-3], sizes: [5] },
  ],
  claims: [
    { property: 'bounded-norm', statement: '‖clip(z)‖ ≤ √Σ radii²' },
    { property: 'radius-attained', statement: 'where every block is outside its ball' },
    {
      property: 'non-finite-to-zero',
      statement: 'clip(z) = 0 in all blocks when an entry of z is not finite in one',
    },
    { property: 'idempotent', statement: 'clip(clip(z)) = clip(z), bit for bit' },
    { property: 'non-expansive', statement: '‖clip(y) − clip(z)‖ ≤ ‖y − z‖ up to rounding' },
    { property: 'scale-equivariant', statement: 'c·radii clip c·z to c·clip(z)' },
    {
      property: 'bias-bound',
      statement:
        'that of the ℓ2 clip at the smallest radius: a vector is at most ' +
        '‖z‖ − min radii away from the product of balls',
    },
    {
      property: 'bias-bound-attained',
      statement: 'by distributions within the block of the smallest radius',
    },
    { property: 'variance-bound', statement: 'E‖clip(z) − E clip(z)‖² ≤ min(Σ radii², (E‖z‖^k)^(2/k))' },
    {
      property: 'variance-bound-attained',
      statement: 'by symmetric distributions on two points whose blocks are in the ratio of the radii',
    },
  ],
  norm: 'l2',
  isProjection: false,
  factor: null,
  vectorLength: (params) => layoutOf(params).length,
  radius: ({ radii }) => normUp(radii),
  scaled: (params, factor) => ({ ...params, radii: params.radii.map((radius) => radius * factor) }),
  clipInPlace(params, vector) {
    const { length, each } = layoutOf(params);
    const { radii } = params;
    if (vector.length !== length) {
      throw new IncompatiblePlugins(
        `a vector of length ${vector.length} was given to a clip whose blocks have ${length} entries; ` +
          'describe blocks that cover the gradient',
        { length: vector.length, blocks: length },
      );
    }
    let finite = true;
    each(vector, (block, b) => {
      finite = clipToBall(block, radii[b], scaledNorm) && finite;
    });
    if (!finite) vector.fill(0);
  },
  biasBound: (params, moment) => excessBound(smallest(params), moment),
  varianceBound: ({ radii }, moment) => cappedSquareUp(moment, normUp(radii)),
});
