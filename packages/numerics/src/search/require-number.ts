import { InvalidParameter } from '../errors.js';

/** Refuses NaN by name; infinities pass. */
export function requireNumber(name: string, x: number): number {
  if (x === x) return x;
  throw new InvalidParameter(`${name} is NaN: give a number`, { name });
}
