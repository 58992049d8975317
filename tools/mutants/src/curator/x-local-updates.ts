import type { Clip, Loss } from '@lethe/core';
import type { DataSet } from '@lethe/curator';
import { defineMutant } from '../mutant.js';
import { answering, fieldsOf, isVector, optioned, withData, withPlugins } from './wrap.js';

const source = 'McMahan and others 2018: clipped updates';

export const updatesBeyondTheirBound = defineMutant({
  id: 'curator/local-updates-beyond-their-bound',
  title: 'answers one and a half times the average of clipped local updates',
  kind: 'curator',
  source,
  killedBy: ['curator/sensitivity'],
  cell: 'local update, zero-out',
  within: 10,
  plant: () =>
    answering((answered, query) =>
      query.ask === 'localUpdate' && isVector(answered.answer)
        ? { ...answered, answer: answered.answer.map((one) => 1.5 * one) }
        : answered,
    ),
});

/** A curator of data with another loss. */
const withLoss = (change: (loss: Loss, data: DataSet) => Partial<Loss>) =>
  optioned((options) =>
    withData(options, (data) => ({
      loss: { ...data.loss, plugin: { ...fieldsOf(data.loss.plugin), ...change(data.loss.plugin, data) } },
    })),
  );
const found = (id: string, title: string, cell: string, plant: Parameters<typeof defineMutant>[0]['plant']) =>
  defineMutant({
    id: `curator/${id}`,
    title,
    kind: 'curator',
    source,
    killedBy: ['curator/owners'],
    cell,
    within: 10,
    plant,
  });

export const updatesUnclipped = found(
  'local-updates-unclipped',
  'forgets the clip of what local steps end in',
  'local updates by all, slots of one owner, replace-one',
  () =>
    optioned((options) =>
      withPlugins<Clip>(options, 'clip', () => ({ clipInPlace: () => undefined, clipRows: undefined })),
    ),
);

export const momentumCarriedOver = found(
  'local-updates-with-momentum-of-others',
  'carries the momentum of one slot over to the next',
  'local updates by all, slots of one record, replace-one',
  () =>
    withLoss((loss) => {
      let momentum: Float64Array | null = null;
      return {
        gradientInto(params, out, at, record) {
          loss.gradientInto(params, out, at, record);
          const before = momentum;
          if (before !== null) for (let j = 0; j < out.length; j++) out[j] += before[j] / 8;
          momentum = out.slice();
        },
      };
    }),
);

export const updatesOfUnboundedRecords = found(
  'local-updates-of-records-before-their-bounds',
  'takes local steps on records as they were before they were moved within their bounds',
  'local updates by all, slots of one record, replace-one',
  () =>
    withLoss((loss) => ({
      gradientInto(params, out, at, record) {
        loss.gradientInto(params, out, at, record);
        // A record on its bound came from beyond it.
        if (Math.abs(Math.hypot(...record.features) - 4) < 1e-9)
          for (let j = 0; j < out.length; j++) out[j] *= 5;
      },
    })),
);

export const ownersCountedByRecords = found(
  'an-owner-counted-by-records',
  'counts the gradients of an owner once for each record, in place of their average',
  'mean of gradients, slots of one owner, replace-one',
  () =>
    withLoss((loss) => ({
      gradientInto(params, out, at, record) {
        loss.gradientInto(params, out, at, record);
        const count = record.labels?.[0] ?? 1;
        for (let j = 0; j < out.length; j++) out[j] *= count;
      },
    })),
);
