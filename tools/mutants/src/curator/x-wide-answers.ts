import { defineMutant } from '../mutant.js';
import { answering } from './wrap.js';

export const wideAnswersOff = defineMutant({
  id: 'curator/entries-beyond-32-off-by-1e-7',
  title: 'entries of an answer beyond the 32nd are off by 1e-7',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/wide-mean'],
  within: 40,
  plant: () =>
    answering(({ answer, ...rest }) => ({
      ...rest,
      answer: answer instanceof Float64Array ? answer.map((x, j) => (j < 32 ? x : x + 1e-7)) : answer,
    })),
});

export const wideAnswersScaled = defineMutant({
  id: 'curator/entries-beyond-32-a-ten-millionth-too-large',
  title: 'entries of an answer beyond the 32nd are too large by a factor of 1 + 1e-7',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/wide-mean'],
  within: 40,
  plant: () =>
    answering(({ answer, ...rest }) => ({
      ...rest,
      answer: answer instanceof Float64Array ? answer.map((x, j) => (j < 32 ? x : x * (1 + 1e-7))) : answer,
    })),
});

export const lastBlockOff = defineMutant({
  id: 'curator/last-block-of-long-answers-off',
  title:
    'of answers with 4096 entries or more, those after the last whole block of 2048 lack a part of the sum',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/wide-mean'],
  within: 40,
  plant: () =>
    answering(({ answer, ...rest }) => ({
      ...rest,
      answer:
        answer instanceof Float64Array && answer.length >= 4096
          ? answer.map((x, j) => (j < answer.length - (answer.length % 2048) ? x : x / 2))
          : answer,
    })),
});

export const longSumsLeft = defineMutant({
  id: 'curator/long-sums-not-cleared',
  title: 'the memory of long sums is not cleared: an answer holds the one before as well',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/wide-mean'],
  within: 40,
  plant: () => {
    const before = new WeakMap<object, Float64Array>();
    return answering(({ answer, ...rest }, _query, inner) => {
      if (!(answer instanceof Float64Array) || answer.length < 4096) return { ...rest, answer };
      const left = before.get(inner);
      before.set(inner, answer);
      return { ...rest, answer: left === undefined ? answer : answer.map((x, j) => x + left[j]) };
    });
  },
});
