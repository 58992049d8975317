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
