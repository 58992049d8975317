import {
  addDown,
  addUp,
  divideUp,
  expDown,
  expm1Down,
  log1pUp,
  multiplyDown,
  subtractDown,
} from '@lethe/numerics';

/** Least ε, rounded up, at which every `pure`-DP release is (ε, δ)-DP: that of binary randomised response. */
export function pureEpsilon(pure: number, delta: number): number {
  const lost = multiplyDown(delta, addDown(1, expDown(-pure)));
  if (lost >= 1) return 0;
  return Math.min(pure, Math.max(0, addUp(pure, log1pUp(-lost))));
}

/** Least δ, rounded up, at which every `pure`-DP release is (ε, δ)-DP. */
export function pureDelta(pure: number, epsilon: number): number {
  if (epsilon >= pure) return 0;
  return Math.min(1, divideUp(-expm1Down(subtractDown(epsilon, pure)), addDown(1, expDown(-pure))));
}
