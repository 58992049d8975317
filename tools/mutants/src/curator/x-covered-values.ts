import type { Clip, Mechanism } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { optioned, withPlugins } from './wrap.js';

export const xCurator30 = defineMutant({
  id: 'curator/whole-noise-added-real-values-exact', title: 'whole noise is added to real values, as if it were as exact there', kind: 'curator', source: 'mironov-2012',
  killedBy: ['curator/covered-values'], within: 10,
  plant: () => optioned((options) => withPlugins<Mechanism>(options, 'mechanism', () => ({ numerics: 'idealised' }))),
});

export const xCurator31 = defineMutant({
  id: 'curator/noise-private-single-numbers-added-every-entry', title: 'noise that is private on single numbers is added to every entry of a vector', kind: 'curator', source: 'generic',
  killedBy: ['curator/covered-values'], within: 10,
  // oxlint-disable-next-line typescript/no-unused-vars -- the field is taken out
  plant: () => optioned((options) => ({ ...options, registry: options.registry.map((plugin) => (plugin.kind === 'mechanism' ? (({ scalar, ...rest }) => rest)(Object.fromEntries(Object.entries(plugin)) as unknown as Mechanism) : plugin)) })),
});

export const xCurator32 = defineMutant({
  id: 'curator/gradients-length-clip-not-take-released-all', title: 'gradients of a length the clip does not take are released all the same', kind: 'curator', source: 'generic',
  killedBy: ['curator/covered-values'], within: 10,
  plant: () => optioned((options) => withPlugins<Clip>(options, 'clip', () => ({ vectorLength: undefined as never }))),
});
