import type { CentralCurator } from '@lethe/curator';
import { defineMutant } from '../mutant.js';
import { answering, changed, isVector } from './wrap.js';

/** A sum over the records, which no output may tell. */
const sumOf = ({ data: { stored } }: Parameters<Parameters<typeof answering>[0]>[3]): number =>
  Array.from('rowStarts' in stored ? stored.values : stored.data).reduce((sum, one) => sum + one, 0);

export const memoryAroundAnswer = defineMutant({
  id: 'curator/memory-around-an-answer',
  title: 'answers a part of an array whose other part holds a sum over the records',
  kind: 'curator',
  source: 'red team of owners: outputs that no text shows',
  killedBy: ['curator/only-mechanisms-tell'],
  cell: 'mean, any gradient, replace-one',
  within: 10,
  plant: () =>
    answering((answered, _query, _inner, options) => {
      const { answer } = answered;
      if (!isVector(answer)) return answered;
      const wide = new Float64Array(4096);
      wide.set(answer);
      wide[4095] = sumOf(options);
      return { ...answered, answer: wide.subarray(0, answer.length) };
    }),
});

export const hiddenField = defineMutant({
  id: 'curator/field-that-is-not-listed',
  title: 'puts a sum over the records into a field of an answer that is not enumerable',
  kind: 'curator',
  source: 'red team of owners: outputs that no text shows',
  killedBy: ['curator/only-mechanisms-tell'],
  cell: 'mean, any gradient, replace-one',
  within: 10,
  plant: () =>
    answering((answered, _query, _inner, options) =>
      Object.defineProperty({ ...answered }, 'told', { value: sumOf(options), enumerable: false }),
    ),
});

/** A curator that refuses bad queries with an error changed by a sum over the records. */
const refusing = (change: (error: Error, sum: number) => Error): ReturnType<typeof changed> =>
  changed((inner, options) => ({
    answer(index, query) {
      try {
        return inner.answer(index, query);
      } catch (error) {
        throw error instanceof Error ? change(error, sumOf(options)) : error;
      }
    },
  }));

export const stackThatTells = defineMutant({
  id: 'curator/stack-that-tells',
  title: 'refuses queries on two paths, by the records, which the stack of the error shows',
  kind: 'curator',
  source: 'red team of owners: outputs that no text shows',
  killedBy: ['curator/only-mechanisms-tell'],
  cell: 'mean, any gradient, replace-one',
  within: 10,
  plant: () =>
    refusing((error, sum) => {
      function onThisPath(): void {
        Error.captureStackTrace(error);
      }
      function onThatPath(): void {
        Error.captureStackTrace(error);
      }
      (sum > 0 ? onThisPath : onThatPath)();
      return error;
    }),
});

export const causeThatTells = defineMutant({
  id: 'curator/cause-that-tells',
  title: 'refuses queries with a cause whose message has a sum over the records',
  kind: 'curator',
  source: 'red team of owners: outputs that no text shows',
  killedBy: ['curator/only-mechanisms-tell'],
  cell: 'mean, any gradient, replace-one',
  within: 10,
  plant: () =>
    refusing((error, sum) =>
      Object.defineProperty(error, 'cause', { value: new Error(`at a sum of ${sum}`), enumerable: false }),
    ),
});

export const signOfZero = defineMutant({
  id: 'curator/sign-of-zero',
  title: 'answers 0 or −0 in place of numbers, by the records',
  kind: 'curator',
  source: 'red team of owners: outputs that no text shows',
  killedBy: ['curator/only-mechanisms-tell'],
  cell: 'mean, any gradient, replace-one',
  within: 10,
  plant: () =>
    answering((answered, _query, _inner, options) =>
      isVector(answered.answer)
        ? { ...answered, answer: answered.answer.map(() => (sumOf(options) > 0 ? -0 : 0)) }
        : answered,
    ),
});

export const pushesOfOwners = defineMutant({
  id: 'curator/increments-of-owners-by-records',
  title: 'counts what an owner adds to a running sum twice, as if each record were clipped on its own',
  kind: 'curator',
  source: 'red team of owners: releases other than means',
  killedBy: ['curator/owners'],
  cell: 'stream, first increment, all of one owner, replace-one',
  within: 10,
  plant: () =>
    answering((answered, query, _inner, { data }) =>
      data.unit === 'owner' && query.ask === 'push' && isVector(answered.answer)
        ? { ...answered, answer: answered.answer.map((one) => 2 * one) }
        : answered,
    ),
});

export const ownersAsRecords = defineMutant({
  id: 'curator/owners-told-as-records',
  title: 'facts do not say that owners are protected, and runs planned for single records pass',
  kind: 'curator',
  source: 'red team of owners: a figure for one unit taken for the other',
  killedBy: ['curator/owners'],
  cell: 'what is protected, replace-one',
  within: 10,
  plant: () =>
    changed(({ facts }) => ({
      facts: Object.fromEntries(
        Object.entries(facts).filter(([name]) => name !== 'unit'),
      ) as unknown as CentralCurator['facts'],
    })),
});

export const recordsAsOwners = defineMutant({
  id: 'curator/records-told-as-owners',
  title: 'facts say that owners are protected where single records are',
  kind: 'curator',
  source: 'red team of owners: a figure for one unit taken for the other',
  killedBy: ['curator/owners'],
  cell: 'what is protected, zero-out',
  within: 10,
  plant: () => changed(({ facts }) => ({ facts: { ...facts, unit: 'owner' } })),
});
