import { type Program, type Query, type Vector, Unsupported } from '@lethe/core';

/** Result of a program that sends no queries. */
export function finished(steps: Program<Vector>): Vector {
  const { done, value } = steps.next();
  if (done === true) return value;
  throw new Unsupported(`a query '${(value as Query).ask}' was sent where none was expected`, {});
}

/** A program that returns an answer without a query. */
// oxlint-disable-next-line require-yield
export function* answered(answer: Vector): Program<Vector> {
  return answer;
}
