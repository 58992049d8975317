import { z } from 'zod';
import { parseOrThrow } from '@lethe/core';
import { drawInto, law, momentsOf, type LawSpec, type Moments } from './law.js';
import type { DataRandom } from './random-source.js';

const response = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('linear'), noise: law.default({ law: 'gaussian', scale: 1 }) }),
  z.strictObject({ kind: z.literal('logistic') }),
]);

/** What a synthetic data set is made of, as JSON. */
export const syntheticSpec = z
  .strictObject({
    rows: z.number().int().positive().max(2 ** 31),
    columns: z.number().int().positive().max(2 ** 31),
    features: law.describe('Law of every entry; entries are independent.'),
    response: response.default({ kind: 'linear', noise: { law: 'gaussian', scale: 1 } }),
    weights: z.array(z.number().min(-1e100).max(1e100)).optional().describe('True weights; left out: uniform on the sphere of radius weightNorm.'),
    weightNorm: z.number().nonnegative().max(1e100).default(1),
  })
  .refine(({ rows, columns }) => rows * columns <= 2 ** 31, { path: ['rows'], error: 'rows × columns may be at most 2³¹' })
  .refine(({ weights, columns }) => weights === undefined || weights.length === columns, { path: ['weights'], error: 'needs one weight per column' });

/** Input form of {@link syntheticSpec}. */
export type SyntheticSpec = z.input<typeof syntheticSpec>;

/** What is true of the population, in closed form. */
export interface PopulationFacts {
  /** Moments of one feature entry; `E[x xᵀ]` has `second` on its diagonal and `mean²` beside it. */
  readonly feature: Moments;
  /** Moments of the additive noise; `null` for a logistic response. */
  readonly noise: Moments | null;
  /**
   * Minimiser of the population risk: of ½(w·x − y)² for a linear response (second moments finite, noise of mean zero), of
   * log(1 + exp(−y w·x)) for a logistic one (features of finite mean absolute value). `null` where that fails.
   */
  readonly optimum: Float64Array | null;
  /** Least population risk ½E[noise²] of the squared loss; `null` without a closed form. */
  readonly minimalRisk: number | null;
}

/** Features `[rows, columns]`, row-major, labels (±1 for a logistic response), and the weights behind them. */
export interface SyntheticData {
  readonly features: Float64Array;
  readonly rows: number;
  readonly columns: number;
  readonly labels: Float64Array;
  readonly weights: Float64Array;
  readonly facts: PopulationFacts;
}

/** Where the arrays live: `allocate(length)` gives `length` doubles, whatever they hold. */
export interface SyntheticOptions {
  readonly allocate?: (length: number) => Float64Array;
}

/**
 * Independent rows with independent entries of one law, and a response to `x · weights`: linear with additive noise, or
 * `±1` with `P(y = 1) = 1/(1 + exp(−x · weights))`. The same description and random source give the same data;
 * weights, features and noise come from separate forks.
 *
 * @throws {InvalidParameter} for a description outside {@link syntheticSpec}.
 */
export function syntheticData(description: SyntheticSpec, random: DataRandom, options: SyntheticOptions = {}): SyntheticData {
  const spec = parseOrThrow(syntheticSpec, description, 'synthetic data');
  const { rows, columns } = spec;
  const allocate = options.allocate ?? ((length: number) => new Float64Array(length));
  const weights = spec.weights === undefined ? onSphere(columns, spec.weightNorm, random.fork('weights')) : Float64Array.from(spec.weights);
  const features = drawInto(allocate(rows * columns), spec.features, random.fork('features'));
  const labels = allocate(rows);
  const isLinear = spec.response.kind === 'linear';
  if (spec.response.kind === 'linear') drawInto(labels, spec.response.noise, random.fork('noise'));
  const coin = random.fork('labels');
  for (let row = 0; row < rows; row++) {
    let margin = 0;
    for (let column = 0; column < columns; column++) margin += (features[row * columns + column] as number) * (weights[column] as number);
    labels[row] = isLinear ? (labels[row] as number) + margin : coin.uniform() < 1 / (1 + Math.exp(-margin)) ? 1 : -1;
  }
  const feature = momentsOf(spec.features);
  const noise = spec.response.kind === 'linear' ? momentsOf(spec.response.noise) : null;
  const hasOptimum = noise === null ? feature.mean !== null : feature.second < Infinity && noise.second < Infinity && noise.mean === 0;
  return {
    features, rows, columns, labels, weights,
    facts: { feature, noise, optimum: hasOptimum ? weights.slice() : null, minimalRisk: noise !== null && hasOptimum ? noise.second / 2 : null },
  };
}

type DesignOf<L extends LawSpec['law']> = Omit<SyntheticSpec, 'features'> & Omit<Extract<LawSpec, { law: L }>, 'law'>;

/** {@link syntheticData} with Gaussian features of standard deviation `scale`: every moment is finite. */
export function gaussianDesign({ scale, ...rest }: DesignOf<'gaussian'>, random: DataRandom, options?: SyntheticOptions): SyntheticData {
  return syntheticData({ ...rest, features: { law: 'gaussian', scale } }, random, options);
}

/** {@link syntheticData} with Student-t features: moments of order below `degreesOfFreedom` are finite, the others are not. */
export function studentTDesign({ scale, degreesOfFreedom, ...rest }: DesignOf<'student-t'>, random: DataRandom, options?: SyntheticOptions): SyntheticData {
  return syntheticData({ ...rest, features: { law: 'student-t', degreesOfFreedom, scale } }, random, options);
}

/** {@link syntheticData} with log-normal features `scale · exp(sigma · z)`, less their mean unless `centred` is false: every moment is finite, and grows fast. */
export function logNormalDesign({ scale, sigma, centred, ...rest }: DesignOf<'log-normal'>, random: DataRandom, options?: SyntheticOptions): SyntheticData {
  return syntheticData({ ...rest, features: { law: 'log-normal', sigma, scale, centred } }, random, options);
}

function onSphere(columns: number, norm: number, random: DataRandom): Float64Array {
  const direction = random.gaussianInto(new Float64Array(columns));
  const length = Math.sqrt(direction.reduce((sum, value) => sum + value * value, 0));
  return direction.map((value) => (length > 0 ? (value / length) * norm : norm / Math.sqrt(columns)));
}
