import { Corrupt, type Answered, type Query } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { changed, isVector } from './wrap.js';

const source = 'issue 15: a live curator gives its last answer again for the same digest';
type Ask = (index: number, query: Query) => Answered;

/** A curator with changed behaviour for a query at an answered index. */
const again =
  (what: (inner: Ask, index: number, query: Query, first: Answered, kept: Answered) => Answered) => () =>
    changed((inner) => {
      let last: { readonly index: number; readonly first: Answered; readonly kept: Answered } | undefined;
      return {
        answer(index, query) {
          if (last !== undefined && last.index === index)
            return what(inner.answer, index, query, last.first, last.kept);
          const first = inner.answer(index, query);
          const { answer } = first;
          last = { index, first, kept: isVector(answer) ? { ...first, answer: answer.slice() } : first };
          return first;
        },
      };
    });

export const refusedAgain = defineMutant({
  id: 'curator/query-reply-lost-refused',
  title: 'a query repeated after a lost reply is refused',
  kind: 'curator',
  source,
  killedBy: ['curator/last-answer'],
  within: 400,
  plant: again((_ask, index) => {
    throw new Corrupt(`query ${index} was asked again`, { index });
  }),
});

export const otherAnswer = defineMutant({
  id: 'curator/query-reply-lost-answered-other-noise',
  title: 'a query repeated after a lost reply gets other noise',
  kind: 'curator',
  source,
  killedBy: ['curator/last-answer'],
  within: 400,
  plant: again((ask, index, query) => {
    const told = ask(index, query);
    const { answer } = told;
    return isVector(answer) ? { ...told, answer: answer.map((entry) => entry * 1.25) } : told;
  }),
});

export const chargedTwice = defineMutant({
  id: 'curator/query-reply-lost-charged-again-next-one',
  title: 'a query repeated after a lost reply is charged as the next query',
  kind: 'curator',
  source,
  killedBy: ['curator/last-answer'],
  within: 400,
  plant: again((ask, index, query, _first, kept) => {
    ask(index + 1, query);
    return kept;
  }),
});

export const lentAnswer = defineMutant({
  id: 'curator/last-answer-kept-array-given-away',
  title: 'the stored last answer shares its array with the caller',
  kind: 'curator',
  source,
  killedBy: ['curator/last-answer'],
  within: 400,
  plant: again((_ask, _index, _query, first) => first),
});

export const anyQueryAgain = defineMutant({
  id: 'curator/last-answer-given-again-any-query-number',
  title: 'any query at the last index gets the last answer',
  kind: 'curator',
  source,
  killedBy: ['curator/last-answer'],
  within: 400,
  plant: again((_ask, _index, _query, _first, kept) =>
    isVector(kept.answer) ? { ...kept, answer: kept.answer.slice() } : kept,
  ),
});

export const anyLaterDigest = defineMutant({
  id: 'curator/replay-of-later-query-takes-any-digest',
  title: 'from the fourth query on, a replay is confirmed with any digest',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/replay'],
  within: 100,
  plant: () =>
    changed((inner) => ({
      replay(index, query, digest) {
        try {
          inner.replay(index, query, digest);
        } catch (error) {
          if (index < 3 || !(error instanceof Corrupt)) throw error;
        }
      },
    })),
});
