import { allFinite } from '@lethe/numerics';
import type { Batch, Stream, Vector } from './basics.js';

/** What answers a query that has the fields `F`: shape `A`. */
export interface AnswerShape<A, F = object> {
  /** What it is, in words. */
  expected(query: F): string;
  fits(answer: unknown, query: F): answer is A;
  /** The same answer, in which no array is shared. */
  copy(answer: A): A;
  /** The arrays in it, whose memory can be moved to another thread. */
  vectors(answer: A): readonly Vector[];
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
function isVector(value: unknown): value is Vector {
  return value instanceof Float64Array && allFinite(value);
}
const isBatch = (value: unknown): value is Batch =>
  isFields(value) &&
  typeof value['id'] === 'string' &&
  isNumber(value['normaliser']) &&
  (value['size'] === 'exact' || value['size'] === 'hidden') &&
  (value['scope'] === null || typeof value['scope'] === 'string');
const isStream = (value: unknown): value is Stream => isFields(value) && typeof value['id'] === 'string';

/** An answer that holds no array: numbers, and tokens, which are frozen. */
const plain = <A>(what: string, fits: (answer: unknown) => answer is A): AnswerShape<A> => ({
  expected: () => what,
  fits,
  copy: (answer) => answer,
  vectors: () => [],
});

export const batchAnswer = plain('a batch', isBatch);
export const streamAnswer = plain('a stream', isStream);
export const nothing = plain('null', (answer): answer is null => answer === null);
export const yesOrNo = plain('true or false', (answer): answer is boolean => typeof answer === 'boolean');
export const numberAnswer = plain('a finite number', isNumber);

export const vectorAnswer: AnswerShape<Vector> = {
  expected: () => 'a Float64Array of finite numbers',
  fits: isVector,
  copy: (answer) => answer.slice(),
  vectors: (answer) => [answer],
};

/**
 * Batches, as many as the query says where it does: the sampler knows how many batches its partition has.
 */
export const batchesAnswer = <F>(countOf: (query: F) => number | null): AnswerShape<readonly Batch[], F> => ({
  expected: (query) => `${countOf(query) ?? 'a list of'} batches`,
  fits: (answer, query): answer is readonly Batch[] =>
    Array.isArray(answer) && answer.length === (countOf(query) ?? answer.length) && answer.every(isBatch),
  copy: (answer) => [...answer],
  vectors: () => [],
});

/** A point with what it scored. */
export interface ScoredPoint {
  readonly point: Vector;
  readonly score: number;
}
export const scoredPointAnswer: AnswerShape<ScoredPoint> = {
  expected: () => 'a point and its score',
  fits: (answer): answer is ScoredPoint =>
    isFields(answer) && isVector(answer['point']) && isNumber(answer['score']),
  copy: ({ point, score }) => ({ point: point.slice(), score }),
  vectors: ({ point }) => [point],
};
