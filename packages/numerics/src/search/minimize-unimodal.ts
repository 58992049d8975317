import { probe, type RealFunction, requireCount, requireInterval, requireTolerance } from './bracket.js';

/** Stopping options of the minimisation. */
export interface MinimizeOptions {
  /**
   * Relative tolerance of the argument. Below about 1e-8, rounding errors of `f` hide its minimum.
   * @defaultValue 1e-8
   */
  readonly tolerance?: number;
  /** Maximum number of calls of the function. @defaultValue 200 */
  readonly maximumProbes?: number;
}

/**
 * The best point found. For every function, `value` is its value at `argument`, an upper bound of the
 * minimum.
 */
export interface Minimum {
  readonly argument: number;
  readonly value: number;
  /** For a unimodal function the minimiser lies in `[lower, upper]`. */
  readonly lower: number;
  readonly upper: number;
  readonly probes: number;
}

interface Point {
  readonly x: number;
  readonly value: number;
}

const golden = (3 - Math.sqrt(5)) / 2;

/** Minimiser of the parabola through three points, relative to `best`; NaN if there is none. */
function parabolicStep(best: Point, second: Point, third: Point): number {
  const r = (best.x - second.x) * (best.value - third.value);
  const q = (best.x - third.x) * (best.value - second.value);
  return ((best.x - second.x) * r - (best.x - third.x) * q) / (2 * (q - r));
}

/**
 * Minimises a unimodal function on `[lower, upper]`: golden sections, with parabolic steps where they help.
 * The ends are probed too. Values of `+Infinity` are allowed towards an end; between equally infinite points
 * the search goes to the end with the smaller value.
 *
 * @throws {InvalidParameter} on bad ends or options and if `f` is NaN somewhere.
 * @see Brent 1973, chapter 5.
 */
export function minimizeUnimodal(
  f: RealFunction,
  lower: number,
  upper: number,
  options: MinimizeOptions = {},
): Minimum {
  const { tolerance = 1e-8, maximumProbes = 200 } = options;
  requireInterval(lower, upper);
  requireTolerance('tolerance', tolerance);
  requireCount('maximumProbes', maximumProbes);
  const evaluate = (x: number): Point => ({ x, value: probe(f, x) });
  const ends = [evaluate(lower), evaluate(upper)] as const;
  const towardsLower = ends[0].value <= ends[1].value;
  let a = lower;
  let b = upper;
  let best = evaluate(a + golden * (b - a));
  let second = best;
  let third = best;
  let step = 0;
  let beforeLast = 0;
  let probes = 1;
  for (; probes + 2 < maximumProbes; probes++) {
    const centre = a + (b - a) / 2;
    const least = Math.max(tolerance, 2 ** -52) * Math.abs(best.x) + Number.MIN_VALUE;
    if (Math.abs(best.x - centre) <= 2 * least - (b - a) / 2) break;
    const parabola = -parabolicStep(best, second, third);
    const trusted =
      Math.abs(parabola) < Math.abs(beforeLast) / 2 &&
      best.x + parabola > a + least &&
      best.x + parabola < b - least;
    if (trusted) beforeLast = step;
    else if (best.x < centre) beforeLast = b - best.x;
    else beforeLast = a - best.x;
    step = trusted ? parabola : golden * beforeLast;
    const movedOf = () => {
      if (Math.abs(step) >= least) return step;
      return step > 0 ? least : -least;
    };
    const moved = best.x + movedOf();
    if (moved <= a || moved >= b || moved === best.x) break;
    const next = evaluate(moved);
    if (next.value === Infinity && best.value === Infinity) {
      const [left, right] = next.x < best.x ? [next, best] : [best, next];
      if (towardsLower) [best, b] = [left, right.x];
      else [best, a] = [right, left.x];
    } else if (next.value <= best.value) {
      if (next.x < best.x) b = best.x;
      else a = best.x;
      [third, second, best] = [second, best, next];
    } else {
      if (next.x < best.x) a = next.x;
      else b = next.x;
      if (next.value <= second.value || second === best) [third, second] = [second, next];
      else if (next.value <= third.value || third === best || third === second) third = next;
    }
  }
  for (const end of ends) if (end.value < best.value) best = end;
  return {
    argument: best.x,
    value: best.value,
    lower: Math.min(a, best.x),
    upper: Math.max(b, best.x),
    probes: probes + 2,
  };
}
