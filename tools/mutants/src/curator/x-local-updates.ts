import { defineMutant } from '../mutant.js';
import { answering, isVector } from './wrap.js';

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
