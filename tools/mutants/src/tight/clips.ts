import { subjectsOf, type Subject } from '@lethe/laws';
import {
  automaticClip,
  blockClip,
  coordinateClip,
  domainClip,
  gradientDifferenceClip,
  l1Clip,
  l2Clip,
} from '@lethe/mechanisms';
import { defineTight } from '../mutant.js';

const only = (ref: Parameters<typeof subjectsOf>[0]): Subject<'clip'> =>
  subjectsOf(ref)[0] as Subject<'clip'>;

export const tightL2Clip = defineTight({
  id: 'l2-clip',
  kind: 'clip',
  plant: () => only(l2Clip({ radius: 1 })),
});
export const tightSmallL2Clip = defineTight({
  id: 'l2-clip-small',
  kind: 'clip',
  plant: () => only(l2Clip({ radius: 3e-5 })),
});
export const tightL1Clip = defineTight({
  id: 'l1-clip',
  kind: 'clip',
  plant: () => only(l1Clip({ radius: 7 })),
});
export const tightCoordinateClip = defineTight({
  id: 'coordinate-clip',
  kind: 'clip',
  plant: () => only(coordinateClip({ radius: 1 })),
});
export const tightBlockClip = defineTight({
  id: 'block-clip',
  kind: 'clip',
  plant: () => only(blockClip({ radii: [1, 0.1, 1], sizes: [1, 2, 1] })),
});
export const tightListedBlockClip = defineTight({
  id: 'block-clip-listed',
  kind: 'clip',
  plant: () =>
    only(
      blockClip({
        radii: [3, 40],
        coordinates: [
          [4, 0],
          [1, 2, 3],
        ],
      }),
    ),
});
export const tightAutomaticClip = defineTight({
  id: 'automatic-clip',
  kind: 'clip',
  plant: () => only(automaticClip({ radius: 1, stability: 0.1 })),
});
export const tightBoxClip = defineTight({
  id: 'box-clip',
  kind: 'clip',
  plant: () => only(domainClip({ domain: { name: 'box', params: { lower: -1, upper: 1 } }, dimension: 7 })),
});
export const tightDifferenceClip = defineTight({
  id: 'gradient-difference-clip',
  kind: 'clip',
  plant: () => only(gradientDifferenceClip({ lipschitz: 1, smoothness: 2, travel: 3, growth: 2 })),
});
