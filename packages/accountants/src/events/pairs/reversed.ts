import {
  type Bounds,
  addDown,
  addUp,
  expDown,
  expm1Down,
  expm1Up,
  expUp,
  multiplyDown,
  multiplyUp,
} from '@lethe/numerics';

/**
 * Profile at `ε < 0` from that of the reversed pair at `−ε`, by complements:
 * `H(ε) = 1 − e^ε + e^ε H_reversed(−ε)`.
 */
export function profileBelow(epsilon: number, reversed: (epsilon: number) => Bounds): Bounds {
  const { lower, upper } = reversed(-epsilon);
  return {
    lower: addDown(-expm1Up(epsilon), multiplyDown(expDown(epsilon), lower)),
    upper: Math.min(1, addUp(-expm1Down(epsilon), multiplyUp(expUp(epsilon), upper))),
  };
}
