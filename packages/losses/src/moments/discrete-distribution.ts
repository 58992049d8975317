import { InvalidParameter, Unsupported, type Loss, type Resolved } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { assertResolved } from '../assert-resolved.js';
import type { Iterates } from '../empirical-moment.js';
import { checkOrder } from '../gradient-moments.js';
import { assertRows, recordOf, type DenseRows } from '../labelled-rows.js';
import { linear } from '../linear.js';
import { gradientNorms, largestGradientNorms, powerMean } from '../record-gradients.js';
import { squared } from '../squared.js';
import { squaredDistance } from '../squared-distance.js';

/** A law of records with finitely many values. */
export interface DiscreteDistribution {
  readonly points: DenseRows;
  /** One for each point; they sum to 1. */
  readonly probabilities: ArrayLike<number>;
}

/** Moments as roots; `null` where a supremum over a ball has no closed form. */
export interface DiscreteMoments {
  /** `r_k = sup_w (E‖∇f‖^k)^(1/k)`, Assumption 2. */
  readonly pointwise: number | null;
  /** `r̃_k = (E sup_w ‖∇f‖^k)^(1/k)`, Assumption 1. */
  readonly uniform: number;
  /** `γ_k^(1/k) = sup_w max_j (E|(∇f − ∇F)_j|^k)^(1/k)`, Assumption 3. */
  readonly coordinate: number | null;
  /** `L = sup_w ‖∇F(w)‖`. */
  readonly lipschitzOfRisk: number | null;
}

/** Arguments of the moments. */
export interface MomentQuestion {
  readonly order: number;
  readonly over: Iterates;
}

/**
 * Gradient moments of a law with finitely many values, exact up to rounding. Over a ball all of them are
 * known for affine losses, and in one dimension for those whose gradient is affine in `w` (the squared ones):
 * `|∇f|^k` is then convex in `w`, and largest at an end. Elsewhere give points.
 *
 * @throws {InvalidParameter} unless the loss has its parameters with it, shapes agree and the probabilities
 * are at least 0 and sum to 1 within 1e-9.
 * @throws {Unsupported} as {@link empiricalGradientMoment} does.
 * @see Lowy and Razaviyayn, Assumptions 1 to 3.
 */
export function discreteMoments(
  distribution: DiscreteDistribution,
  loss: Resolved<Loss>,
  { order, over }: MomentQuestion,
): DiscreteMoments {
  assertResolved(loss);
  checkDistribution(distribution);
  checkOrder(order);
  const { points, probabilities } = distribution;
  const where = decisivePoints(loss.plugin, over, points.columns);
  if ('points' in over && over.points.length === 0)
    throw new InvalidParameter('a moment needs at least one point', { points: 0 });
  let [pointwise, coordinate, lipschitzOfRisk] = where === null ? [null, null, null] : [0, 0, 0];
  const largest = new Float64Array(points.rows);
  for (const w of where ?? []) {
    const sizes = gradientNorms(loss, points, w);
    const gradients = gradientsAt(loss, points, w);
    const mean = meanOf(gradients, probabilities, points.columns);
    sizes.forEach((size, i) => {
      largest[i] = Math.max(largest[i], size);
    });
    pointwise = Math.max(defined(pointwise), powerMean(sizes, order, probabilities));
    lipschitzOfRisk = Math.max(defined(lipschitzOfRisk), Math.hypot(...mean));
    for (let j = 0; j < points.columns; j++)
      coordinate = Math.max(
        defined(coordinate),
        powerMean(
          Float64Array.from(gradients, (gradient) => Math.abs(gradient[j] - mean[j])),
          order,
          probabilities,
        ),
      );
  }
  if ('radius' in over) largest.set(largestGradientNorms(loss, points, over.radius));
  return { pointwise, uniform: powerMean(largest, order, probabilities), coordinate, lipschitzOfRisk };
}

/** Points at which a supremum over the iterates of any of the moments is attained; `null` if unknown. */
function decisivePoints(loss: Loss, over: Iterates, dimension: number): readonly Float64Array[] | null {
  if ('points' in over) return over.points;
  if (loss === linear) return [new Float64Array(dimension)];
  return dimension === 1 && (loss === squared || loss === squaredDistance)
    ? [Float64Array.of(over.radius), Float64Array.of(-over.radius)]
    : null;
}

