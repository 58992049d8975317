import { subjectsOf, type Subject } from '@lethe/laws';
import {
  discreteGaussian,
  discreteLaplace,
  gaussian,
  laplace,
  mechanisms,
  skellam,
  staircase,
} from '@lethe/mechanisms';
import { defineTight } from '../mutant.js';

const first = (plugin: Parameters<typeof subjectsOf>[0]): Subject<'mechanism'> =>
  subjectsOf(plugin, { registry: mechanisms })[0] as Subject<'mechanism'>;

export const tightLaplace = defineTight({ id: 'laplace', kind: 'mechanism', plant: () => first(laplace) });
export const tightGaussian = defineTight({ id: 'gaussian', kind: 'mechanism', plant: () => first(gaussian) });
export const tightDiscreteLaplace = defineTight({
  id: 'discrete-laplace',
  kind: 'mechanism',
  plant: () => first(discreteLaplace),
});
export const tightStaircase = defineTight({
  id: 'staircase',
  kind: 'mechanism',
  plant: () => subjectsOf(staircase({ epsilon: 2 }), { registry: mechanisms })[0] as Subject<'mechanism'>,
});
export const tightDiscreteGaussian = defineTight({
  id: 'discrete-gaussian',
  kind: 'mechanism',
  plant: () => first(discreteGaussian),
});
export const tightSkellam = defineTight({ id: 'skellam', kind: 'mechanism', plant: () => first(skellam) });
