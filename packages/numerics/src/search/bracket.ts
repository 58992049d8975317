import { InvalidParameter } from '../errors.js';

/** A real function of one variable. It may return infinities but not NaN. */
export type RealFunction = (x: number) => number;

/** Calls `f`, refusing NaN. @throws {InvalidParameter} naming the point. */
export function probe(f: RealFunction, x: number): number {
  const value = f(x);
  if (value === value) return value;
  throw new InvalidParameter(
    `the function is NaN at ${x}: give a function that is defined on the whole interval`,
    { x },
  );
}

/** @throws {InvalidParameter} unless `lower` and `upper` are finite and `lower < upper`. */
export function requireInterval(lower: number, upper: number): void {
  if (Number.isFinite(lower) && Number.isFinite(upper) && lower < upper) return;
  throw new InvalidParameter(
    `the interval [${lower}, ${upper}] is not valid: give finite ends with lower < upper`,
    { lower, upper },
  );
}

/** @throws {InvalidParameter} unless `value` is a positive integer. */
export function requireCount(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value > 0) return;
  throw new InvalidParameter(`${name} is ${value}: give a positive integer`, { name, value });
}

/** @throws {InvalidParameter} unless `value` is finite and not negative. */
export function requireTolerance(name: string, value: number): void {
  if (value >= 0 && value < Infinity) return;
  throw new InvalidParameter(`${name} is ${value}: give a finite number of at least 0`, { name, value });
}
