import type { Clip, Mechanism } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { answering, fieldsOf, isVector, optioned, withPlugins } from './wrap.js';

const source = 'dp-mu2-fl: Theorem R9, whole numbers and shares of noise';

export const wholeNoiseOfOneRelease = defineMutant({
  id: 'curator/whole-stream-noise-half-scale',
  title: 'draws whole noise at half of its scale',
  kind: 'curator',
  source,
  killedBy: ['curator/whole-streams'],
  within: 10,
  plant: () =>
    optioned((options) => ({
      ...options,
      registry: options.registry.map((plugin) => {
        if (plugin.kind !== 'mechanism' || (plugin as Mechanism).numerics !== 'exact') return plugin;
        const mechanism = plugin as Mechanism;
        return {
          ...fieldsOf(mechanism),
          addNoise: (...[params, value, scale, random]: Parameters<Mechanism['addNoise']>) =>
            mechanism.addNoise(params, value, scale / 2, random),
        };
      }),
    })),
});

export const wholeStreamOffGrid = defineMutant({
  id: 'curator/whole-stream-answers-off-grid',
  title: 'answers increments of whole numbers between steps of the grid',
  kind: 'curator',
  source,
  killedBy: ['curator/whole-streams'],
  within: 10,
  plant: () =>
    answering((answered, query) =>
      query.ask === 'push' && isVector(answered.answer)
        ? { ...answered, answer: answered.answer.map((one) => one + 2 ** -9) }
        : answered,
    ),
});

export const gridOfClipBelieved = defineMutant({
  id: 'curator/whole-stream-answers-a-clip-off-its-grid',
  title: 'answers increments of a clip that declares a grid and leaves records between its points',
  kind: 'curator',
  source: 'an attack: whole noise does not hide what is between whole numbers',
  killedBy: ['curator/whole-streams'],
  within: 20,
  plant: () =>
    optioned((options) =>
      // Zero is on every grid, so that there is nothing to refuse.
      withPlugins<Clip>(options, 'clip', ({ name }) =>
        name === 'laws/off-grid-ball' ? { clipInPlace: (_params, vector) => void vector.fill(0) } : {},
      ),
    ),
});
