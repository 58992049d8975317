/** A positive integrand on the real line, in logarithms. */
export interface LogIntegrand {
  /** `log` of the integrand at `x`. */
  value(x: number): number;
  /**
   * Upper bound of the log-integral left of `x < 0`, or `Infinity` if unknown. It decreases as `x` decreases.
   */
  leftTail(x: number): number;
  /** The same right of `x > 0`. */
  rightTail(x: number): number;
}

/** Enough for 17 digits of the sum. */
const negligible = 45;

/**
 * `log` of the trapezoidal sum with nodes `j·step`, summed outwards from 0 until both tails are below `e^-45`
 * of the sum, and the largest `|x|` used. `undefined` if it would take more than `most` nodes.
 */
export function logTrapezoid(
  { value, leftTail, rightTail }: LogIntegrand,
  step: number,
  most: number,
): { readonly log: number; readonly largest: number } | undefined {
  const logs: number[] = [value(0)];
  let peak = logs[0];
  const walk = (direction: 1 | -1, tail: (x: number) => number): number => {
    for (let j = 1; logs.length <= most; j++) {
      const x = direction * j * step;
      const log = value(x);
      logs.push(log);
      if (log > peak) peak = log;
      if (tail(x) < peak + Math.log(step) - negligible) return j * step;
    }
    return Infinity;
  };
  const right = walk(1, rightTail);
  const left = right === Infinity ? Infinity : walk(-1, leftTail);
  if (left === Infinity) return undefined;
  let sum = 0;
  for (const log of logs) sum += Math.exp(log - peak);
  return { log: peak + Math.log(sum * step), largest: Math.max(left, right) };
}
