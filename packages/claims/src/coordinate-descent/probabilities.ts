import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import fc from 'fast-check';
import type { ConvergenceSubject } from './convergence-subject.js';
import { above, differs, first } from '../common/judging.js';
import { normalised, partitionInputs, sketchCase, weightsOf, type SketchInput } from './sketch-inputs.js';

type CheckOf = (subject: ConvergenceSubject) => ClaimCheck;

/** A partition with smoothness constants, as powers of 2, and other probabilities of its parts. */
const partitioned = fc.integer({ min: 1, max: 6 }).chain((dimension) =>
  partitionInputs(dimension).chain((blocks) =>
    fc.record({
      blocks: fc.constant(blocks),
      smoothness: fc.array(fc.integer({ min: -6, max: 6 }), { minLength: dimension, maxLength: dimension }),
      offsets: fc.array(fc.integer({ min: -4, max: 4 }), { minLength: dimension, maxLength: dimension }),
      others: fc.array(weightsOf(blocks.length), { minLength: 1, maxLength: 20 }),
    }),
  ),
);

const smoothnessOf = (powers: readonly number[]): Float64Array => Float64Array.from(powers, (k) => 2 ** k);
const sumOfLargest = (blocks: readonly (readonly number[])[], smoothness: ArrayLike<number>): number =>
  blocks.reduce((sum, block) => sum + Math.max(...block.map((j) => smoothness[j])), 0);

/** `max_j M_j/p_j` of a law. */
function steepest(subject: ConvergenceSubject, input: SketchInput, smoothness: Float64Array): number {
  const { sketch, params } = sketchCase(subject, input, smoothness);
  return subject.sketchConstants(sketch, params, { smoothness, lipschitz: () => 1 }).smoothness;
}

/** Row 45. */
export const importanceIsBest: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/importance-is-best',
    tier: 'search',
    statement:
      'Probabilities proportional to the largest smoothness of a block minimise max_j M_j/p_j; ' +
      'the minimum is the sum of the largest.',
    power: 'Any other probabilities, unless all blocks are equal: the sum is an equation.',
    run: (env) =>
      env.forAll(
        partitioned,
        ({ blocks, smoothness: powers, others }) => {
          const smoothness = smoothnessOf(powers);
          const best = steepest(subject, { family: 'blocks', blocks, choice: 'importance' }, smoothness);
          const singles = steepest(subject, { family: 'single', choice: 'importance' }, smoothness);
          return first(
            differs('max_j M_j/p_j under importance', best, sumOfLargest(blocks, smoothness)),
            differs(
              'the same for single coordinates',
              singles,
              smoothness.reduce((sum, M) => sum + M, 0),
            ),
            ...[...others, normalised(blocks.map(() => 1))].map((choice) =>
              above(
                'max_j M_j/p_j under importance, against other probabilities',
                best,
                steepest(subject, { family: 'blocks', blocks, choice }, smoothness),
              ),
            ),
          );
        },
        { runs: 500 },
      ),
  });

/** Row 46. */
export const importanceDominates: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/importance-dominates',
    tier: 'search',
    statement:
      'Under importance sampling every M_j/p_j is at most the sum of the largest smoothness of each ' +
      'block, and exactly that for single coordinates; so R_{MP⁻¹} is at most R_I times its root.',
    power: 'Any probability that is too small for its coordinate.',
    run: (env) =>
      env.forAll(
        partitioned,
        ({ blocks, smoothness: powers, offsets }) => {
          const smoothness = smoothnessOf(powers);
          const { marginals } = sketchCase(
            subject,
            { family: 'blocks', blocks, choice: 'importance' },
            smoothness,
          );
          const sum = sumOfLargest(blocks, smoothness);
          const single = sketchCase(
            subject,
            { family: 'single', choice: 'importance' },
            smoothness,
          ).marginals;
          const trace = smoothness.reduce((all, M) => all + M, 0);
          const distances = offsets.map((k) => 2 ** k);
          return first(
            ...Array.from(smoothness, (M, j) => above(`M_j/p_j of coordinate ${j}`, M / marginals[j], sum)),
            ...Array.from(smoothness, (M, j) =>
              differs(`M_j/p_j of coordinate ${j} alone`, M / single[j], trace),
            ),
            above(
              'R_{MP⁻¹}',
              subject.weightedNorm(
                distances,
                smoothness.map((M, j) => M / marginals[j]),
              ),
              subject.weightedNorm(
                distances,
                distances.map(() => 1),
              ) * Math.sqrt(sum),
            ),
          );
        },
        { runs: 200 },
      ),
  });

/** Row 47. */
export const bestForConvex: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/best-convex-probabilities',
    tier: 'search',
    statement:
      'Probabilities proportional to (Σ_{j ∈ A} M_j r_j²)^½ minimise R_{MP⁻¹}; ' +
      'the minimum is the sum of these roots.',
    power: 'Any other probabilities: the sum is an equation.',
    run: (env) =>
      env.forAll(
        partitioned,
        ({ blocks, smoothness: powers, offsets, others }) => {
          const smoothness = smoothnessOf(powers);
          const distances = offsets.map((k) => 2 ** k);
          const distanceAt = (probabilities: readonly number[]): number => {
            const { marginals } = sketchCase(
              subject,
              { family: 'blocks', blocks, choice: probabilities },
              smoothness,
            );
            return subject.weightedNorm(
              distances,
              smoothness.map((M, j) => M / marginals[j]),
            );
          };
          const best = distanceAt(
            subject.bestConvexProbabilities({ blocks, smoothness, offsets: distances }),
          );
          const sum = blocks.reduce(
            (all, block) =>
              all + Math.sqrt(block.reduce((inner, j) => inner + smoothness[j] * distances[j] ** 2, 0)),
            0,
          );
          return first(
            differs('R_{MP⁻¹} at the best probabilities', best, sum),
            ...others.map((other) =>
              above('R_{MP⁻¹} at the best probabilities, against others', best, distanceAt(other)),
            ),
          );
        },
        { runs: 300 },
      ),
  });
