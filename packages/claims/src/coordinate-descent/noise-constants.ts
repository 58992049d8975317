import type { Sketch } from '@lethe/core';
import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { differs, exceeds, firstOf } from '../common/compare.js';
import {
  constantOf,
  entries,
  distributionChoices,
  distributionOf,
  partitionOf,
  positives,
} from './distributions-of-sets.js';
import type { SketchingSubject } from './sketching-subject.js';

const all = (d: number): number[] => Array.from({ length: d }, (_, j) => j);

/** Row 8. */
export const noiseConstant = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/noise-constant',
    tier: 'search',
    statement:
      'Σ_S² is the mean of the squared norm of C L_S 1 by PM⁻¹, ' +
      'and of L_S² times that of the drawn ones by P⁻¹M⁻¹',
    power:
      'a relative error above 1e-12 in either form, over 300 laws with a constant of its own for each set',
    run: (env) =>
      env.forAll(
        fc.record({ choice: distributionChoices(), M: positives, constants: positives }),
        ({ choice, M, constants }) => {
          const distribution = distributionOf(subject, choice);
          const d = distribution.dimension;
          const smoothness = Float64Array.from(M.slice(0, d));
          const lipschitz = constantOf(constants);
          const p = distribution.marginals;
          let first = 0;
          let second = 0;
          for (const { coordinates, probability } of distribution.sets) {
            const L = lipschitz(coordinates);
            const drawn = Float64Array.from(all(d), (j) => Number(coordinates.includes(j)));
            first +=
              probability *
              subject.weightedNorm(
                subject.scaled(new Float64Array(d).fill(L), coordinates, p),
                p.map((one, j) => one / smoothness[j]),
              ) **
                2;
            second +=
              probability *
              L *
              L *
              subject.weightedNorm(
                drawn,
                p.map((one, j) => 1 / one / smoothness[j]),
              ) **
                2;
          }
          const { noise } = subject.sketchConstants(distribution.sketch, distribution.params, {
            smoothness,
            lipschitz,
          });
          return firstOf([
            differs({ what: 'Σ_S²', got: noise, want: first }),
            differs({ what: 'the second form of Σ_S²', got: second, want: first }),
          ]);
        },
        { runs: 300 },
      ),
  });

/** Row 9. */
export const blockNoise = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/block-noise',
    tier: 'search',
    statement:
      'for blocks, Σ_S² is the squared norm by M⁻¹ of the vector of the Lipschitz constants of each ' +
      "coordinate's block, for all probabilities",
    power: 'a relative error above 1e-12, over 100 partitions with 20 laws each',
    run: (env) =>
      env.forAll(
        fc.record({
          choice: distributionChoices(['blocks', 'important-blocks', 'single', 'importance', 'uniform']),
          M: positives,
          constants: positives,
        }),
        ({ choice, M, constants }) => {
          const { blocks, dimension: d } = distributionOf(subject, choice);
          const smoothness = Float64Array.from(M.slice(0, d));
          const lipschitz = constantOf(constants);
          const vector = all(d).map((j) =>
            lipschitz(defined(defined(blocks).find((block) => block.includes(j)))),
          );
          const want =
            subject.weightedNorm(
              vector,
              smoothness.map((constant) => 1 / constant),
            ) ** 2;
          return firstOf(
            all(20).map((k) => {
              const weights = defined(blocks).map((_, i) => choice.weights[(7 * k + i) % 32]);
              const total = weights.reduce((sum, weight) => sum + weight, 0);
              const params = {
                blocks: defined(blocks).map((block) => [...block]),
                choice: {
                  by: 'probabilities' as const,
                  probabilities: weights.map((weight) => weight / total),
                },
              };
              return differs({
                what: `Σ_S² with weights ${weights.join(', ')}`,
                got: subject.sketchConstants(subject.blockSketch, params, { smoothness, lipschitz }).noise,
                want,
              });
            }),
          );
        },
        { runs: 100 },
      ),
  });

/**
 * Facts of a linear model with slopes up to 1 over finitely many feature vectors, as a problem declares them.
 */
function factsOf(features: readonly (readonly number[])[], d: number) {
  const fact = (value: number) => ({ value, scope: 'every-record', provenance: 'declared' }) as const;
  const longest = Math.max(...features.map((x) => Math.hypot(...x)));
  return Object.fromEntries([
    ['lipschitz', fact(longest)],
    ...all(d).map((j) => [
      `coordinateLipschitz.${j}`,
      fact(Math.max(1e-9, ...features.map((x) => Math.abs(x[j])))),
    ]),
  ]);
}