/** @throws {InvalidParameter} unless it is a law. */
function checkDistribution({ points, probabilities }: DiscreteDistribution): void {
  assertRows(points);
  if (probabilities.length !== points.rows)
    throw new InvalidParameter(
      `${points.rows} points need as many probabilities; got ${probabilities.length}`,
      { points: points.rows, probabilities: probabilities.length },
    );
  let sum = 0;
  for (let i = 0; i < probabilities.length; i++) {
    if (!(probabilities[i] >= 0))
      throw new InvalidParameter(`probability ${i} is ${probabilities[i]}; it must be at least 0`, {
        index: i,
      });
    sum += probabilities[i];
  }
  if (!(Math.abs(sum - 1) <= 1e-9))
    throw new InvalidParameter(`the probabilities sum to ${sum}; they must sum to 1`, { sum });
}

function gradientsAt(
  { plugin, params }: Resolved<Loss>,
  points: DenseRows,
  w: Float64Array,
): readonly Float64Array[] {
  return Array.from({ length: points.rows }, (_, i) => {
    const gradient = new Float64Array(points.columns);
    plugin.gradientInto(params, gradient, w, recordOf(points, i));
    return gradient;
  });
}

function meanOf(
  gradients: readonly Float64Array[],
  probabilities: ArrayLike<number>,
  dimension: number,
): Float64Array {
  return new Float64Array(dimension).map((_, j) =>
    gradients.reduce((sum, gradient, i) => sum + probabilities[i] * gradient[j], 0),
  );
}

/** Compositions that are enumerated at most. */
const mostCompositions = 5_000_000;

/**
 * The moment `r̃_{k,m} = (E sup_w (1/m) Σ ‖∇f(w; xᵢ)‖^k)^(1/k)` of a batch of `m` independent records of a
 * finite distribution, by enumeration of the multiplicities of its values. It is `r̃_k` at `m = 1` and falls
 * towards `r_k` as `m` doubles.
 *
 * @throws {InvalidParameter} unless `m` is a positive integer,
 * and where there are more than five million ways.
 * @throws {Unsupported} over a ball, where the point of the supremum is unknown.
 * @see Lowy and Razaviyayn, Appendix G.1 and Lemma 35.
 */
export function discreteBatchMoment(
  distribution: DiscreteDistribution,
  loss: Resolved<Loss>,
  { order, over, batch }: MomentQuestion & { readonly batch: number },
): number {
  assertResolved(loss);
  checkDistribution(distribution);
  checkOrder(order);
  if (!(Number.isInteger(batch) && batch > 0))
    throw new InvalidParameter(`batch is ${batch}; it must be a positive integer`, { batch });
  const { points, probabilities } = distribution;
  const where = decisivePoints(loss.plugin, over, points.columns);
  if (batch === 1) return discreteMoments(distribution, loss, { order, over }).uniform;
  if (where === null)
    throw new Unsupported(
      'over a ball, nobody knows at which point the moments of a batch are largest for loss ' +
        `'${loss.plugin.name}' in ${points.columns} dimensions; give points instead of a radius`,
      { loss: loss.plugin.name },
    );
  if (where.length === 0) throw new InvalidParameter('a moment needs at least one point', { points: 0 });
  const sizes = where.map((w) => gradientNorms(loss, points, w));
  const scale = sizes.reduce(
    (most, each) => each.reduce((top, size, i) => (probabilities[i] > 0 ? Math.max(top, size) : top), most),
    0,
  );
  if (scale === 0) return 0;
  const powers = sizes.map((each) => each.map((size) => (Math.min(size, scale) / scale) ** order));
  const values = points.rows;
  let ways = 1;
  for (let i = 1; i < values; i++) ways *= (batch + i) / i;
  if (ways > mostCompositions)
    throw new InvalidParameter(
      `${batch} records of ${values} values can come in ${ways.toPrecision(3)} ways, ` +
        `more than ${mostCompositions} are not enumerated; take a smaller batch or fewer values`,
      { batch, values },
    );
  const sums = powers.map(() => new Float64Array(values + 1));
  let total = 0;
  /** Values from `i` on share `left` records; `chance` is that of the counts so far. */
  const share = (i: number, left: number, chance: number): void => {
    const add = (count: number): void =>
      powers.forEach((each, k) => {
        sums[k][i + 1] = sums[k][i] + count * each[i];
      });
    if (i === values - 1 || left === 0) {
      if (i === values - 1) add(left);
      total +=
        chance *
        (i === values - 1 ? probabilities[i] ** left : 1) *
        Math.max(...sums.map((each) => each[i === values - 1 ? values : i]));
      return;
    }
    for (
      let count = 0, weight = chance;
      count <= left;
      weight *= ((left - count) / (count + 1)) * probabilities[i], count++
    ) {
      if (weight === 0) break;
      add(count);
      share(i + 1, left - count, weight);
    }
  };
  share(0, batch, 1);
  return scale * (total / batch) ** (1 / order);
}
