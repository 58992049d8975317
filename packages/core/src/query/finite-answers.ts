import type { Vector } from './basics.js';

/** Answers found to be finite while they were made, until they are checked for the first time. */
const found = new WeakSet<Vector>();
/** Functions that return an answer as soon as it is made, so that nobody has changed it since. */
const makers = new WeakSet<object>();

/** Whoever writes to an array first takes back what was noted of it. */
export const noteFinite = (answer: Vector, isFinite: boolean): void =>
  void (isFinite ? found.add(answer) : found.delete(answer));

/** Lets a driver believe what was noted of the answers that this function returns to it. */
export const noteMaker = (answers: object): void => void makers.add(answers);

/**
 * Whether a driver need not read an answer again. A wrapper around a curator is another function: what it
 * returns is always read, since it may have written to the array.
 *
 * @param by - The function that has just returned the answer.
 */
export const isFoundFinite = (answer: unknown, by: object): answer is Vector =>
  answer instanceof Float64Array && found.delete(answer) && makers.has(by);