/** Row 10. */
export const noiseOfCoarserBlocks = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/noise-of-coarser-blocks',
    tier: 'search',
    statement:
      'merging blocks does not decrease Σ_S², from single coordinates over any partition to all at once; ' +
      'for the tight constants of finitely many records and for constants derived from declared facts',
    power: 'a relative drop above 1e-12, over 400 sets of records and partitions in up to 5 dimensions',
    run: (env) =>
      env.forAll(
        fc.record({
          dimension: fc.integer({ min: 1, max: 5 }),
          weights: fc.array(fc.integer({ min: 1, max: 999 }), { minLength: 5, maxLength: 5 }),
          M: positives,
          values: entries,
        }),
        ({ dimension: d, weights, M, values }) => {
          const features = all(3)
            .map((i) => values.slice(5 * i, 5 * i + d))
            .map((x) => (x.every((entry) => entry === 0) ? x.map(() => 1) : x));
          const smoothness = Float64Array.from(M.slice(0, d));
          const facts = factsOf(features, d);
          const refinements = [
            all(d).map((j) => [j]),
            partitionOf({ dimension: d, weights }).map((block) => [...block]),
            [all(d)],
          ];
          return firstOf(
            [
              (set: Uint32Array) => subject.lipschitzAlong(features, set),
              (set: Uint32Array) => defined(subject.blockLipschitz(facts, d, set)),
            ].flatMap((lipschitz) => {
              const noises = refinements.map(
                (blocks) =>
                  subject.sketchConstants(
                    subject.blockSketch,
                    { blocks, choice: { by: 'uniform' } },
                    { smoothness, lipschitz },
                  ).noise,
              );
              return [
                exceeds({ what: 'Σ_S² of single coordinates', got: noises[0], most: noises[1] }),
                exceeds({ what: 'Σ_S² of the partition', got: noises[1], most: noises[2] }),
              ];
            }),
          );
        },
        { runs: 400 },
      ),
  });

/** Row 11. */
export const niceNoise = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/nice-noise',
    tier: 'search',
    statement:
      'when every subset of tau coordinates is equally likely and L_U² is the sum of the L_j², ' +
      'Σ_S² is its closed form, from the listed sets and from pairs of coordinates alike, ' +
      'and at most L² times the trace of M⁻¹',
    power: 'a relative error above 1e-12 in any of the three, in dimensions 1 to 7 and for every tau',
    run: (env) =>
      env.forAll(
        fc.record({ squares: positives, M: positives }),
        ({ squares: given, M }) =>
          firstOf(
            all(7).flatMap((k) =>
              all(k + 1).flatMap((less) => {
                const d = k + 1;
                const tau = less + 1;
                const squares = Float64Array.from(given.slice(0, d));
                const smoothness = Float64Array.from(M.slice(0, d));
                const params = { tau };
                const closed = subject.niceNoise({ squares, smoothness, tau });
                const where = `Σ_S² of ${tau} of ${d} coordinates`;
                const byFunction = subject.sketchConstants(subject.tauNice, params, {
                  smoothness,
                  lipschitz: (set) => Math.sqrt(set.reduce((sum, j) => sum + squares[j], 0)),
                }).noise;
                const byPairs = subject.sketchConstants(
                  { ...subject.tauNice, enumerate: () => null } as Sketch,
                  params,
                  { smoothness, lipschitz: squares },
                ).noise;
                const trace = smoothness.reduce((sum, constant) => sum + 1 / constant, 0);
                return [
                  differs({ what: where, got: byFunction, want: closed }),
                  differs({ what: `${where}, from pairs,`, got: byPairs, want: closed }),
                  exceeds({
                    what: where,
                    got: closed,
                    most: squares.reduce((sum, square) => sum + square, 0) * trace,
                  }),
                ];
              }),
            ),
          ),
        { runs: 60 },
      ),
  });

/** Row 12. */
export const dualNorms = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/dual-norms',
    tier: 'search',
    statement:
      'an inner product is at most the norm of one vector by M times that of the other by M⁻¹, ' +
      'with equality for u proportional to M⁻¹v',
    power: 'a relative excess above 1e-12, over 300 vectors and matrices',
    run: (env) =>
      env.forAll(
        fc.record({ d: fc.integer({ min: 1, max: 5 }), u: entries, v: entries, M: positives }),
        ({ d, u: left, v: right, M: given }) => {
          const u = left.slice(0, d);
          const v = right.slice(0, d);
          const M = given.slice(0, d);
          const inverse = M.map((constant) => 1 / constant);
          const dual = v.map((entry, j) => entry / M[j]);
          const inner = (a: readonly number[]): number => a.reduce((sum, entry, j) => sum + entry * v[j], 0);
          return firstOf([
            exceeds({
              what: 'the inner product',
              got: Math.abs(inner(u)),
              most: subject.weightedNorm(u, M) * subject.weightedNorm(v, inverse),
            }),
            differs({
              what: 'the product of the norms of M⁻¹v and v',
              got: subject.weightedNorm(dual, M) * subject.weightedNorm(v, inverse),
              want: inner(dual),
            }),
          ]);
        },
        { runs: 300 },
      ),
  });
