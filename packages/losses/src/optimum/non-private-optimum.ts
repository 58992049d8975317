import { InvalidParameter, seededRandom, Unsupported, type Loss, type Resolved } from '@lethe/core';
import { type Domain, type Proximal } from '@lethe/numerics';
import { assertResolved } from '../assert-resolved.js';
import { assertPoint, assertRows, type LabelledRows } from '../labelled-rows.js';
import { sineLink } from '../sine-link.js';
import { squaredDistance } from '../squared-distance.js';
import { kinkedOptimum, kinkedSlopes } from './kinked-optimum.js';
import { meanOptimum } from './mean-optimum.js';
import { newtonDescent, type Descent } from './newton-descent.js';
import { isNeverNegative, objectiveOf } from './objective.js';

/** A minimiser of the average risk, plus the regulariser if there is one, and how good it is. */
export interface NonPrivateOptimum {
  readonly point: Float64Array;
  /** Regulariser included. */
  readonly risk: number;
  /**
   * `‖∇F‖₂` at `point`, or of the least subgradient; not small where the constraint holds the point back. Of a loss with a kink the gradient of its
   * smoothed version, which is near a subgradient.
   */
  readonly gradientNorm: number;
  /**
   * Certified: `risk − minimal risk ≤ gap`, up to rounding. Never more than the risk where losses are never negative, and no better than that on an unbounded
   * domain unless there is a ridge, or ℓ1; `Infinity` for others there.
   */
  readonly gap: number;
  /**
   * `gap`: the loss is convex and `gap` is small where the search ended well. `stationary`: it is not; the point is the best of the stationary ones that
   * descents from several points led to, nobody knows whether there is a better one, and `gap` says no more than that losses are not negative.
   */
  readonly certified: 'gap' | 'stationary';
  /** Passes over the data. */
  readonly passes: number;
}
/** What {@link nonPrivateOptimum} adds to the risk, and when it stops. */
export interface OptimumOptions {
  /** A public convex function added to the average risk: a ridge (`l2-squared`), or over the whole space `l1`; any with the squared distance there. */
  readonly regulariser?: Proximal;
  /** Stops once the certified gap is at most this. @defaultValue 1e-10 × (1 + |risk|) */
  readonly tolerance?: number;
  /** For each descent: a loss with a kink takes one for each width of its smoothing. @defaultValue 60 */
  readonly maximalPasses?: number;
  /** Points to descend from besides the origin, where the loss is not convex. @defaultValue four standard normal ones, always the same */
  readonly starts?: readonly Float64Array[];
}

/**
 * The minimiser of the average risk over a domain: **not private**, the baseline of evaluations. Meant for up to a few million rows and some tens of
 * columns.
 *
 * Convex, smooth linear models: by projected (or proximal) Newton steps, about one pass over the data each. The absolute and the hinge loss: by the
 * same steps on smoothed versions, with a certificate for the loss itself. The squared distance: in closed form. The sine link, which is not convex:
 * by the same steps from several points, and then {@link NonPrivateOptimum.certified} says that nothing is certain.
 *
 * @throws {Unsupported} for other losses, and for regularisers other than the above.
 * @throws {InvalidParameter} when the loss has no parameters with it, shapes disagree or the risk is not finite.
 */
export function nonPrivateOptimum(loss: Resolved<Loss>, data: LabelledRows, domain: Domain, { regulariser, tolerance, maximalPasses = 60, starts }: OptimumOptions = {}): NonPrivateOptimum {
  assertResolved(loss);
  assertRows(data);
  const { columns: d, rows } = data, { plugin } = loss, slopes = kinkedSlopes(plugin);
  assertSolvable(plugin, data, domain);
  const start = domain.projectInto(new Float64Array(d), new Float64Array(d)), options = { start, rows, tolerance, maximalPasses };
  if (plugin === squaredDistance) return report(meanOptimum((loss.params as { readonly scale: number }).scale, data, domain, regulariser, options), plugin);
  if (slopes !== undefined) return report(kinkedOptimum(slopes, data, domain, regulariser, options), plugin);
  const objective = objectiveOf(loss, data, domain, regulariser);
  if (plugin.capabilities.convex === true) return report(newtonDescent(objective, domain, options), plugin);
  const places = [start, ...(starts ?? normalPoints(d)).map((point) => { assertPoint(point, d); return domain.projectInto(new Float64Array(d), point); })];
  const descents = places.map((from) => newtonDescent(objective, domain, { ...options, start: from }));
  const best = descents.reduce((least, descent) => (descent.risk < least.risk ? descent : least));
  return { ...report({ ...best, gap: Infinity }, plugin), certified: 'stationary', passes: descents.reduce((sum, { passes }) => sum + passes, 0) };
}

/** A risk that is never negative is no further from the least than from 0. */
const report = ({ point, risk, gap, residual, passes }: Descent, plugin: Loss): NonPrivateOptimum =>
  ({ point, risk, gradientNorm: residual, gap: isNeverNegative(plugin) ? Math.min(gap, risk) : gap, certified: 'gap', passes });

const normalPoints = (dimension: number): readonly Float64Array[] => [1, 2, 3, 4].map((k) => seededRandom(`starts/${k}`).gaussianInto(new Float64Array(dimension)));

function assertSolvable(plugin: Loss, { columns }: LabelledRows, domain: Domain): void {
  const { convex, smooth, linear } = plugin.capabilities;
  const isKnown = plugin === squaredDistance || plugin === sineLink || kinkedSlopes(plugin) !== undefined;
  if (!isKnown && (convex !== true || smooth !== true || linear !== true)) {
    throw new Unsupported(`loss '${plugin.name}' is not declared convex, smooth and linear; the reference solver needs all three, or one of the losses it knows: 'absolute', 'hinge', 'squared-distance', 'sine-link'`, { loss: plugin.name });
  }
  if (domain.dimension !== columns) throw new InvalidParameter(`the domain has dimension ${domain.dimension}, the data have ${columns} columns`, { dimension: domain.dimension, columns });
}
