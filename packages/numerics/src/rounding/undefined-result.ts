import { InvalidParameter } from '../errors.js';

/** The error for an operation that has no value on the extended real line. */
export function undefinedResult(operation: string, ...operands: readonly number[]): InvalidParameter {
  return new InvalidParameter(
    `${operation} has no value at (${operands.join(', ')}): give numbers (not NaN) at which it is defined`,
    { operation, operands: operands.map(String) },
  );
}
