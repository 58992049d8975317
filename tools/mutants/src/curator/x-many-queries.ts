import type { Answered, Mechanism } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { answering, optioned, withLedger, withPlugins } from './wrap.js';

export const fortiethFree = defineMutant({
  id: 'curator/every-fortieth-charge-forgotten',
  title: 'every fortieth query of a process is recorded without its charge',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/many-queries'],
  within: 3,
  plant: () =>
    optioned((options) => {
      let count = 0;
      return withLedger(options, ({ append }) => ({
        append({ effect: { charge, ...effect }, ...entry }) {
          const isFree = charge === undefined || ++count % 40 === 0;
          append({ ...entry, effect: isFree ? effect : { ...effect, charge } });
        },
      }));
    }),
});

export const tiredNoise = defineMutant({
  id: 'curator/less-noise-after-thousand-queries',
  title: 'after a thousand queries of a process noise has 0.7 of its scale',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/many-queries'],
  within: 3,
  plant: () =>
    optioned((options) => {
      let count = 0;
      return withPlugins<Mechanism>(options, 'mechanism', ({ addNoise }) => ({
        addNoise: (params, values, scale, random) => {
          addNoise(params, values, ++count > 1000 ? 0.7 * scale : scale, random);
        },
      }));
    }),
});

export const toldBeside = defineMutant({
  id: 'curator/exact-mean-beside-answer',
  title: 'a reply has the labels of the data set beside the answer',
  kind: 'curator',
  source: 'generic: a field for debugging',
  killedBy: ['curator/last-answer'],
  within: 80,
  plant: () =>
    answering((answered, query, _inner, { data }): Answered =>
      query.ask === 'mean' ? ({ ...answered, exact: data.labels } as Answered) : answered,
    ),
});
