/**
 * The value itself, as a check in place of a non-null assertion.
 *
 * @throws {TypeError} for `undefined` and `null`; that is a bug in the caller.
 */
export function defined<T>(value: T): NonNullable<T> {
  if (value === undefined || value === null)
    throw new TypeError(
      `a value is ${String(value)} where the code takes one for granted; report this as a bug`,
    );
  return value;
}
