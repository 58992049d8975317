import { parseOrThrow } from '@lethe/core';
import ndarray, { type NdArray } from 'ndarray';
import { balancedSignsInto } from './balanced-signs.js';
import { drawInto, type DistributionSpec } from './distribution.js';
import { multivariateTInto } from './multivariate-t.js';
import { populationFacts, type PopulationFacts } from './population-facts.js';
import type { DataRandom } from './random-source.js';
import { sphereInto } from './sphere.js';
import { syntheticSpec, type ParsedSyntheticSpec, type SyntheticSpec } from './synthetic-spec.js';

/**
 * Features `[rows, columns]`, whose rows follow one another, labels (±1 for a logistic response, classes for
 * softmax), and the
 * weights behind them, `[classes, columns]` for softmax.
 */
export interface SyntheticData {
  readonly features: NdArray<Float64Array>;
  readonly rows: number;
  readonly columns: number;
  readonly labels: Float64Array;
  readonly weights: Float64Array;
  readonly facts: PopulationFacts;
}

/** Memory of the arrays: `allocate(length)` gives `length` doubles with any content. */
export interface SyntheticOptions {
  /** Gives so many doubles, with any content. @defaultValue a `Float64Array` */
  readonly allocate?: (length: number) => Float64Array;
}

/**
 * Independent rows with independent entries of one law (or spherical rows, or pairs of rows `x`, `−x` of
 * independent signs, or fewer factors than columns), and a response to the margin `m = x · weights`: linear
 * or through a wavy link with additive noise, the sign of `m`, or `±1` with `P(y = 1) = 1/(1 + exp(−m))`. For
 * softmax there is a row of weights for each class, and class `k` has a probability in proportion to
 * `exp(x · weights_k)`. For groups the label is the group, drawn uniformly, and the features are moved by its
 * centre. The same description and random source give the same data; weights, features and
 * noise come from separate forks.
 *
 * @throws {InvalidParameter} for a description outside {@link syntheticSpec}.
 */
export function syntheticData(
  description: SyntheticSpec,
  random: DataRandom,
  options: SyntheticOptions = {},
): SyntheticData {
  const spec = parseOrThrow(syntheticSpec, description, 'synthetic data');
  const { rows, columns, response } = spec;
  const allocate = options.allocate ?? ((length: number) => new Float64Array(length));
  const weights = weightsOf(spec, random.fork('weights'));
  const features = featuresInto(allocate(rows * columns), spec, random.fork('features'));
  const labels = allocate(rows);
  if ('noise' in response) drawInto(labels, response.noise, random.fork('noise'));
  const randomness = random.fork('labels');
  if (response.kind === 'groups') groupsInto({ features, labels }, response, randomness);
  else responsesInto({ features, labels, weights }, response, randomness);
  return {
    features: ndarray(features, [rows, columns]),
    rows,
    columns,
    labels,
    weights,
    facts: populationFacts(spec, weights),
  };
}

/** Draws the group of each row, and moves its features. */
function groupsInto(
  { features, labels }: Pick<Drawn, 'features' | 'labels'>,
  { centres }: Extract<ParsedSyntheticSpec['response'], { kind: 'groups' }>,
  randomness: DataRandom,
): void {
  for (let row = 0; row < labels.length; row++) {
    const group = Math.floor(randomness.uniform() * centres.length);
    labels[row] = group;
    centres[group].forEach((entry, j) => {
      features[row * centres[group].length + j] += entry;
    });
  }
}

interface Drawn {
  readonly features: Float64Array;
  /** Noise where the response has any. */
  readonly labels: Float64Array;
  readonly weights: Float64Array;
}

/** Draws responses to the margins of the rows. */
function responsesInto(
  { features, labels, weights }: Drawn,
  response: Exclude<ParsedSyntheticSpec['response'], { kind: 'groups' }>,
  randomness: DataRandom,
): void {
  const columns = features.length / labels.length;
  for (let row = 0; row < labels.length; row++) {
    const marginOf = (k: number): number => {
      let margin = 0;
      for (let column = 0; column < columns; column++)
        margin += (features[row * columns + column] as number) * (weights[k * columns + column] as number);
      return margin;
    };
    labels[row] =
      response.kind === 'softmax'
        ? classOf(response.classes, marginOf, randomness)
        : labelOf(response, marginOf(0), labels[row] as number, randomness);
  }
}

/**
 * The class whose margin plus an independent Gumbel number is
 * largest: classes then have the probabilities of softmax.
 */
function classOf(classes: number, marginOf: (k: number) => number, randomness: DataRandom): number {
  let best = 0;
  let largest = -Infinity;
  for (let k = 0; k < classes; k++) {
    const value = marginOf(k) - Math.log(-Math.log(Math.max(randomness.uniform(), Number.MIN_VALUE)));
    if (value > largest) [best, largest] = [k, value];
  }
  return best;
}

