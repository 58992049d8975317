import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import { largestEigenvalueUp } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import fc, { type Arbitrary } from 'fast-check';
import type { ConvergenceSubject } from './convergence-subject.js';
import { both } from '../common/compare.js';
import { above, differs, first, noted } from '../common/judging.js';
import { logistic, logisticInputs, pathsOf } from './logistic.js';
import {
  componentSmoothnessOf,
  hessianOf,
  quadratic,
  quadraticInputs,
  squared,
  stepMoments,
  tightSmoothness,
  type Quadratic,
  type QuadraticInput,
} from './quadratics.js';
import { sketchInputs, type SketchInput } from './sketch-inputs.js';

type CheckOf = (subject: ConvergenceSubject) => ClaimCheck;

/** `R_{MP⁻¹}`. */
const distanceOf = (
  offset: Float64Array,
  smoothness: ArrayLike<number>,
  marginals: ArrayLike<number>,
): number => Math.sqrt(squared(offset, (j) => smoothness[j] / marginals[j]));
const momentsOf = (
  subject: ConvergenceSubject,
  { hessian, smoothness, sketch, params, noiseScale, start }: Quadratic,
  innerSteps: number,
  rounds = 1,
) =>
  subject.exactQuadraticMoments({
    hessian,
    smoothness,
    sketch,
    params: params,
    noiseScale,
    start,
    innerSteps,
    rounds,
  });
/** Tolerance for risks near 0, where the recursion has cancellation. */
const slackOf = (gap: number, bound: number): number => 1e-9 * bound + 1e-11 * gap;

const lengths = fc.constantFrom(1, 2, 3, 7, 20);
/** A matrix of rank one, for which the smoothness of single coordinates is far too small. */
const ones: QuadraticInput = {
  factor: [[1, 1, 1]],
  columns: [0, 0, 0],
  start: [1, 1, 1],
  noise: [0, 0, 0, 0, 0, 0, 0, 0],
  sketch: { family: 'full' },
};

/** Row 35: Lemma E.1 as stated, and a sharper form. */
export const roundBounds: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/round-bounds',
    tier: 'search',
    statement:
      'The exact risk of the average of a round is at most the bound of Lemma E.1 and at most the ' +
      'sharper R²/(2K) + (N + N′)/2, on quadratics with noise and on logistic losses without.',
    power: 'A bound without its noise; smoothness that bounds the diagonal of the Hessian only.',
    run: (env) => {
      let [stated, sharp] = [0, 0];
      const found = both(
        env.forAll(
          fc.tuple(quadraticInputs(), lengths),
          ([input, innerSteps]) => {
            const problem = quadratic(subject, input);
            const { smoothness, marginals, start } = problem;
            const {
              rounds: [{ risks, average }],
              stepNoise,
              riskNoise,
            } = momentsOf(subject, problem, innerSteps);
            const noise = stepMoments(problem, marginals).noise;
            const distance = distanceOf(start, smoothness, marginals);
            const gap = Math.max(0, risks[0]);
            const wide = subject.roundBound({ distance, gap, innerSteps, stepNoise });
            const narrow = subject.sharpRoundBound({ distance, innerSteps, stepNoise, riskNoise });
            if (average > 1e-9 * gap)
              [stated, sharp] = [Math.max(stated, average / wide), Math.max(sharp, average / narrow)];
            const mean = risks.slice(1).reduce((sum, risk) => sum + risk, 0) / innerSteps;
            return first(
              differs('N', stepNoise, noise(marginals.map((p, j) => p / smoothness[j]))),
              differs('N′', riskNoise, noise(marginals.map((p, j) => (p * p) / smoothness[j]))),
              above('N′', riskNoise, Math.max(...marginals) * stepNoise),
              above('the risk of the average, against Lemma E.1', average, wide, slackOf(gap, wide)),
              above('the mean of the risks, against the sharper bound', mean, narrow, slackOf(gap, narrow)),
              above(
                'the risk of the average, against the sharper bound',
                average,
                narrow,
                slackOf(gap, narrow),
              ),
            );
          },
          { runs: 300, examples: [[ones, 20] as [QuadraticInput, number]] },
        ),
        env.forAll(fc.tuple(logisticInputs, fc.integer({ min: 1, max: 3 })), ([input, innerSteps]) => {
          const problem = logistic(subject, input);
          const { value, minimiser, smoothness, marginals, start } = problem;
          const paths = pathsOf(problem, innerSteps);
          const least = value(minimiser);
          if (paths === undefined) return undefined;
          const away = start.map((at, j) => at - minimiser[j]);
          const distance = distanceOf(away, smoothness, marginals);
          const gap = Math.max(0, value(start) - least);
          const risk =
            paths.reduce(
              (sum, { probability, points }) =>
                sum +
                probability *
                  value(
                    start.map(
                      (_, j) => points.slice(1).reduce((inner, point) => inner + point[j], 0) / innerSteps,
                    ),
                  ),
              0,
            ) - least;
          return first(
            above(
              'the risk of the average on a logistic loss, against Lemma E.1',
              risk,
              subject.roundBound({ distance, gap, innerSteps, stepNoise: 0 }),
              1e-10,
            ),
            above(
              'the same, against the sharper bound',
              risk,
              subject.sharpRoundBound({ distance, innerSteps, stepNoise: 0, riskNoise: 0 }),
              1e-10,
            ),
          );
        }),
      );
      return noted(
        found,
        () =>
          `largest shares of the bounds: ${stated.toFixed(3)} of Lemma E.1, ` +
          `${sharp.toFixed(3)} of the sharper`,
      );
    },
  });

