import { subjectsOf, type PluginOrRef, type Subject } from '@lethe/laws';
import { clippedGaussian, countSketchMean, laplaceLatticeMean, latticeMean, mechanisms, srhtMean } from '@lethe/mechanisms';
import { defineTight } from '../mutant.js';
import { boxMean } from '../reference/box-mean.js';

const oracle = (id: string, made: () => PluginOrRef): ReturnType<typeof defineTight<'meanOracle'>> =>
  defineTight({ id, kind: 'meanOracle', plant: () => subjectsOf(made(), { registry: mechanisms })[0] as Subject<'meanOracle'> });

export const tightClippedGaussian = oracle('clipped-gaussian', () => clippedGaussian({ radius: 1 }));
export const tightCountSketchMean = oracle('count-sketch-mean', () => countSketchMean({ radius: 1, rows: 2, width: 2 }));
export const tightWideCountSketchMean = oracle('count-sketch-mean-wide', () => countSketchMean({ radius: 1, rows: 3, width: 8 }));
export const tightSrhtMean = oracle('srht-mean', () => srhtMean({ radius: 1, rows: 1 }));
export const tightWideSrhtMean = oracle('srht-mean-wide', () => srhtMean({ radius: 2, rows: 2 }));
export const tightBoxMean = oracle('box-mean', () => boxMean({ lower: -1, upper: 3 }));
export const tightLatticeMean = oracle('lattice-mean', () => latticeMean({ radius: 3, spacing: 1 }));
export const tightLaplaceLatticeMean = oracle('laplace-lattice-mean', () => laplaceLatticeMean({ radius: 1, spacing: 2 ** -10 }));
