import { centralCurator, type Answered, type CentralCuratorOptions, type Mechanism, type Query, type Vector } from '@lethe/core';
import type { Subject } from '@lethe/laws';
import { defineMutant } from '../mutant.js';
import { answering, curatorOf, isVector, withPlugins } from './wrap.js';

/** What a mechanism left, and its scale. */
interface Noised { readonly value: Vector; readonly scale: number }

/** A curator that makes its answers from what its mechanisms leave. */
const fromNoised = (change: (answered: Answered, query: Query, noised: Noised, options: CentralCuratorOptions) => Answered): Subject<'curator'> => curatorOf((options) => {
  let last: Noised | undefined;
  const inner = centralCurator(withPlugins<Mechanism>(options, 'mechanism', ({ addNoise }) => ({ addNoise(params, value, scale, random) {
    addNoise(params, value, scale, random);
    last = { value: value.slice(), scale };
  } })));
  return { ...inner, answer(index, query) {
    last = undefined;
    const answered = inner.answer(index, query);
    return last === undefined || query.ask === 'push' ? answered : change(answered, query, last, options);
  } };
});

/** An answer in place of another, a number where one was. */
const retold = (answered: Answered, value: Vector): Answered => ({ ...answered, answer: typeof answered.answer === 'number' ? value[0]! : value });

export const xCurator60 = defineMutant({
  id: 'curator/answers-leave-all-bits-sum-value-noise', title: 'answers leave with all bits of the sum of value and noise', kind: 'curator', source: 'mironov-2012',
  killedBy: ['curator/public-grid'], within: 100,
  plant: () => fromNoised((answered, _query, { value }) => retold(answered, value)),
});

export const xCurator61 = defineMutant({
  id: 'curator/answers-rounded-many-digits-grid-follows-records', title: 'answers are rounded to so many digits, and so to a grid that follows the records', kind: 'curator', source: 'mironov-2012',
  killedBy: ['curator/public-grid'], within: 100,
  plant: () => fromNoised((answered, _query, { value }) => retold(answered, value.map(Math.fround))),
});

export const xCurator62 = defineMutant({
  id: 'curator/grid-coarser-records-longer', title: 'the grid is coarser where records are longer', kind: 'curator', source: 'generic: a step relative to the data',
  killedBy: ['curator/public-grid'], within: 100,
  plant: () => fromNoised((answered, _query, { value, scale }, { data }) => {
    const step = 2 ** (Math.floor(Math.log2(scale)) - (Math.max(...data.norms) > 1 ? 10 : 16));
    return retold(answered, value.map((x) => Math.round(x / step) * step + 0));
  }),
});

export const xCurator63 = defineMutant({
  id: 'curator/answers-rounded-towards-zero', title: 'answers are rounded towards zero', kind: 'curator', source: 'generic',
  killedBy: ['curator/public-grid'], within: 100,
  plant: () => fromNoised((answered, _query, { value, scale }) => {
    const step = 2 ** (Math.floor(Math.log2(scale)) - 16);
    return retold(answered, value.map((x) => Math.trunc(x / step) * step + 0));
  }),
});

export const xCurator64 = defineMutant({
  id: 'curator/increments-streams-keep-bits-below-grid', title: 'increments of streams keep bits below the grid', kind: 'curator', source: 'mironov-2012',
  killedBy: ['curator/public-grid'], within: 100,
  plant: () => answering((answered, query) => (query.ask === 'push' && isVector(answered.answer) ? { ...answered, answer: answered.answer.map((x) => x * (1 + 2 ** -40)) } : answered)),
});
