import { subjectsOf, type PluginOrRef, type Subject } from '@lethe/laws';
import {
  clippedMean,
  countSketchMean,
  gaussian,
  l2Clip,
  laplaceLatticeMean,
  latticeMean,
  mechanisms,
  shuffledMean,
  shuffledVectorSum,
  srhtMean,
} from '@lethe/mechanisms';
import { defineTight } from '../mutant.js';
import { boxMean } from '../reference/box-mean.js';
import { ballMean } from '../reference/ball-mean.js';

const mean = (id: string, made: () => PluginOrRef): ReturnType<typeof defineTight<'mean'>> =>
  defineTight({
    id,
    kind: 'mean',
    plant: () => subjectsOf(made(), { registry: mechanisms })[0] as Subject<'mean'>,
  });

export const tightBallMean = mean('ball-mean', () => ballMean({ radius: 1 }));
export const tightCountSketchMean = mean('count-sketch-mean', () =>
  countSketchMean({ radius: 1, rows: 2, width: 2 }),
);
export const tightWideCountSketchMean = mean('count-sketch-mean-wide', () =>
  countSketchMean({ radius: 1, rows: 3, width: 8 }),
);
export const tightSrhtMean = mean('srht-mean', () => srhtMean({ radius: 1, rows: 1 }));
export const tightWideSrhtMean = mean('srht-mean-wide', () => srhtMean({ radius: 2, rows: 2 }));
export const tightBoxMean = mean('box-mean', () => boxMean({ lower: -1, upper: 3 }));
export const tightLatticeMean = mean('lattice-mean', () => latticeMean({ radius: 3, spacing: 1 }));
export const tightLaplaceLatticeMean = mean('laplace-lattice-mean', () =>
  laplaceLatticeMean({ radius: 1, spacing: 2 ** -10 }),
);
export const tightClippedMean = mean('clipped-mean', () =>
  clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
);
export const tightShuffledMean = mean('shuffled-mean', () =>
  shuffledMean({ randomiser: shuffledVectorSum({ radius: 1, levels: 4 }) }),
);