function labelOf(
  response: Exclude<ParsedSyntheticSpec['response'], { kind: 'softmax' | 'groups' }>,
  margin: number,
  error: number,
  randomness: DataRandom,
): number {
  switch (response.kind) {
    case 'linear':
      return margin + error;
    case 'sine-link':
      return margin + response.amplitude * Math.sin(margin) + error;
    case 'logistic':
      return randomness.uniform() < 1 / (1 + Math.exp(-margin)) ? 1 : -1;
    case 'sign':
      return margin < 0 === randomness.uniform() < response.flipped ? 1 : -1;
  }
}

function weightsOf(
  { weights, weightNorm, nonZeroWeights, columns, response }: ParsedSyntheticSpec,
  random: DataRandom,
): Float64Array {
  if (weights !== undefined) return Float64Array.from(weights);
  return nonZeroWeights === undefined
    ? onSphere(columns * ('classes' in response ? response.classes : 1), weightNorm, random)
    : sparse(columns, weightNorm, nonZeroWeights, random);
}

function featuresInto(out: Float64Array, spec: ParsedSyntheticSpec, random: DataRandom): Float64Array {
  const { features, rows, columns, rank } = spec;
  if (rank === undefined) return factorsInto(out, columns, features, random);
  const factors = factorsInto(new Float64Array(rows * rank), rank, features, random);
  const basis = orthonormalRows(rank, columns, random.fork('directions'));
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      let sum = 0;
      for (let l = 0; l < rank; l++) sum += (factors[i * rank + l] as number) * (basis[l][j] as number);
      out[i * columns + j] = sum;
    }
  }
  return out;
}

function factorsInto(
  out: Float64Array,
  columns: number,
  features: ParsedSyntheticSpec['features'],
  random: DataRandom,
): Float64Array {
  switch (features.law) {
    case 'balanced-signs':
      return balancedSignsInto(out, columns, features, random);
    case 'multivariate-t':
      return multivariateTInto(out, columns, features, random);
    case 'sphere':
      return sphereInto(out, columns, features, random);
    default:
      return drawInto(out, features, random);
  }
}

/**
 * Random directions, each orthogonal to those before: Gram and
 * Schmidt, twice, as rounding leaves something after once.
 */
function orthonormalRows(rank: number, columns: number, random: DataRandom): readonly Float64Array[] {
  const rows: Float64Array[] = [];
  while (rows.length < rank) {
    const row = random.gaussianInto(new Float64Array(columns));
    for (let pass = 0; pass < 2; pass++) {
      for (const other of rows) {
        const along = other.reduce((sum, entry, j) => sum + entry * (row[j] as number), 0);
        other.forEach((entry, j) => {
          row[j] = (row[j] as number) - along * entry;
        });
      }
    }
    const length = Math.hypot(...row);
    if (length > 1e-6) rows.push(row.map((entry) => entry / length));
  }
  return rows;
}

type DesignOf<L extends DistributionSpec['law']> = Omit<SyntheticSpec, 'features'> &
  Omit<Extract<DistributionSpec, { law: L }>, 'law'>;

/** {@link syntheticData} with Gaussian features of standard deviation `scale`: every moment is finite. */
export function gaussianDesign(
  { scale, ...rest }: DesignOf<'gaussian'>,
  random: DataRandom,
  options?: SyntheticOptions,
): SyntheticData {
  return syntheticData({ ...rest, features: { law: 'gaussian', scale } }, random, options);
}

/**
 * {@link syntheticData} with Student-t features: moments of
 * order below `degreesOfFreedom` are finite, the others are not.
 */
export function studentTDesign(
  { scale, degreesOfFreedom, ...rest }: DesignOf<'student-t'>,
  random: DataRandom,
  options?: SyntheticOptions,
): SyntheticData {
  return syntheticData({ ...rest, features: { law: 'student-t', degreesOfFreedom, scale } }, random, options);
}

/**
 * {@link syntheticData} with log-normal features `scale · exp(sigma · z)`, less their mean unless `centred`
 * is false: every moment is finite, and grows fast.
 */
export function logNormalDesign(
  { scale, sigma, centred, ...rest }: DesignOf<'log-normal'>,
  random: DataRandom,
  options?: SyntheticOptions,
): SyntheticData {
  return syntheticData({ ...rest, features: { law: 'log-normal', sigma, scale, centred } }, random, options);
}

function onSphere(columns: number, norm: number, random: DataRandom): Float64Array {
  const direction = random.gaussianInto(new Float64Array(columns));
  const length = Math.sqrt(direction.reduce((sum, value) => sum + value * value, 0));
  return direction.map((value) => (length > 0 ? (value / length) * norm : norm / Math.sqrt(columns)));
}

/** Entries of equal size in random places. */
function sparse(columns: number, norm: number, nonZero: number, random: DataRandom): Float64Array {
  const out = new Float64Array(columns);
  const places = Array.from({ length: columns }, (_, j) => j);
  for (let k = 0; k < nonZero; k++) {
    const chosen = k + Math.floor(random.uniform() * (columns - k));
    [places[k], places[chosen]] = [places[chosen], places[k]];
    out[places[k]] = (random.uniform() < 0.5 ? 1 : -1) * (norm / Math.sqrt(nonZero));
  }
  return out;
}
