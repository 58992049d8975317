import { parseOrThrow, type Sketch } from '@lethe/core';
import { finiteSketch } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import fc, { type Arbitrary } from 'fast-check';
import type { ConvergenceSubject } from './convergence-subject.js';

/**
 * A distribution of random coordinate sets as plain data. Weights are positive and proportional to
 * probabilities.
 */
export type SketchInput =
  | { readonly family: 'full' }
  | { readonly family: 'single'; readonly choice: 'uniform' | 'importance' | readonly number[] }
  | {
      readonly family: 'blocks';
      readonly blocks: readonly (readonly number[])[];
      readonly choice: 'uniform' | 'importance' | readonly number[];
    }
  | { readonly family: 'nice'; readonly tau: number }
  | { readonly family: 'independent'; readonly probabilities: readonly number[] }
  | { readonly family: 'finite'; readonly weights: readonly number[] };

/** One set of coordinates with its probability. */
export interface DrawnSet {
  readonly coordinates: Uint32Array;
  readonly probability: number;
}

/** A sketch with parameters, and its distribution as a list. */
export interface SketchCase {
  readonly sketch: Sketch;
  readonly params: unknown;
  readonly law: readonly DrawnSet[];
  readonly marginals: Float64Array;
  /** The parts, if every draw is one part of a partition. */
  readonly blocks?: readonly (readonly number[])[];
}

/** Weights normalised to sum 1. */
export function normalised(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** Distributions up to dimension 5: the named families, and arbitrary weights on all non-empty sets. */
export function sketchInputs(dimension: number): Arbitrary<SketchInput> {
  const choiceOf = (count: number) =>
    fc.oneof(fc.constant('uniform' as const), fc.constant('importance' as const), weightsOf(count));
  return fc.oneof(
    fc.constant<SketchInput>({ family: 'full' }),
    choiceOf(dimension).map((choice): SketchInput => ({ family: 'single', choice })),
    partitionInputs(dimension).chain((blocks) =>
      choiceOf(blocks.length).map((choice): SketchInput => ({ family: 'blocks', blocks, choice })),
    ),
    fc.integer({ min: 1, max: dimension }).map((tau): SketchInput => ({ family: 'nice', tau })),
    fc
      .array(fc.integer({ min: 1, max: 8 }), { minLength: dimension, maxLength: dimension })
      .map((eighths): SketchInput => ({ family: 'independent', probabilities: eighths.map((k) => k / 8) })),
    weightsOf(2 ** dimension - 1).map((weights): SketchInput => ({ family: 'finite', weights })),
  );
}

/** Positive weights of very different size. */
export const weightsOf = (count: number): Arbitrary<readonly number[]> =>
  fc.array(
    fc.integer({ min: 0, max: 6 }).map((k) => 2 ** k),
    { minLength: count, maxLength: count },
  );

/** Partitions of the coordinates. */
export const partitionInputs = (dimension: number): Arbitrary<readonly (readonly number[])[]> =>
  fc
    .array(fc.nat(dimension - 1), { minLength: dimension, maxLength: dimension })
    .map((labels) =>
      [...new Set(labels)].map((label) => labels.flatMap((other, j) => (other === label ? [j] : []))),
    );

type Makers = Pick<
  ConvergenceSubject,
  'fullSketch' | 'singleCoordinate' | 'blockSketch' | 'tauNice' | 'independentCoordinates'
>;

/** The sketch of an input, from the makers of the subject. */
export function sketchCase(makers: Makers, input: SketchInput, smoothness: Float64Array): SketchCase {
  const dimension = smoothness.length;
  const { sketch, given, blocks } = made(makers, input, smoothness);
  const params = parseOrThrow(sketch.params, given, `sketch '${sketch.name}'`);
  const law = defined(sketch.enumerate(params, dimension)).map(({ drawn: { coordinates }, probability }) => ({
    coordinates,
    probability,
  }));
  return {
    sketch,
    params,
    law,
    marginals: sketch.marginals(params, dimension),
    ...(blocks === undefined ? {} : { blocks }),
  };
}

interface Made {
  readonly sketch: Sketch;
  readonly given: unknown;
  readonly blocks?: readonly (readonly number[])[];
}

function made(makers: Makers, input: SketchInput, smoothness: Float64Array): Made {
  const all = Array.from(smoothness, (_, j) => j);
  const choiceOf = (choice: 'uniform' | 'importance' | readonly number[]): unknown => {
    if (choice === 'uniform') return { by: 'uniform' };
    if (choice === 'importance') return { by: 'importance', smoothness: [...smoothness] };
    return { by: 'probabilities', probabilities: normalised(choice) };
  };
  switch (input.family) {
    case 'full':
      return { sketch: makers.fullSketch, given: {}, blocks: [all] };
    case 'single':
      return {
        sketch: makers.singleCoordinate,
        given: { choice: choiceOf(input.choice) },
        blocks: all.map((j) => [j]),
      };
    case 'blocks':
      return {
        sketch: makers.blockSketch,
        given: { blocks: input.blocks, choice: choiceOf(input.choice) },
        blocks: input.blocks,
      };
    case 'nice':
      return { sketch: makers.tauNice, given: { tau: input.tau } };
    case 'independent':
      return { sketch: makers.independentCoordinates, given: { probabilities: input.probabilities } };
    case 'finite':
      return {
        sketch: finiteSketch,
        given: {
          sets: normalised(input.weights).map((probability, mask) => ({
            coordinates: all.filter((j) => ((mask + 1) >> j) & 1),
            probability,
          })),
        },
      };
  }
}
