import { InvalidParameter, parseOrThrow, Unsupported, type Loss, type Resolved } from '@lethe/core';
import { logBinomial, logGamma } from '@lethe/numerics';
import * as z from 'zod';
import { assertResolved } from '../assert-resolved.js';
import { absolute } from '../absolute.js';
import { law as lawSchema } from '../data/distribution.js';
import { multivariateT } from '../data/multivariate-t.js';
import { checkOrder } from '../gradient-moments.js';
import { hinge } from '../hinge.js';
import { linear } from '../linear.js';
import { squared } from '../squared.js';
import { squaredDistance } from '../squared-distance.js';
import { logSumOf, magnitudeOf, type FeatureDistributionSpec, type Magnitude } from './magnitude.js';

const populationSchema = z.strictObject({
  features: z.discriminatedUnion('law', [...lawSchema.options, multivariateT]),
  columns: z.int().positive().max(1e6).default(1),
  residual: lawSchema
    .default({ law: 'gaussian', scale: 1 })
    .describe('Law of y − ⟨reference, x⟩, independent of x.'),
});

/**
 * A population of a regression: features of one law, and independent of them the residual at a public
 * reference point, say the true weights.
 */
export type RegressionPopulation = z.input<typeof populationSchema>;
type Parsed = z.output<typeof populationSchema>;

/**
 * Moments as roots: `Infinity` where they do not exist, `null`
 * where nothing is known but that `uniform` is larger.
 */
export interface PopulationMoment {
  /** `r_k`, Assumption 2. */
  readonly pointwise: number | null;
  /** `r̃_k`, Assumption 1. */
  readonly uniform: number;
  /** `γ_k^(1/k)`, Assumption 3. */
  readonly coordinate: number | null;
}

/** Iterates within `distance` of the reference point; of the squared distance, of the origin. */
export interface PopulationQuestion {
  readonly order: number;
  readonly distance: number;
}

/**
 * Gradient moments of a population in closed form or by quadrature, accurate to about 1e-10: of `squared`,
 * `linear`, `absolute`, `hinge` (of which they are `E‖x‖^k`, where the ball holds a point at which the slope
 * is not 0) and `squared-distance`. They are population facts: they may choose step sizes and clip norms,
 * never a sensitivity.
 *
 * `uniform` of the squared loss is `(E ‖x‖^k (distance·‖x‖ + |residual|)^k)^(1/k)`, which any real order has.
 * `pointwise` is known at even orders for laws that look alike in every direction: at distance `R` along `θ`,
 * `E |R⟨θ, x⟩ + residual|^k ‖x‖^k` grows with `R` and does not depend on `θ`.
 *
 * @throws {InvalidParameter} for a loss without its parameters, an order
 * below 2 or a distance below 0, and for laws outside their schema.
 * @throws {Unsupported} for other losses and for norms without a law in closed form.
 * @see Lowy and Razaviyayn, Assumptions 1 to 3 and Example 1.
 */
export function gradientMomentOf(
  loss: Resolved<Loss>,
  population: RegressionPopulation,
  { order, distance }: PopulationQuestion,
): PopulationMoment {
  assertResolved(loss);
  checkOrder(order);
  const { plugin, params } = loss;
  if (!(distance >= 0 && Number.isFinite(distance)))
    throw new InvalidParameter(`distance is ${distance}; it must be finite and at least 0`, { distance });
  const parsed = parseOrThrow(populationSchema, population, 'the population');
  if (plugin === squared) return squaredMoment(parsed, order, distance);
  if (plugin === squaredDistance)
    return distanceMoment(parsed, order, distance, (params as { readonly scale: number }).scale);
  if (plugin !== linear && plugin !== absolute && plugin !== hinge) {
    throw new Unsupported(
      `moments of loss '${plugin.name}' over a ball have no closed form; ` +
        'take discreteMoments at points, or a bound such as logisticGradientMoment',
      { loss: plugin.name },
    );
  }
  const size = rootOf(
    expectation(magnitudeOf(parsed.features, parsed.columns, order), (log) => order * log),
    order,
  );
  return {
    pointwise: size,
    uniform: size,
    coordinate: plugin === linear ? entryMoment(parsed, order) : null,
  };
}

const rootOf = (logMoment: number, order: number): number => Math.exp(logMoment / order);

