import { subjectsOf, type PluginOrRef, type Subject } from '@lethe/laws';
import { clippedGaussian, mechanisms } from '@lethe/mechanisms';
import { defineTight } from '../mutant.ts';
import { boxMean } from '../reference/box-mean.ts';
import { countSketchMean } from '../reference/count-sketch-mean.ts';
import { roundedMean } from '../reference/rounded-mean.ts';

const oracle = (id: string, made: () => PluginOrRef): ReturnType<typeof defineTight<'meanOracle'>> =>
  defineTight({ id, kind: 'meanOracle', plant: () => subjectsOf(made(), { registry: mechanisms })[0] as Subject<'meanOracle'> });

export const tightClippedGaussian = oracle('clipped-gaussian', () => clippedGaussian({ radius: 1 }));
export const tightCountSketchMean = oracle('count-sketch-mean', () => countSketchMean({ radius: 1, rows: 2, width: 2 }));
export const tightWideCountSketchMean = oracle('count-sketch-mean-wide', () => countSketchMean({ radius: 1, rows: 3, width: 8 }));
export const tightRoundedMean = oracle('rounded-mean', () => roundedMean({ limit: 1, levels: 4 }));
export const tightBoxMean = oracle('box-mean', () => boxMean({ lower: -1, upper: 3 }));
