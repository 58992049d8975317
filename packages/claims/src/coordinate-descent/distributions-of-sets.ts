import type { Sketch } from '@lethe/core';
import fc from 'fast-check';
import type { SketchingSubject } from './sketching-subject.js';

/** A distribution of coordinate sets, as plain data. */
export interface DistributionChoice {
  readonly family:
    | 'full'
    | 'uniform'
    | 'single'
    | 'importance'
    | 'blocks'
    | 'important-blocks'
    | 'nice'
    | 'finite'
    | 'independent';
  readonly dimension: number;
  /** Numbers that determine probabilities, constants and the partition. */
  readonly weights: readonly number[];
}

/** A distribution of sets as a list. */
export interface ListedDistribution {
  readonly sketch: Sketch;
  readonly params: unknown;
  readonly dimension: number;
  readonly marginals: Float64Array;
  readonly sets: readonly { readonly coordinates: Uint32Array; readonly probability: number }[];
  /** The partition of a block distribution; single coordinates are blocks of one. */
  readonly blocks: readonly (readonly number[])[] | undefined;
}

type Sketches = Pick<
  SketchingSubject,
  'fullSketch' | 'singleCoordinate' | 'blockSketch' | 'tauNice' | 'finiteSketch' | 'independentCoordinates'
>;

const families = [
  'full',
  'uniform',
  'single',
  'importance',
  'blocks',
  'important-blocks',
  'nice',
  'finite',
  'independent',
] as const;
const most = 5;

/**
 * Distributions of sets of up to five coordinates: every family, and arbitrary ones on all non-empty sets.
 */
export const distributionChoices = (
  only: readonly DistributionChoice['family'][] = families,
): fc.Arbitrary<DistributionChoice> =>
  fc.record({
    family: fc.constantFrom(...only),
    dimension: fc.integer({ min: 1, max: most }),
    weights: fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 2 ** most, maxLength: 2 ** most }),
  });

/** Signed entries of size 10⁻³ to 10³; enough for a square matrix of the largest dimension. */
export const entries: fc.Arbitrary<readonly number[]> = fc.array(
  fc
    .tuple(fc.integer({ min: -999, max: 999 }), fc.integer({ min: -3, max: 3 }))
    .map(([digits, exponent]) => (digits / 100) * 10 ** exponent),
  { minLength: most * most, maxLength: most * most },
);
/** The same, positive. */
export const positives: fc.Arbitrary<readonly number[]> = fc.array(
  fc
    .tuple(fc.integer({ min: 100, max: 999 }), fc.integer({ min: -3, max: 3 }))
    .map(([digits, exponent]) => (digits / 100) * 10 ** exponent),
  { minLength: most * most, maxLength: most * most },
);

const shares = (weights: readonly number[]): number[] => {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
};

/** Partition by equal weights modulo 3. */
export function partitionOf({
  dimension,
  weights,
}: Pick<DistributionChoice, 'dimension' | 'weights'>): readonly (readonly number[])[] {
  const blocks: number[][] = [[], [], []];
  for (let j = 0; j < dimension; j++) blocks[weights[j] % 3].push(j);
  return blocks.filter(({ length }) => length > 0);
}

function withParams(
  { fullSketch, singleCoordinate, blockSketch, tauNice, finiteSketch, independentCoordinates }: Sketches,
  { family, dimension, weights }: DistributionChoice,
): readonly [Sketch, unknown] {
  const own = weights.slice(0, dimension);
  const blocks = partitionOf({ dimension, weights });
  switch (family) {
    case 'full':
      return [fullSketch, {}];
    case 'uniform':
      return [singleCoordinate, {}];
    case 'single':
      return [singleCoordinate, { choice: { by: 'probabilities', probabilities: shares(own) } }];
    case 'importance':
      return [singleCoordinate, { choice: { by: 'importance', smoothness: own } }];
    case 'blocks':
      return [
        blockSketch,
        { blocks, choice: { by: 'probabilities', probabilities: shares(weights.slice(-blocks.length)) } },
      ];
    case 'important-blocks':
      return [blockSketch, { blocks, choice: { by: 'importance', smoothness: own } }];
    case 'nice':
      return [tauNice, { tau: 1 + (weights[0] % dimension) }];
    case 'independent':
      return [independentCoordinates, { probabilities: own.map((weight) => weight / 1000) }];
    case 'finite': {
      const all = 2 ** dimension - 1;
      const masks = Array.from({ length: all }, (_, k) => k + 1).filter(
        (mask) => mask === all || weights[mask] % 3 > 0,
      );
      const probabilities = shares(masks.map((mask) => weights[mask]));
      return [
        finiteSketch,
        {
          sets: masks.map((mask, k) => ({
            coordinates: Array.from({ length: dimension }, (_, j) => j).filter((j) => (mask >> j) % 2 === 1),
            probability: probabilities[k],
          })),
        },
      ];
    }
  }
}

/** The chosen distribution, with the sketches of the subject. */
export function distributionOf(subject: Sketches, choice: DistributionChoice): ListedDistribution {
  const [sketch, input] = withParams(subject, choice);
  const params = sketch.params.parse(input);
  const { dimension, family } = choice;
  const single = family === 'uniform' || family === 'single' || family === 'importance';
  const blocksOf = () => {
    if (single) return Array.from({ length: dimension }, (_, j) => [j]);
    if (family === 'blocks' || family === 'important-blocks') return partitionOf(choice);
    return undefined;
  };
  return {
    sketch,
    params,
    dimension,
    marginals: sketch.marginals(params, dimension),
    sets: (sketch.enumerate(params, dimension) ?? []).map(({ drawn: { coordinates }, probability }) => ({
      coordinates,
      probability,
    })),
    blocks: blocksOf(),
  };
}

/** A separate constant for each set of coordinates. */
export const constantOf =
  (values: readonly number[]) =>
  (coordinates: Iterable<number>): number => {
    let mask = 0;
    for (const j of coordinates) mask += 2 ** j;
    return values[mask % values.length];
  };