/** `log E exp f(log ‖x‖)`; `Infinity` where there is no such moment. */
const expectation = (size: Magnitude | null, f: (log: number) => number): number =>
  size === null ? Infinity : logSumOf(size.logWeights.map((weight, i) => weight + f(size.logs[i])));

function squaredMoment(
  { features, columns, residual }: Parsed,
  order: number,
  distance: number,
): PopulationMoment {
  const sizes = magnitudeOf(features, columns, distance > 0 ? 2 * order : order);
  const errors = magnitudeOf(residual, 1, order);
  if (sizes === null || errors === null)
    return {
      pointwise: isSpherical(features, columns) && Number.isInteger(order / 2) ? Infinity : null,
      uniform: Infinity,
      coordinate: null,
    };
  const uniform = expectation(
    sizes,
    (log) => order * log + expectation(errors, (error) => order * logAdd(Math.log(distance) + log, error)),
  );
  if (!isSpherical(features, columns) || !Number.isInteger(order / 2))
    return { pointwise: null, uniform: rootOf(uniform, order), coordinate: null };
  const terms = evenUpTo(order)
    .filter((j) => distance > 0 || j === 0)
    .map(
      (j) =>
        logBinomial(order, j) +
        (j > 0 ? j * Math.log(distance) : 0) +
        logCosine(columns, j) +
        expectation(sizes, (log) => (order + j) * log) +
        expectation(errors, (error) => (order === j ? 0 : (order - j) * error)),
    );
  return { pointwise: rootOf(logSumOf(terms), order), uniform: rootOf(uniform, order), coordinate: null };
}

function distanceMoment(
  { features, columns }: Parsed,
  order: number,
  distance: number,
  scale: number,
): PopulationMoment {
  const sizes = magnitudeOf(features, columns, order);
  const coordinate = entryMoment({ features }, order);
  const scaled = coordinate === null ? null : scale * coordinate;
  if (sizes === null) return { pointwise: Infinity, uniform: Infinity, coordinate: scaled };
  const uniform =
    scale *
    rootOf(
      expectation(sizes, (log) => order * logAdd(Math.log(distance), log)),
      order,
    );
  if (!isSpherical(features, columns) || !Number.isInteger(order / 2))
    return { pointwise: null, uniform, coordinate: scaled };
  // E (R² + r² − 2Rr cos)^(k/2): odd powers of the cosine have mean 0.
  const half = order / 2;
  const terms = evenUpTo(half)
    .filter((i) => distance > 0 || i === 0)
    .map(
      (i) =>
        logBinomial(half, i) +
        (i > 0 ? i * Math.log(2 * distance) : 0) +
        logCosine(columns, i) +
        expectation(
          sizes,
          (log) => (i > 0 ? i * log : 0) + (half - i) * logAdd(2 * Math.log(distance), 2 * log),
        ),
    );
  return { pointwise: scale * rootOf(logSumOf(terms), order), uniform, coordinate: scaled };
}

/** Moment of one entry with mean 0. */
function entryMoment({ features }: Pick<Parsed, 'features'>, order: number): number | null {
  const isCentred = isSymmetric(features) || (features.law === 'log-normal' && features.centred);
  return isCentred
    ? rootOf(
        expectation(magnitudeOf(features, 1, order), (log) => order * log),
        order,
      )
    : null;
}

const isSymmetric = (law: FeatureDistributionSpec): boolean =>
  law.law === 'two-point' || law.law === 'pareto' ? law.signed : law.law !== 'log-normal';
const isSpherical = (law: FeatureDistributionSpec, columns: number): boolean =>
  isSymmetric(law) && (columns === 1 || law.law === 'gaussian' || law.law === 'multivariate-t');
const evenUpTo = (most: number): number[] =>
  Array.from({ length: Math.floor(most / 2) + 1 }, (_, i) => 2 * i);
/** `log E θ₁^j` of a uniform direction `θ`, `j` even. */
const logCosine = (columns: number, j: number): number =>
  logGamma(columns / 2) + logGamma((j + 1) / 2) - logGamma(0.5) - logGamma((columns + j) / 2);
const logAdd = (a: number, b: number): number => {
  if (a === -Infinity) return b;
  return b === -Infinity ? a : Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));
};
