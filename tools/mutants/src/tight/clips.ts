import { subjectsOf, type Subject } from '@lethe/laws';
import { l2Clip } from '@lethe/mechanisms';
import { defineTight } from '../mutant.ts';
import { blockClip, cubeClip } from '../reference/clips.ts';

export const tightL2Clip = defineTight({ id: 'l2-clip', kind: 'clip', plant: () => subjectsOf(l2Clip({ radius: 1 }))[0] as Subject<'clip'> });
export const tightSmallL2Clip = defineTight({ id: 'l2-clip-small', kind: 'clip', plant: () => subjectsOf(l2Clip({ radius: 3e-5 }))[0] as Subject<'clip'> });
export const tightCubeClip = defineTight({ id: 'cube-clip', kind: 'clip', plant: () => subjectsOf(cubeClip({ radius: 1 }))[0] as Subject<'clip'> });
export const tightBlockClip = defineTight({ id: 'block-clip', kind: 'clip', plant: () => subjectsOf(blockClip({ each: 1, sizes: [1, 2, 1] }))[0] as Subject<'clip'> });
