import { type Program, type Query, type Vector, Unsupported } from '@lethe/core';

/** What a computation ends in that asks nobody anything. */
export function finished(steps: Program<Vector>): Vector {
  const { done, value } = steps.next();
  if (done === true) return value;
  throw new Unsupported(`a query '${(value as Query).ask}' was posed where none was expected`, {});
}

/** An answer without a question. */
// oxlint-disable-next-line require-yield
export function* answered(answer: Vector): Program<Vector> {
  return answer;
}
