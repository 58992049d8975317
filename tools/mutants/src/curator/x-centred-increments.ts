import { Unsupported } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { answering, isVector } from './wrap.js';

const source = 'dp-mu2-fl: Lemma 4, about a centre';

export const centrePerPresentRecord = defineMutant({
  id: 'curator/centre-added-back-per-record-not-null',
  title: 'adds the centre of an increment back for every record that is not null',
  kind: 'curator',
  source,
  killedBy: ['curator/sensitivity'],
  cell: 'stream, increment about a centre, zero-out',
  within: 10,
  plant: () =>
    answering((answered, query, inner, { data }) => {
      if (query.ask !== 'push' || query.centre === undefined || !isVector(answered.answer)) return answered;
      const present = data.slots - (data.nulls?.reduce((sum, one) => sum + one, 0) ?? 0);
      const { centre } = query;
      const share = present / inner.allRecords.normaliser;
      return { ...answered, answer: answered.answer.map((one, j) => one + share * centre[j]) };
    }),
});

export const centredIncrementsRefused = defineMutant({
  id: 'curator/increments-about-centre-refused-where-record-is-null',
  title: 'refuses increments about a centre where a record is null',
  kind: 'curator',
  source,
  killedBy: ['curator/sensitivity'],
  cell: 'stream, increment about a centre, zero-out',
  within: 10,
  plant: () =>
    answering((answered, query, _inner, { data }) => {
      if (query.ask === 'push' && query.centre !== undefined && data.nulls?.includes(1) === true)
        throw new Unsupported('a record is null', {});
      return answered;
    }),
});
