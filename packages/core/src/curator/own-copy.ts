/**
 * A frozen copy of plain data that whoever gave it may still write to; the value itself where nothing in it can change. What a
 * query leaves behind in the curator is such a copy: it is read again long after the answer.
 */
export function ownCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null || isSettled(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(ownCopy)) as T;
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, ownCopy(inner as unknown)]))) as T;
}

const isSettled = (value: object): boolean =>
  Object.isFrozen(value) && Object.values(value).every((inner: unknown) => typeof inner !== 'object' || inner === null || isSettled(inner));
