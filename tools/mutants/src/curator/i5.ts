import type { Mechanism, Sampler, Sensitivity } from '@lethe/core';
import { centralCurator, type CentralCuratorOptions } from '@lethe/curator';
import { defineMutant } from '../mutant.js';
import { answering, curatorOf, isVector, noising, optioned, withPlugins } from './wrap.js';

const events =
  (change: (event: Mechanism['event']) => Mechanism['event']) =>
  (options: CentralCuratorOptions): CentralCuratorOptions =>
    withPlugins<Mechanism>(options, 'mechanism', ({ event }) => ({ event: change(event) }));

export const i5a = defineMutant({
  id: 'curator/mean-over-poisson-draw-divides-how-many',
  title: 'a mean over a Poisson draw divides by the number of drawn records',
  kind: 'curator',
  source: 'I-5: the real batch size must never enter',
  killedBy: ['curator/public-normaliser'],
  within: 60,
  plant: () =>
    curatorOf((options) => {
      let realised = 0;
      const inner = centralCurator(
        withPlugins<Sampler>(options, 'sampler', ({ draw }) => ({
          draw: (params, slots, random) => {
            const rows = draw(params, slots, random);
            realised = rows.length;
            return rows;
          },
        })),
      );
      return {
        ...inner,
        answer(index, query) {
          realised = 0;
          const answered = inner.answer(index, query);
          if (query.ask === 'mean' && realised > 0 && isVector(answered.answer))
            for (let j = 0; j < answered.answer.length; j++)
              answered.answer[j] *= query.batch.normaliser / realised;
          return answered;
        },
      };
    }),
});

export const i5b = defineMutant({
  id: 'curator/mean-under-add-remove-divides-number-records',
  title: 'a mean under add-remove divides by the number of records',
  kind: 'curator',
  source: 'I-5: wrong for the mean under add-remove',
  killedBy: ['curator/public-normaliser', 'curator/public-size', 'curator/sensitivity'],
  within: 200,
  plant: () =>
    answering((answered, query, inner, { data }) => {
      if (query.ask === 'mean' && query.batch.id === 'everyone' && isVector(answered.answer))
        for (let j = 0; j < answered.answer.length; j++)
          answered.answer[j] *= inner.allRecords.normaliser / data.slots;
      return answered;
    }),
});

export const i5c = defineMutant({
  id: 'curator/scale-rounded-single-precision-downwards',
  title: 'the scale is rounded to single precision, downwards',
  kind: 'curator',
  source: 'I-5: rounded up to a scale the sampler can represent',
  killedBy: ['curator/scale'],
  within: 200,
  plant: () =>
    noising(
      (add) => (params, value, scale, random) =>
        add(params, value, Math.fround(scale * (1 - 2 ** -23)), random),
    ),
});

export const i5d = defineMutant({
  id: 'curator/event-records-larger-multiplier-reached',
  title: 'the event records a larger multiplier than the true one',
  kind: 'curator',
  source: 'I-5: the event records the multiplier so achieved',
  killedBy: ['curator/scale', 'curator/audit'],
  within: 60,
  plant: () =>
    optioned(events((event) => (params, multiplier, relative) => event(params, multiplier * 1.1, relative))),
});

export const i5e = defineMutant({
  id: 'curator/event-one-sensitivity-all-adjacencies',
  title: 'the event has one sensitivity for all adjacencies',
  kind: 'curator',
  source: 'I-5: exact ratios between adjacencies',
  killedBy: ['curator/scale'],
  within: 60,
  plant: () =>
    optioned(
      events(
        (event) => (params, multiplier) =>
          event(params, multiplier, {
            'replace-one': 1,
            'add-remove': 1,
            'zero-out': 1,
          } satisfies Sensitivity),
      ),
    ),
});

export const i5f = defineMutant({
  id: 'curator/left-over-split-still-counts-normaliser-parts',
  title: 'the remainder of a split counts in the normaliser of its parts',
  kind: 'curator',
  source: 'I-5: dropping remainders happens before',
  killedBy: ['curator/splits', 'curator/only-mechanisms-tell', 'curator/public-normaliser'],
  within: 60,
  plant: () =>
    answering((answered, query) => {
      if (query.ask !== 'split' || query.parts.by !== 'size') return answered;
      const share = query.of.normaliser / query.parts.sizes.reduce((a, b) => a + b, 0);
      return {
        ...answered,
        answer: (answered.answer as unknown as { readonly normaliser: number }[]).map((batch) => ({
          ...batch,
          normaliser: batch.normaliser * share,
        })) as never,
      };
    }),
});
