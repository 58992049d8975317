import type { Mechanism } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { answering, fieldsOf, isVector, optioned } from './wrap.js';

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