/** Row 37: smoothness must bound the whole Hessian. */
export const wholeSmoothness: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/whole-smoothness',
    tier: 'search',
    statement:
      'If all coordinates move at once, steps of one over the diagonal of the Hessian diverge on the ' +
      'matrix of ones; componentSmoothness bounds every Hessian, and with it one step reaches the ' +
      'minimiser of this matrix.',
    power: 'Any smoothness below that of some matrix of rank one with the given diagonal.',
    run: (env) =>
      both(
        env.forAll(
          fc.constant(ones),
          (input) => {
            const hessian = hessianOf(input);
            const diagonal = Float64Array.of(1, 1, 1);
            const problem = quadratic(subject, input);
            const spread = momentsOf(subject, { ...problem, smoothness: diagonal }, 3).rounds[0].risks;
            const risks = momentsOf(subject, problem, 1).rounds[0].risks;
            return first(
              ...[4.5, 18, 72, 288].map((risk, k) =>
                differs(`the risk of too long steps after ${k}`, spread[k], risk),
              ),
              above('the risk after one step of the right length', risks[1], 0, 1e-12),
              ...Array.from(componentSmoothnessOf(subject, hessian), (constant) =>
                differs('the smoothness of the matrix of ones', constant, 3),
              ),
            );
          },
          { runs: 1 },
        ),
        env.forAll(
          quadraticInputs(),
          (input) => {
            const hessian = hessianOf(input);
            const d = input.columns.length;
            const smoothness = componentSmoothnessOf(subject, hessian);
            return above(
              'the largest eigenvalue of M^{−½} A M^{−½}',
              largestEigenvalueUp(
                hessian.map(
                  (entry, at) => entry / Math.sqrt(smoothness[Math.floor(at / d)] * smoothness[at % d]),
                ),
              ),
              1,
            );
          },
          { runs: 200 },
        ),
      ),
  });

const partitions = (dimension: number): Arbitrary<SketchInput> =>
  sketchInputs(dimension).filter(
    ({ family }) => family === 'full' || family === 'single' || family === 'blocks',
  );

/** Smoothness along each block by itself: as tight as weights allow, or from the diagonal. */
function alongBlocks(
  subject: ConvergenceSubject,
  hessian: Float64Array,
  blocks: readonly (readonly number[])[],
  weights: readonly number[] | undefined,
): Float64Array {
  if (weights === undefined) return componentSmoothnessOf(subject, hessian, blocks);
  const d = weights.length;
  const out = new Float64Array(d);
  for (const block of blocks)
    tightSmoothness(
      Float64Array.from(
        { length: block.length ** 2 },
        (_, at) => hessian[block[Math.floor(at / block.length)] * d + block[at % block.length]],
      ),
      block.map((j) => 2 ** weights[j]),
    ).forEach((constant, k) => {
      out[block[k]] = constant;
    });
  return out;
}

/** Row 38: smoothness along blocks only. */
export const blockwiseRounds: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/blockwise-round-bound',
    tier: 'search',
    statement:
      'Where draws are parts of a partition and smoothness holds along each part only, ' +
      'the mean of the risks of a round is at most (R² + 2(1/p_min − 1)Δ₀)/(2K) + (N + N′/p_min)/2.',
    power:
      'A bound that leaves out its noise or its distance; and, for one block, ' +
      'any bound that is not the sharper one of row 35.',
    run: (env) =>
      env.forAll(
        fc.tuple(quadraticInputs(partitions), lengths),
        ([input, innerSteps]) => {
          const whole = quadratic(subject, input);
          const { hessian, blocks, marginals, start } = whole;
          const smoothness = alongBlocks(subject, hessian, defined(blocks), input.weights);
          const {
            rounds: [{ risks, average }],
            stepNoise,
            riskNoise,
          } = momentsOf(subject, { ...whole, smoothness }, innerSteps);
          const distance = distanceOf(start, smoothness, marginals);
          const gap = Math.max(0, risks[0]);
          const leastProbability = Math.min(...marginals);
          const bound = subject.blockwiseRoundBound({
            distance,
            gap,
            innerSteps,
            stepNoise,
            riskNoise,
            leastProbability,
          });
          const mean = risks.slice(1).reduce((sum, risk) => sum + risk, 0) / innerSteps;
          return first(
            above('the mean of the risks', mean, bound, slackOf(gap, bound)),
            above('the risk of the average', average, bound, slackOf(gap, bound)),
            leastProbability === 1
              ? differs(
                  'the bound for one block',
                  bound,
                  subject.sharpRoundBound({ distance, innerSteps, stepNoise, riskNoise }),
                  1e-9,
                )
              : undefined,
          );
        },
        { runs: 300 },
      ),
  });
