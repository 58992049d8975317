import type { Clip, Mechanism } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { optioned, withPlugins } from './wrap.js';

export const xCurator30 = defineMutant({
  id: 'curator/whole-noise-added-real-values-exact',
  title: 'integer noise is added to real values as exact noise',
  kind: 'curator',
  source: 'mironov-2012',
  killedBy: ['curator/covered-values'],
  within: 10,
  plant: () =>
    optioned((options) => withPlugins<Mechanism>(options, 'mechanism', () => ({ numerics: 'idealised' }))),
});

export const xCurator31 = defineMutant({
  id: 'curator/noise-private-single-numbers-added-every-entry',
  title: 'scalar noise is added to every entry of a vector',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/covered-values'],
  within: 10,
  plant: () =>
    optioned((options) => ({
      ...options,
      registry: options.registry.map((plugin) =>
        plugin.kind === 'mechanism'
          ? // oxlint-disable-next-line typescript/no-unused-vars -- the field is taken out
            (({ scalar, ...rest }) => rest)(
              Object.fromEntries(Object.entries(plugin)) as unknown as Mechanism,
            )
          : plugin,
      ),
    })),
});

export const xCurator32 = defineMutant({
  id: 'curator/gradients-length-clip-not-take-released-all',
  title: 'gradients of a length that the clip refuses are released',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/covered-values'],
  within: 10,
  plant: () =>
    optioned((options) => withPlugins<Clip>(options, 'clip', () => ({ vectorLength: undefined as never }))),
});

export const acrossNorms = defineMutant({
  id: 'curator/noise-of-another-norm',
  title: 'noise for a sensitivity in l1 is added to vectors bounded in l2',
  kind: 'curator',
  source: 'generic: a Laplace mechanism beside an l2 clip',
  killedBy: ['curator/covered-values'],
  within: 40,
  plant: () => optioned((options) => withPlugins<Mechanism>(options, 'mechanism', () => ({ norm: 'l2' }))),
});

export const descentsAcrossNorms = defineMutant({
  id: 'curator/noise-of-another-norm-on-descents',
  title: 'noise for a sensitivity in l1 is added to the last point of a descent',
  kind: 'curator',
  source: 'generic: a Laplace mechanism beside an l2 bound',
  killedBy: ['curator/descend'],
  cell: 'zero-out',
  within: 40,
  plant: () => optioned((options) => withPlugins<Mechanism>(options, 'mechanism', () => ({ norm: 'l2' }))),
});
