import { InvalidParameter, Unsupported } from '../errors.js';
import { type RealFunction, requireCount, requireTolerance } from './bracket.js';
import { gaussKronrod, type Panel } from './gauss-kronrod.js';
import { neumaierSum } from './neumaier-sum.js';

/** Tolerances and limits of the integration. */
export interface IntegrateOptions {
  /** Error allowed relative to the integral of `|f|`. @defaultValue 1e-10 */
  readonly tolerance?: number;
  /** Absolute error allowed; the looser of the two counts. @defaultValue 0 */
  readonly absoluteTolerance?: number;
  /** Maximum number of intervals, with 15 calls each. @defaultValue 2000 */
  readonly maximumPanels?: number;
}

/** An integral with an estimate (not a proof) of its absolute error. */
export interface Integral {
  readonly value: number;
  readonly error: number;
  /** Calls of the integrand. */
  readonly probes: number;
}

/** `f` on an unbounded interval as an integrand on a bounded one. */
function transform(
  f: RealFunction,
  lower: number,
  upper: number,
): { f: RealFunction; lower: number; upper: number } {
  if (Number.isFinite(lower) && Number.isFinite(upper)) return { f, lower, upper };
  // An integrand of 0 gives 0, also if the Jacobian overflows.
  const weigh = (value: number, weight: number): number => (value === 0 ? 0 : value * weight);
  if (Number.isFinite(lower)) {
    return { f: (t) => weigh(f(lower + t / (1 - t)), 1 / (1 - t) ** 2), lower: 0, upper: 1 };
  }
  if (Number.isFinite(upper)) return transform((x) => f(-x), -upper, Infinity);
  return { f: (t) => weigh(f(t / (1 - t * t)), (1 + t * t) / (1 - t * t) ** 2), lower: -1, upper: 1 };
}

function requireLimits(lower: number, upper: number): void {
  if (lower <= upper && lower !== Infinity && upper !== -Infinity) return;
  throw new InvalidParameter(
    `the limits ${lower} and ${upper} are not valid: give numbers or infinities with lower ≤ upper`,
    { lower, upper },
  );
}

/**
 * `∫ f` from `lower` to `upper`, adaptively; either limit may be infinite. Ends are never evaluated, so
 * integrable singularities there are allowed.
 *
 * Narrow peaks far from 0 on an unbounded interval may be
 * missed: split the interval, or centre the integrand.
 *
 * @throws {InvalidParameter} on bad limits or options and if `f` is NaN somewhere.
 * @throws {Unsupported} when the tolerance is not reached (`details` has the value and the error that were)
 * and if `f` is infinite at a node.
 * @see Piessens et al. 1983 (global adaptive bisection with the 7–15-point Gauss–Kronrod pair).
 */
export function integrate(
  f: RealFunction,
  lower: number,
  upper: number,
  options: IntegrateOptions = {},
): Integral {
  const { tolerance = 1e-10, absoluteTolerance = 0, maximumPanels = 2000 } = options;
  requireLimits(lower, upper);
  requireTolerance('tolerance', tolerance);
  requireTolerance('absoluteTolerance', absoluteTolerance);
  requireCount('maximumPanels', maximumPanels);
  if (lower === upper) return { value: 0, error: 0, probes: 0 };
  const { f: integrand, lower: a, upper: b } = transform(f, lower, upper);
  const panels: Panel[] = [gaussKronrod(integrand, a, b)];
  let split = 0;
  for (;;) {
    const error = neumaierSum(panels.map((panel) => panel.error));
    const value = neumaierSum(panels.map((panel) => panel.value));
    const allowed = Math.max(
      absoluteTolerance,
      tolerance * neumaierSum(panels.map((panel) => panel.magnitude)),
    );
    const probes = 15 * (1 + 2 * split);
    if (error <= allowed && Number.isFinite(value)) return { value, error, probes };
    const worst = panels.reduce(
      (index, panel, other) => (panel.error > panels[index].error ? other : index),
      0,
    );
    const panel = panels[worst];
    const centre = panel.lower + (panel.upper - panel.lower) / 2;
    if (panels.length >= maximumPanels || centre <= panel.lower || centre >= panel.upper) {
      throw new Unsupported(
        `the integral from ${lower} to ${upper} did not converge: error about ${error} with ${allowed} ` +
          'allowed; split the interval at kinks and peaks, or allow more',
        { value: String(value), error: String(error), allowed, probes },
      );
    }
    panels[worst] = gaussKronrod(integrand, panel.lower, centre);
    panels.push(gaussKronrod(integrand, centre, panel.upper));
    split++;
  }
}
