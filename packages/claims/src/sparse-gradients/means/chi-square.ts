/** `P[χ²_d > x]` for even d of at most a thousand: terms of larger ones underflow. */
export function chiSquareAbove(degrees: number, x: number): number {
  let term = Math.exp(-x / 2);
  let sum = term;
  for (let i = 1; i < degrees / 2; i++) {
    term *= x / 2 / i;
    sum += term;
  }
  return sum;
}
