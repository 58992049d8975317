import { subjectsOf, type Subject } from '@lethe/laws';
import { linear, logistic, losses, squared } from '@lethe/losses';
import { defineTight } from '../mutant.ts';

const tight = (plugin: Parameters<typeof subjectsOf>[0] & { readonly name: string }): ReturnType<typeof defineTight<'loss'>> =>
  defineTight({ id: `loss-${plugin.name}`, kind: 'loss', plant: () => subjectsOf(plugin, { registry: losses })[0] as Subject<'loss'> });

export const tightSquared = tight(squared);
export const tightLogistic = tight(logistic);
export const tightLinear = tight(linear);
