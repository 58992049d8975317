import type { Answered, Mechanism, Query, Vector } from '@lethe/core';
import { centralCurator, type CentralCuratorOptions } from '@lethe/curator';
import type { Subject } from '@lethe/laws';
import { defineMutant } from '../mutant.js';
import { answering, curatorOf, isVector, withPlugins } from './wrap.js';

/** The value after a mechanism, and its scale. */
interface Noised {
  readonly value: Vector;
  readonly scale: number;
}

/** A curator that changes its answers, given the outputs of its mechanisms. */
const fromNoised = (
  change: (answered: Answered, query: Query, noised: Noised, options: CentralCuratorOptions) => Answered,
): Subject<'curator'> =>
  curatorOf((options) => {
    let last: Noised | undefined;
    const inner = centralCurator(
      withPlugins<Mechanism>(options, 'mechanism', ({ addNoise }) => ({
        addNoise(params, value, scale, random) {
          addNoise(params, value, scale, random);
          last = { value: value.slice(), scale };
        },
      })),
    );
    return {
      ...inner,
      answer(index, query) {
        last = undefined;
        const answered = inner.answer(index, query);
        return last === undefined || query.ask === 'push' ? answered : change(answered, query, last, options);
      },
    };
  });

/** A replaced answer, of the same type. */
const retold = (answered: Answered, value: Vector): Answered => ({
  ...answered,
  answer: typeof answered.answer === 'number' ? value[0] : value,
});

export const xCurator60 = defineMutant({
  id: 'curator/answers-leave-all-bits-sum-value-noise',
  title: 'answers are not rounded',
  kind: 'curator',
  source: 'mironov-2012',
  killedBy: ['curator/public-grid'],
  within: 100,
  plant: () => fromNoised((answered, _query, { value }) => retold(answered, value)),
});

export const xCurator61 = defineMutant({
  id: 'curator/answers-rounded-many-digits-grid-follows-records',
  title: 'answers are rounded to significant digits, so that the grid depends on the records',
  kind: 'curator',
  source: 'mironov-2012',
  killedBy: ['curator/public-grid'],
  within: 100,
  plant: () => fromNoised((answered, _query, { value }) => retold(answered, value.map(Math.fround))),
});

export const xCurator62 = defineMutant({
  id: 'curator/grid-coarser-records-longer',
  title: 'the grid is coarser for longer records',
  kind: 'curator',
  source: 'generic: a step relative to the data',
  killedBy: ['curator/public-grid'],
  within: 100,
  plant: () =>
    fromNoised((answered, _query, { value, scale }, { data }) => {
      const step = 2 ** (Math.floor(Math.log2(scale)) - (Math.max(...data.norms) > 1 ? 10 : 16));
      return retold(
        answered,
        value.map((x) => Math.round(x / step) * step + 0),
      );
    }),
});

export const xCurator63 = defineMutant({
  id: 'curator/answers-rounded-towards-zero',
  title: 'answers are rounded towards zero',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/public-grid'],
  within: 100,
  plant: () =>
    fromNoised((answered, _query, { value, scale }) => {
      const step = 2 ** (Math.floor(Math.log2(scale)) - 16);
      return retold(
        answered,
        value.map((x) => Math.trunc(x / step) * step + 0),
      );
    }),
});

export const xCurator64 = defineMutant({
  id: 'curator/increments-streams-keep-bits-below-grid',
  title: 'increments of streams keep bits below the grid',
  kind: 'curator',
  source: 'mironov-2012',
  killedBy: ['curator/public-grid'],
  within: 100,
  plant: () =>
    answering((answered, query) =>
      query.ask === 'push' && isVector(answered.answer)
        ? { ...answered, answer: answered.answer.map((x) => x * (1 + 2 ** -40)) }
        : answered,
    ),
});
