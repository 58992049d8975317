import { InvalidParameter } from '../errors.js';
import { probe, type RealFunction, requireCount, requireInterval, requireTolerance } from './bracket.js';

/** Stopping options of a bisection. */
export interface BisectOptions {
  /** Stop when `upper − lower` is at most this. @defaultValue 0: until no double lies between */
  readonly tolerance?: number;
  /**
   * Maximum number of calls of the function between the ends. @defaultValue 200, which always reaches
   * adjacent doubles
   */
  readonly maximumProbes?: number;
}

/** An interval with function values on different sides of zero at its ends. */
export interface Bracket {
  /** Strictly on the side of the initial lower end. */
  readonly lower: number;
  /** Zero, or on the side of the initial upper end. */
  readonly upper: number;
  /** Calls of the function between the ends. */
  readonly probes: number;
}

/**
 * A midpoint that roughly halves the number of *representable* doubles: geometric while the ends differ in
 * magnitude, so adjacent doubles are reached from any two ends within 100 steps.
 */
export function middle(lower: number, upper: number): number {
  if (lower < 0 && upper > 0) return 0;
  if (lower < 0) return -middle(-upper, -lower);
  if (upper <= 4 * lower) return lower + (upper - lower) / 2;
  if (upper <= 2 ** -1000) return upper / 2;
  return Math.sqrt(Math.max(lower, 2 ** -1070)) * Math.sqrt(upper);
}

/**
 * Bisects a sign change of `f` on `[lower, upper]`. The result is always a bracket, also after an early stop.
 *
 * @throws {InvalidParameter} on bad ends or options, if `f` is NaN somewhere, or unless `f(lower)` is
 * non-zero and `f(upper)` is zero or of the other sign.
 */
export function bisectBracket(
  f: RealFunction,
  lower: number,
  upper: number,
  options: BisectOptions = {},
): Bracket {
  const { tolerance = 0, maximumProbes = 200 } = options;
  requireInterval(lower, upper);
  requireTolerance('tolerance', tolerance);
  requireCount('maximumProbes', maximumProbes);
  const side = Math.sign(probe(f, lower));
  const atUpper = Math.sign(probe(f, upper));
  if (side === 0 || side === atUpper) {
    const signs = { [lower]: side, [upper]: atUpper };
    throw new InvalidParameter(
      `f has the sign ${side} at ${lower} and ${atUpper} at ` +
        `${upper}: give ends between which it changes sign`,
      { signs },
    );
  }
  let a = lower;
  let b = upper;
  let probes = 0;
  while (probes < maximumProbes && b - a > tolerance) {
    const x = middle(a, b);
    if (x <= a || x >= b) break;
    probes++;
    if (Math.sign(probe(f, x)) === side) a = x;
    else b = x;
  }
  return { lower: a, upper: b, probes };
}

/** The lower end of {@link bisectBracket}: for monotone `f`, a point at or below the root. */
export function bisectDown(f: RealFunction, lower: number, upper: number, options?: BisectOptions): number {
  return bisectBracket(f, lower, upper, options).lower;
}

/** The upper end of {@link bisectBracket}: for monotone `f`, a point at or above the root. */
export function bisectUp(f: RealFunction, lower: number, upper: number, options?: BisectOptions): number {
  return bisectBracket(f, lower, upper, options).upper;
}
