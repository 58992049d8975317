import type { Vector } from './basics.js';
import type { AnswerShape } from './answer.js';
import type { Answer, Query } from './query.js';
import { table } from './table.js';

const shapeFor = ({ ask }: Query): AnswerShape<Answer, Query> =>
  table[ask].answer as AnswerShape<Answer, Query>;

/** What an answer to a query has to be, in words. */
export const expectedAnswer = (query: Query): string => shapeFor(query).expected(query);
/** Whether something has the shape of an answer to a query. */
export const isAnswer = (query: Query, answer: unknown): answer is Answer =>
  shapeFor(query).fits(answer, query);
/** The same answer, in which no array is shared. */
export const copyAnswer = (query: Query, answer: Answer): Answer => shapeFor(query).copy(answer);
/** The arrays in an answer, whose memory can be moved to another thread. */
export const vectorsIn = (query: Query, answer: Answer): readonly Vector[] => shapeFor(query).vectors(answer);
