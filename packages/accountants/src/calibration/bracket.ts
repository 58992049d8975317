import type { Probe } from './probe.js';

/** A value that meets the target and, unless the search ended, one that does not. */
export interface Bracket {
  readonly met: Probe;
  readonly unmet: Probe | undefined;
  /** The end that was replaced last. */
  readonly third: Probe | undefined;
  /** How many steps in a row have left more than half of the bracket. */
  readonly stall: number;
}

/** When a bracket is tight enough. */
export interface Rule {
  readonly integer: boolean;
  /** Relative width of the bracket; of whole numbers, neighbours are always close enough. */
  readonly tolerance: number;
  /** How far below the target, as a share of it, the cost may stay. */
  readonly gap: number;
  /** How many values were tried by this rule: where answers are two-sided, many are not worth the little they gain. */
  readonly tries?: number;
}

/** A bracket between two ends. */
export const bracketOf = (met: Probe, unmet: Probe | undefined): Bracket => ({ met, unmet, third: undefined, stall: 0 });

/**
 * The next value to try, or `undefined` when the bracket is tight: inverse quadratic interpolation in logarithms, where costs
 * are nearly straight lines. When that keeps to one side it is carried on beyond the root, and then the bracket is halved.
 */
export function nextCandidate(bracket: Bracket, rule: Rule): number | undefined {
  const { met, unmet, stall } = bracket;
  if (unmet === undefined || isNear(met, rule)) return undefined;
  const { integer } = rule;
  const exact = met.achieved!.certificate === 'exact';
  // Costs that jump would otherwise be followed into their last digit.
  const tolerance = exact || integer ? rule.tolerance : Math.max(rule.tolerance, gapAt(met, rule) / 4);
  const low = Math.min(met.value, unmet.value);
  const high = Math.max(met.value, unmet.value);
  if (high - low <= Math.max(integer ? 1 : 0, tolerance * low)) return undefined;
  const guess = stall < 4 ? guessOf(bracket, integer || exact ? 0 : Math.log1p(-gapAt(met, rule) / 2)) : undefined;
  const value = guess ?? middle(low, high);
  if (integer) return Math.min(high - 1, Math.max(low + 1, Math.round(value)));
  // A guess beside an end is moved off it by less than the tolerance, so that the next step can close the bracket there.
  const apart = 1 + tolerance * 0.75;
  const candidate = Math.min(high / apart, Math.max(low * apart, value));
  return candidate > low && candidate < high ? candidate : undefined;
}

/** The bracket after a probe inside it. */
export function narrow(bracket: Bracket, probe: Probe): Bracket {
  const { met, unmet, stall } = bracket;
  const before = width(met, unmet!);
  const after = probe.met ? width(probe, unmet!) : width(met, probe);
  return {
    met: probe.met ? probe : met, unmet: probe.met ? unmet : probe, third: probe.met ? met : unmet,
    // Halving alone is no progress worth another round of guesses.
    stall: after > before / 2 ? stall + 1 : after > before / 8 ? Math.min(stall, 3) : 0,
  };
}

/** Just below the target. Where the answer is exact, the value itself is wanted as precisely as can be. */
export const isNear = (probe: Probe, rule: Rule): boolean =>
  probe.met && !rule.integer && probe.achieved!.certificate !== 'exact' && probe.excess >= Math.log1p(-gapAt(probe, rule));

/** A gap that is small beside what the answer leaves open is small enough, and after some tries a larger one is. */
function gapAt({ achieved }: Probe, { gap, tries = 0 }: Rule): number {
  const { lower, upper } = achieved!;
  if (!(lower > 0 && Number.isFinite(upper))) return gap;
  const open = (upper - lower) / upper;
  return Math.max(gap, Math.min(5e-6, 0.05 * open), tries < few ? 0 : Math.min(1e-3, open / 2), tries < many ? 0 : 0.02);
}

const few = 2;
const many = 4;

const width = (a: Probe, b: Probe): number => Math.abs(Math.log(a.value / b.value));
/** The square root of the product of the ends, or a whole number's distance from 0. */
const middle = (low: number, high: number): number => (low === 0 ? Math.sqrt(high) / 2 : Math.sqrt(low) * Math.sqrt(high));

function guessOf({ met, unmet, third, stall }: Bracket, aim: number): number | undefined {
  const inside = (u: number | undefined): u is number => u !== undefined && (u - Math.log(met.value)) * (u - Math.log(unmet!.value)) < 0;
  const quadratic = third === undefined ? undefined : through([met, unmet!, third], aim);
  const guess = inside(quadratic) ? quadratic : through([met, unmet!], aim);
  if (!inside(guess)) return undefined;
  const near = [met, unmet!].map(({ value }) => Math.log(value)).reduce((a, b) => (Math.abs(a - guess) <= Math.abs(b - guess) ? a : b));
  const beyond = near + (guess - near) * 4 ** Math.max(0, stall - 1);
  return Math.exp(inside(beyond) ? beyond : guess);
}

/** Where the polynomial in the excess that goes through the points, of the logarithm of the value, is at `aim`. */
function through(points: readonly Probe[], aim: number): number | undefined {
  const sum = points.reduce((total, point) => total + points.reduce(
    (term, other) => (other === point ? term : (term * (aim - other.excess)) / (point.excess - other.excess)), Math.log(point.value)), 0);
  return Number.isFinite(sum) ? sum : undefined;
}
