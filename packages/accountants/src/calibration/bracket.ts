import { defined } from '@lethe/numerics';
import type { Probe } from './probe.js';

/** A value that meets the target and one that does not; `unmet` is absent at the end of the search range. */
export interface Bracket {
  readonly met: Probe;
  readonly unmet: Probe | undefined;
  /** The end point replaced last. */
  readonly third: Probe | undefined;
  /** Number of consecutive steps that left more than half of the bracket. */
  readonly stall: number;
}

/** Stopping rule for a bracket. */
export interface Rule {
  readonly integer: boolean;
  /** Relative width of the bracket. For integers, the search stops at adjacent values. */
  readonly tolerance: number;
  /** Allowed relative gap between the cost and the target above it. */
  readonly gap: number;
  /** Number of values tried under this rule; for two-sided answers the gap grows with it. */
  readonly tries?: number;
}

/** Bracket from two end points. */
export const bracketOf = (met: Probe, unmet: Probe | undefined): Bracket => ({
  met,
  unmet,
  third: undefined,
  stall: 0,
});

/**
 * Next value to try, or `undefined` when the bracket is tight. Inverse quadratic interpolation in logarithms,
 * where costs are nearly linear. If the candidates stay on one side of the root, the step overshoots; after
 * that the bracket is halved.
 */
export function nextCandidate(bracket: Bracket, rule: Rule): number | undefined {
  const { met, unmet, stall } = bracket;
  if (unmet === undefined || isNear(met, rule)) return undefined;
  const { integer } = rule;
  const exact = defined(met.achieved).certificate === 'exact';
  // Otherwise the search would locate a jump of the cost to the last digit.
  const tolerance = exact || integer ? rule.tolerance : Math.max(rule.tolerance, gapAt(met, rule) / 4);
  const low = Math.min(met.value, unmet.value);
  const high = Math.max(met.value, unmet.value);
  if (high - low <= Math.max(integer ? 1 : 0, tolerance * low)) return undefined;
  const guess =
    stall < 4 ? guessOf(bracket, integer || exact ? 0 : Math.log1p(-gapAt(met, rule) / 2)) : undefined;
  const value = guess ?? middle(low, high);
  if (integer) return Math.min(high - 1, Math.max(low + 1, Math.round(value)));
  // A guess near an end point is moved away by less than the tolerance, so the next step can close the
  // bracket there.
  const apart = 1 + tolerance * 0.75;
  const candidate = Math.min(high / apart, Math.max(low * apart, value));
  return candidate > low && candidate < high ? candidate : undefined;
}

/** The bracket after a probe inside it. */
export function narrow(bracket: Bracket, probe: Probe): Bracket {
  const { met, unmet, stall } = bracket;
  const before = width(met, defined(unmet));
  const after = probe.met ? width(probe, defined(unmet)) : width(met, probe);
  const stallOf = () => {
    if (after > before / 2) return stall + 1;
    return after > before / 8 ? Math.min(stall, 3) : 0;
  };
  return {
    met: probe.met ? probe : met,
    unmet: probe.met ? unmet : probe,
    third: probe.met ? met : unmet,
    // Halving alone does not reset the counter.
    stall: stallOf(),
  };
}

/**
 * Whether the cost is just below the target. Exact answers never stop early: the value is refined to
 * `tolerance`.
 */
export const isNear = (probe: Probe, rule: Rule): boolean =>
  probe.met &&
  !rule.integer &&
  defined(probe.achieved).certificate !== 'exact' &&
  probe.excess >= Math.log1p(-gapAt(probe, rule));

/** Allowed gap: at least a fraction of the width of the answer, and a larger fraction after several tries. */
function gapAt({ achieved }: Probe, { gap, tries = 0 }: Rule): number {
  const { lower, upper } = defined(achieved);
  if (!(lower > 0 && Number.isFinite(upper))) return gap;
  const open = (upper - lower) / upper;
  return Math.max(
    gap,
    Math.min(5e-6, 0.05 * open),
    tries < few ? 0 : Math.min(1e-3, open / 2),
    tries < many ? 0 : 0.02,
  );
}

const few = 2;
const many = 4;

const width = (a: Probe, b: Probe): number => Math.abs(Math.log(a.value / b.value));
/** Geometric mean of the end points, or half the square root of `high` when `low` is 0. */
const middle = (low: number, high: number): number =>
  low === 0 ? Math.sqrt(high) / 2 : Math.sqrt(low) * Math.sqrt(high);

function guessOf({ met, unmet, third, stall }: Bracket, aim: number): number | undefined {
  const inside = (u: number | undefined): u is number =>
    u !== undefined && (u - Math.log(met.value)) * (u - Math.log(defined(unmet).value)) < 0;
  const quadratic = third === undefined ? undefined : through([met, defined(unmet), third], aim);
  const guess = inside(quadratic) ? quadratic : through([met, defined(unmet)], aim);
  if (!inside(guess)) return undefined;
  const near = [met, defined(unmet)]
    .map(({ value }) => Math.log(value))
    .reduce((a, b) => (Math.abs(a - guess) <= Math.abs(b - guess) ? a : b));
  const beyond = near + (guess - near) * 4 ** Math.max(0, stall - 1);
  return Math.exp(inside(beyond) ? beyond : guess);
}

/** Interpolates the logarithm of the value as a polynomial in the excess, and evaluates it at `aim`. */
function through(points: readonly Probe[], aim: number): number | undefined {
  const sum = points.reduce(
    (total, point) =>
      total +
      points.reduce(
        (term, other) =>
          other === point ? term : (term * (aim - other.excess)) / (point.excess - other.excess),
        Math.log(point.value),
      ),
    0,
  );
  return Number.isFinite(sum) ? sum : undefined;
}
