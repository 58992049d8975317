import type { DescendQuery, Mechanism, Query } from '@lethe/core';
import { centralCurator } from '@lethe/curator';
import type { Subject } from '@lethe/laws';
import { seededRandom } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { changed, curatorOf, fieldsOf, noising, optioned, withData, withPlugins } from './wrap.js';

const found = (id: string, title: string, plant: () => Subject<'curator'>) =>
  defineMutant({
    id: `curator/${id}`,
    title,
    kind: 'curator',
    source: 'generic',
    killedBy: ['curator/descend'],
    within: 120,
    plant,
  });

/** A curator that answers other descents than it is asked. */
const asking = (change: (query: DescendQuery) => DescendQuery): Subject<'curator'> =>
  changed((inner) => ({
    answer: (index, query) => inner.answer(index, query.ask === 'descend' ? change(query) : query),
  }));

/** A curator whose descents have so many times the noise they need. */
const scaled = (factorOf: (query: DescendQuery) => number): Subject<'curator'> =>
  curatorOf((options) => {
    let factor = 1;
    const inner = centralCurator(
      withPlugins<Mechanism>(options, 'mechanism', ({ addNoise }) => ({
        addNoise: (params, value, scale, random) => addNoise(params, value, factor * scale, random),
      })),
    );
    return {
      ...inner,
      answer(index, query: Query) {
        factor = query.ask === 'descend' ? factorOf(query) : 1;
        return inner.answer(index, query);
      },
    };
  });

const stepsOf = ({ steps }: DescendQuery): number => steps.reduce((sum, { count }) => sum + count, 0);

export const descentUnprojected = found(
  'descent-without-projection',
  'the steps of a descent are not projected onto its domain',
  () => asking((query) => ({ ...query, domain: { ...query.domain, params: { radius: 4 } } })),
);

export const descentLongSteps = found(
  'descent-of-long-steps',
  'a descent takes steps up to 4 over the smoothness, which move points apart',
  () =>
    optioned((options) =>
      withData(options, (data) => ({
        loss: {
          ...data.loss,
          plugin: {
            ...fieldsOf(data.loss.plugin),
            facts: (params, domain) => {
              const { smoothness, ...facts } = data.loss.plugin.facts(params, domain);
              return smoothness === undefined
                ? facts
                : { ...facts, smoothness: { ...smoothness, value: smoothness.value / 2 } };
            },
          },
        },
      })),
    ),
);

export const descentOfAnyLoss = found(
  'descent-of-any-loss',
  'a descent is answered for losses that are not said to be convex',
  () =>
    optioned((options) =>
      withData(options, (data) => ({
        loss: {
          ...data.loss,
          plugin: {
            ...fieldsOf(data.loss.plugin),
            capabilities: { ...data.loss.plugin.capabilities, convex: true },
          },
        },
      })),
    ),
);

export const descentHalfNoise = found(
  'descent-with-half-of-its-noise',
  'a descent has noise for a record that becomes null where one is replaced, or for half of that',
  () => scaled(() => 1 / 2),
);

export const descentPerBatch = found(
  'descent-sensitivity-of-a-batch',
  'the sensitivity of a descent is divided by all of its steps',
  () => scaled((query) => 1 / stepsOf(query)),
);

export const descentHalfAverage = found(
  'descent-average-of-a-middle-record',
  'the average of a descent has noise for a record in its middle, which moves half of the points',
  () => scaled(({ release }) => (release === 'average' ? 1 / 2 : 1)),
);

export const descentLateNoise = found(
  'descent-noise-of-all-steps',
  'noise on the steps of a descent is for the first record, which all steps hide, not for the last',
  () => scaled((query) => (query.noiseOn === 'steps' ? 1 / Math.sqrt(stepsOf(query)) : 1)),
);

export const descentTooMuchNoise = found(
  'descent-with-twice-its-noise',
  'a descent has twice the noise that it is charged for',
  () => scaled(() => 2),
);

export const descentLastForAverage = found(
  'descent-last-point-for-average',
  'a descent releases its last point where the average is asked for',
  () => asking((query) => (query.noiseOn === 'answer' ? { ...query, release: 'last' } : query)),
);

export const descentRereads = found(
  'descent-reads-a-record-twice',
  'the second step of a descent reads the record of the first once more',
  () =>
    optioned((options) =>
      withData(options, ({ matrix }) => {
        if ('rowStarts' in matrix || matrix.rows < 2) return {};
        const entries = Float64Array.from({ length: matrix.rows * matrix.columns }, (_, k) => {
          const row = Math.floor(k / matrix.columns);
          const from = matrix.offset + (row === 1 ? 0 : row) * matrix.rowStride;
          return matrix.data[from + (k % matrix.columns) * matrix.columnStride];
        });
        const again = { ...matrix, data: entries, offset: 0, rowStride: matrix.columns, columnStride: 1 };
        return { matrix: again, stored: again };
      }),
    ),
);

export const descentSharedNoise = found(
  'descent-steps-share-noise',
  'the steps of a descent draw the same noise',
  () => noising((add) => (params, value, scale) => add(params, value, scale, seededRandom('the same coins'))),
);
