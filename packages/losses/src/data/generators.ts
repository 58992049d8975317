import { z } from 'zod';
import { parseOrThrow } from '@lethe/core';
import { balancedSigns, balancedSignsInto, momentsOfSigns } from './balanced-signs.js';
import { drawInto, law, momentsOf, type LawSpec, type Moments } from './law.js';
import type { DataRandom } from './random-source.js';

const response = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('linear'), noise: law.default({ law: 'gaussian', scale: 1 }) }),
  z.strictObject({ kind: z.literal('logistic') }),
]);

/** Laws of a whole matrix: those of a single entry, and one whose rows come in pairs. */
const featureLaw = z.discriminatedUnion('law', [...law.options, balancedSigns]);

/** What a synthetic data set is made of, as JSON. */
export const syntheticSpec = z
  .strictObject({
    rows: z.number().int().positive().max(2 ** 31),
    columns: z.number().int().positive().max(2 ** 31),
    features: featureLaw.describe('Law of every entry, independent of the others; balanced-signs instead draws rows x and their negatives, each entry ± the scale of its column.'),
    response: response.default({ kind: 'linear', noise: { law: 'gaussian', scale: 1 } }),
    weights: z.array(z.number().min(-1e100).max(1e100)).optional().describe('True weights; left out: uniform on the sphere of radius weightNorm.'),
    weightNorm: z.number().nonnegative().max(1e100).default(1),
  })
  .refine(({ rows, columns }) => rows * columns <= 2 ** 31, { path: ['rows'], error: 'rows × columns may be at most 2³¹' })
  .refine(({ weights, columns }) => weights === undefined || weights.length === columns, { path: ['weights'], error: 'needs one weight per column' })
  .refine(({ features, rows }) => features.law !== 'balanced-signs' || rows % 2 === 0, { path: ['rows'], error: 'balanced signs come in pairs of rows; give an even number' })
  .refine(({ features, columns }) => features.law !== 'balanced-signs' || typeof features.scale === 'number' || features.scale.length === columns, { path: ['features', 'scale'], error: 'needs one scale per column, or one for all' });

/** Input form of {@link syntheticSpec}. */
export type SyntheticSpec = z.input<typeof syntheticSpec>;

/** What is true of the population, in closed form. */
export interface PopulationFacts {
  /** Moments of one feature entry, or of those of each column where they differ; `E[x xᵀ]` has `second` on its diagonal and products of means beside it. */
  readonly feature: Moments | readonly Moments[];
  /** Moments of the additive noise; `null` for a logistic response. */
  readonly noise: Moments | null;
  /**
   * Minimiser of the population risk: of ½(w·x − y)² for a linear response (second moments finite, noise of mean zero), of
   * log(1 + exp(−y w·x)) for a logistic one (features of finite mean absolute value). `null` where that fails.
   *
   * With balanced signs the mean record of the data themselves is 0 too, exactly.
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
 * Independent rows with independent entries of one law (or pairs of rows `x`, `−x` of independent signs), and a response to `x · weights`: linear with additive noise, or
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
  const features = featuresInto(allocate(rows * columns), spec, random.fork('features'));
  const labels = allocate(rows);
  const isLinear = spec.response.kind === 'linear';
  if (spec.response.kind === 'linear') drawInto(labels, spec.response.noise, random.fork('noise'));
  const coin = random.fork('labels');
  for (let row = 0; row < rows; row++) {
    let margin = 0;
    for (let column = 0; column < columns; column++) margin += (features[row * columns + column] as number) * (weights[column] as number);
    labels[row] = isLinear ? (labels[row] as number) + margin : coin.uniform() < 1 / (1 + Math.exp(-margin)) ? 1 : -1;
  }
  const feature = momentsOfFeatures(spec.features);
  const noise = spec.response.kind === 'linear' ? momentsOf(spec.response.noise) : null;
  const hasOptimum = noise === null ? [feature].flat().every(({ mean }) => mean !== null) : [feature].flat().every(({ second }) => second < Infinity) && noise.second < Infinity && noise.mean === 0;
  return {
    features, rows, columns, labels, weights,
    facts: { feature, noise, optimum: hasOptimum ? weights.slice() : null, minimalRisk: noise !== null && hasOptimum ? noise.second / 2 : null },
  };
}

type Parsed = z.output<typeof syntheticSpec>;

function featuresInto(out: Float64Array, { features, columns }: Parsed, random: DataRandom): Float64Array {
  return features.law === 'balanced-signs' ? balancedSignsInto(out, columns, features, random) : drawInto(out, features, random);
}

function momentsOfFeatures(features: Parsed['features']): PopulationFacts['feature'] {
  return features.law === 'balanced-signs' ? momentsOfSigns(features) : momentsOf(features);
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
