import { subjectsOf, type Subject } from '@lethe/laws';
import { gaussian, laplace } from '@lethe/mechanisms';
import { defineTight } from '../mutant.ts';
import { discreteLaplace } from '../reference/discrete-laplace.ts';

const first = (plugin: Parameters<typeof subjectsOf>[0]): Subject<'mechanism'> => subjectsOf(plugin)[0] as Subject<'mechanism'>;

export const tightLaplace = defineTight({ id: 'laplace', kind: 'mechanism', plant: () => first(laplace) });
export const tightGaussian = defineTight({ id: 'gaussian', kind: 'mechanism', plant: () => first(gaussian) });
export const tightDiscreteLaplace = defineTight({ id: 'discrete-laplace', kind: 'mechanism', plant: () => first(discreteLaplace) });
