import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { both, differs, firstOf, tried } from '../common/compare.js';
import {
  entries,
  distributionChoices,
  distributionOf,
  type DistributionChoice,
  type ListedDistribution,
} from './distributions-of-sets.js';
import type { SketchingSubject } from './sketching-subject.js';

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, j) => j);

/** `Σ_U P(U) f(U)`, and the same for `|f|`, which bounds the rounding error. */
function mean(
  { sets }: ListedDistribution,
  f: (coordinates: Uint32Array) => number,
): { readonly value: number; readonly size: number } {
  let value = 0;
  let size = 0;
  for (const { coordinates, probability } of sets) {
    const term = probability * f(coordinates);
    value += term;
    size += Math.abs(term);
  }
  return { value, size };
}

/** Row 1. */
export const unbiased = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/unbiased',
    tier: 'search',
    statement:
      'for every distribution of sets, the mean of C is the identity, and coordinates are drawn with ' +
      'their marginal probabilities',
    power:
      'a relative error above 1e-12 in any coordinate, over 300 laws of nine families in up to 5 dimensions',
    run: (env) =>
      env.forAll(
        distributionChoices(),
        (choice) => {
          const distribution = distributionOf(subject, choice);
          const ones = new Float64Array(distribution.dimension).fill(1);
          return firstOf(
            range(distribution.dimension).flatMap((j) => [
              differs({
                what: `the mean of entry ${j} of C 1`,
                got: mean(distribution, (set) => subject.scaled(ones, set, distribution.marginals)[j]).value,
                want: 1,
              }),
              differs({
                what: `the marginal of coordinate ${j}`,
                got: distribution.marginals[j],
                want: mean(distribution, (set) => Number(set.includes(j))).value,
              }),
            ]),
          );
        },
        { runs: 300 },
      ),
  });

/** Row 6. */
export const oneSketch = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/one-sketch',
    tier: 'search',
    statement:
      'the diagonal matrix of inverse marginals on the drawn set, and the product of the projection on ' +
      'it with the inverse of P, are the same',
    power: 'any entry that differs in more than rounding of one division, on every set of 200 laws',
    run: (env) =>
      env.forAll(
        distributionChoices(),
        (choice) => {
          const distribution = distributionOf(subject, choice);
          return firstOf(
            distribution.sets.flatMap(({ coordinates }) =>
              range(distribution.dimension).map((j): Violation | undefined => {
                const unit = new Float64Array(distribution.dimension);
                unit[j] = 1;
                const column = subject.scaled(unit, coordinates, distribution.marginals);
                const diagonal = subject.sketchDiagonal(coordinates, distribution.marginals);
                return firstOf(
                  range(distribution.dimension).map((i) =>
                    differs({
                      what: `entry (${i}, ${j}) of C`,
                      got: column[i],
                      want: i === j ? diagonal[i] : 0,
                      tolerance: 2 ** -52,
                    }),
                  ),
                );
              }),
            ),
          );
        },
        { runs: 200 },
      ),
  });

/** Row 4. */
export const secondMoment = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/second-moment',
    tier: 'search',
    statement:
      'for every vector and every diagonal matrix D, of any signs, the mean of the squared D-norm of Cx ' +
      'is the squared norm of x by P⁻¹D',
    power: 'a relative error above 1e-12 of the sum of sizes, over 300 laws, vectors and matrices',
    run: (env) =>
      env.forAll(
        fc.record({ choice: distributionChoices(), x: entries, D: entries }),
        ({ choice, x, D }) => {
          const distribution = distributionOf(subject, choice);
          const d = distribution.dimension;
          const vector = Float64Array.from(x.slice(0, d));
          const { value, size } = mean(distribution, (set) =>
            subject
              .scaled(vector, set, distribution.marginals)
              .reduce((sum, entry, j) => sum + D[j] * entry * entry, 0),
          );
          const expected = subject.expectedSketchedDiagonal(
            distribution.sketch,
            distribution.params,
            Float64Array.from(D.slice(0, d)),
          );
          return differs({
            what: 'the mean of the squared D-norm of Cx',
            got: value,
            want: expected.reduce((sum, entry, j) => sum + entry * vector[j] * vector[j], 0),
            size: Math.max(size, ...range(d).map((j) => Math.abs(expected[j]) * vector[j] ** 2)),
          });
        },
        { runs: 300 },
      ),
  });

/** A symmetric matrix from a list, `[d, d]` by rows. */
const symmetric = (d: number, values: readonly number[]): Float64Array =>
  Float64Array.from(
    { length: d * d },
    (_, at) => values[Math.max(Math.floor(at / d), at % d) * 5 + Math.min(Math.floor(at / d), at % d)],
  );

/** Closed form of `E[C A C]` for a family, if there is one. */
function closedForm(
  subject: SketchingSubject,
  { family, weights }: DistributionChoice,
  { dimension: d, marginals: p, blocks }: ListedDistribution,
  A: Float64Array,
): Float64Array | undefined {
  if (family === 'full') return A;
  if (family === 'nice') return subject.niceSecondMoment(A, d, 1 + (weights[0] % d));
  if (family === 'finite') return undefined;
  return A.map((entry, at) => {
    const i = Math.floor(at / d);
    const j = at % d;
    if (family === 'independent') return i === j ? entry + entry * (1 / p[i] - 1) : entry;
    return defined(blocks).some((block) => block.includes(i) && block.includes(j)) ? entry / p[i] : 0;
  });
}

/** Row 5. */
export const sketchedMatrix = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/sketched-matrix',
    tier: 'search',
    statement:
      'E[CAC] weighs each entry of a symmetric A by the probability of its pair over the product of the ' +
      'marginals, and is the closed form of its family; one of tau is a single uniform coordinate, ' +
      'and all of them leave A as it is',
    power: 'a relative error above 1e-12 in any entry, over 300 laws and matrices in up to 5 dimensions',
    run: (env) =>
      both(
        () =>
          env.forAll(
            fc.record({ choice: distributionChoices(), values: entries }),
            ({ choice, values }) => {
              const distribution = distributionOf(subject, choice);
              const d = distribution.dimension;
              const A = symmetric(d, values);
              const said = subject.expectedSketchedMatrix(distribution.sketch, distribution.params, A);
              const closed = closedForm(subject, choice, distribution, A);
              return firstOf(
                range(d * d).flatMap((at) => {
                  const i = Math.floor(at / d);
                  const j = at % d;
                  const where = `entry (${i}, ${j}) of E[CAC]`;
                  const listed = mean(distribution, (set) => {
                    const c = subject.sketchDiagonal(set, distribution.marginals);
                    return c[i] * A[at] * c[j];
                  }).value;
                  return [
                    differs({ what: where, got: said[at], want: listed }),
                    closed && differs({ what: `${where} in closed form`, got: closed[at], want: listed }),
                  ];
                }),
              );
            },
            { runs: 300 },
          ),
        () =>
          tried([1, 2, 3, 4, 5], (d) => {
            const A = symmetric(
              d,
              range(25).map((k) => 1 + ((k * k) % 7)),
            );
            const one = subject.niceSecondMoment(A, d, 1);
            const all = subject.niceSecondMoment(A, d, d);
            const single = subject.expectedSketchedMatrix(
              subject.singleCoordinate,
              { choice: { by: 'uniform' } },
              A,
            );
            return firstOf(
              range(d * d).flatMap((at) => [
                differs({ what: `entry ${at} for one of ${d} coordinates`, got: one[at], want: single[at] }),
                differs({ what: `entry ${at} for all of ${d} coordinates`, got: all[at], want: A[at] }),
              ]),
            );
          }),
      ),
  });
