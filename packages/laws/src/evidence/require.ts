import { InvalidParameter } from '@lethe/core';

/** Refuses values other than finite numbers. */
export function requireFinite(name: string, x: number): number {
  if (Number.isFinite(x)) return x;
  throw new InvalidParameter(`${name} is ${x}; give a finite number`, { name, given: x });
}

/** Refuses values other than finite numbers above 0. */
export function requirePositive(name: string, x: number): number {
  if (x > 0 && x < Infinity) return x;
  throw new InvalidParameter(`${name} is ${x}; give a finite number above 0`, { name, given: x });
}

/** Refuses values other than integers from `least` on. */
export function requireCount(name: string, x: number, least: number): number {
  if (Number.isSafeInteger(x) && x >= least) return x;
  throw new InvalidParameter(`${name} is ${x}; give an integer, at least ${least}`, {
    name,
    given: x,
    least,
  });
}
