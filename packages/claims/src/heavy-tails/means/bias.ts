import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import fc from 'fast-check';
import { both, differs, exceeds, firstOf, tried } from '../../common/compare.js';
import { tenTo } from '../../common/inputs.js';
import { minus, norm } from '../../common/vectors.js';
import {
  expectation,
  discreteDistributions,
  meanVector,
  orders,
  rawMoment,
  samplesOf,
  sizes,
  spread,
  type DiscreteDistribution,
} from './discrete-distributions.js';
import { clipped, valueOf } from './release.js';
import type { OracleSubject } from './subject.js';

const whole = [2, 2.5, 3, 4, 8];
const vectors = fc
  .integer({ min: 1, max: 4 })
  .chain((dimension) => fc.array(sizes, { minLength: dimension, maxLength: dimension }));

/** Row C16. */
export const pointwiseBias = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/pointwise-bias',
    tier: 'search',
    statement:
      'clipping changes a vector by (‖z‖ − C)₊, at most (k−1)^(k−1)/k^k · ‖z‖^k/C^(k−1), with equality ' +
      'at ‖z‖ = kC/(k−1); so at most ‖z‖^k/((k−1)C^(k−1)), which is larger by the factor (k/(k−1))^k, ' +
      'from 4 at k = 2 down to e',
    power:
      'a relative error of 1e-9 over 300 vectors, radii from 1e-2 to 1e2 and orders from 2 to 8; any ' +
      'smaller constant, by 1e-9',
    run: (env) =>
      both(
        () =>
          env.forAll(
            fc.record({ z: vectors, clipNorm: tenTo(-2, 2), order: orders }),
            ({ z, clipNorm, order }) => {
              const moved = norm(minus(z, clipped(subject, clipNorm, z)));
              const length = norm(z);
              const sharp = subject.sharpConstant(order) * length * (length / clipNorm) ** (order - 1);
              return firstOf([
                differs({
                  what: 'how far clipping moves a vector',
                  got: moved,
                  want: Math.max(0, length - clipNorm),
                  tolerance: 1e-9,
                  size: length,
                }),
                exceeds({ what: 'how far clipping moves a vector', got: moved, most: sharp, slack: 1e-9 }),
                exceeds({
                  what: 'the sharp bound',
                  got: sharp,
                  most: subject.clippedBias({ order, moment: length ** order, clipNorm }),
                  slack: 1e-9,
                }),
              ]);
            },
            { runs: 300 },
          ),
        () =>
          tried(
            whole.flatMap((order) => [0.01, 1, 40].map((clipNorm) => ({ order, clipNorm }))),
            ({ order, clipNorm }) => {
              const length = (order * clipNorm) / (order - 1);
              const moved = norm(minus([length, 0], clipped(subject, clipNorm, [length, 0])));
              const power = length * (length / clipNorm) ** (order - 1);
              return firstOf([
                differs({
                  what: `how far clipping moves a vector of length kC/(k − 1), k = ${order}`,
                  got: moved,
                  want: subject.sharpConstant(order) * power,
                  tolerance: 1e-9,
                }),
                differs({
                  what: 'the ratio of the bounds',
                  got:
                    subject.clippedBias({ order, moment: length ** order, clipNorm }) /
                    (subject.sharpConstant(order) * power),
                  want: (order / (order - 1)) ** order,
                  tolerance: 1e-9,
                }),
              ]);
            },
          ),
      ),
  });

const biasOf = (subject: OracleSubject, distribution: DiscreteDistribution, clipNorm: number): number =>
  norm(
    minus(
      meanVector(distribution, (z) => clipped(subject, clipNorm, z)),
      meanVector(distribution),
    ),
  );

/** Row C17. */
export const clippedMeanBias = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/clipped-mean-bias',
    tier: 'search',
    statement:
      'for every distribution with k-th moment r and every number of records, ' +
      'the mean of the oracle is within r/((k−1)C^(k−1)) of the mean of the distribution, ' +
      'and within the declared bias bound; the two-point distribution on 0 and ' +
      'kC/(k−1) attains ((k−1)/k)^k of the first bound and all of the second',
    power:
      'a relative error of 1e-9 over 200 distributions of up to six points, by exact enumeration; Pareto ' +
      'tails in closed form at six shapes; the two-point distribution at five orders',
    run: (env) =>
      both(
        () =>
          env.forAll(
            fc.record({
              distribution: discreteDistributions(),
              clipNorm: tenTo(-2, 2),
              order: orders,
              records: fc.integer({ min: 1, max: 1000 }),
            }),
            ({ distribution, clipNorm, order, records }) => {
              const bias = biasOf(subject, distribution, clipNorm);
              const moment = rawMoment(distribution, order);
              const rounding = 1e-12 * rawMoment(distribution, 1);
              return firstOf([
                exceeds({
                  what: 'the bias',
                  got: bias,
                  most: subject.clippedBias({ order, moment, clipNorm }) + rounding,
                }),
                exceeds({
                  what: 'the bias',
                  got: bias,
                  most:
                    subject.ballMean.biasBound(
                      { radius: clipNorm },
                      { dimension: distribution.points[0].length, slots: records },
                      { order, value: moment * (1 + 1e-12) },
                    ) + rounding,
                }),
              ]);
            },
            { runs: 200 },
          ),
        // P(‖z‖ > t) = t^(−a) from 1 on: E(‖z‖ − C)₊ = C^(1−a)/(a − 1), E‖z‖^k = a/(a − k).
        () =>
          tried(
            [2.05, 2.5, 3, 4, 6, 10].flatMap((shape) => [1, 3, 100].map((clipNorm) => ({ shape, clipNorm }))),
            ({ shape, clipNorm }) => {
              const bias = clipNorm ** (1 - shape) / (shape - 1);
              const order = Math.max(2, shape - 0.5);
              const moment = shape / (shape - order);
              return exceeds({
                what: 'the bias under a Pareto law',
                got: bias,
                most: subject.clippedBias({ order, moment, clipNorm }),
              });
            },
          ),
        () =>
          tried(whole, (order) => {
            const far = order / (order - 1);
            const distribution = {
              points: [
                [0, 0],
                [far, 0],
              ],
              probabilities: [0.9, 0.1],
            };
            const bias = biasOf(subject, distribution, 1);
            const moment = rawMoment(distribution, order);
            return firstOf([
              differs({
                what: `the bias under the two-point law over the bound, k = ${order}`,
                got: bias / subject.clippedBias({ order, moment, clipNorm: 1 }),
                want: ((order - 1) / order) ** order,
                tolerance: 1e-9,
              }),
              differs({
                what: 'the bias that the oracle declares',
                got: subject.ballMean.biasBound(
                  { radius: 1 },
                  { dimension: 2, slots: 7 },
                  { order, value: moment },
                ),
                want: bias,
                tolerance: 1e-9,
              }),
            ]);
          }),
      ),
  });

/** Row C18. */
export const empiricalBias = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/empirical-bias',
    tier: 'search',
    statement:
      'on any data, the mean of clipped gradients is within (1/n)Σ‖g‖^k/((k−1)C^(k−1)) of their mean',
    power:
      'a relative error of 1e-9 over 300 data sets of up to 20 gradients of very different lengths; the ' +
      'bound on one gradient of length kC/(k−1) to the factor ((k−1)/k)^k',
    run: (env) =>
      both(
        () =>
          env.forAll(
            fc.record({
              gradients: fc.integer({ min: 1, max: 3 }).chain((dimension) =>
                fc.array(fc.array(sizes, { minLength: dimension, maxLength: dimension }), {
                  minLength: 1,
                  maxLength: 20,
                }),
              ),
              clipNorm: tenTo(-2, 2),
              order: orders,
            }),
            ({ gradients, clipNorm, order }) => {
              const distribution = {
                points: gradients,
                probabilities: gradients.map(() => 1 / gradients.length),
              };
              const apart = norm(
                minus(valueOf(subject.ballMean, { radius: clipNorm }, gradients), meanVector(distribution)),
              );
              return exceeds({
                what: 'the distance of the means',
                got: apart,
                most:
                  subject.clippedBias({ order, moment: rawMoment(distribution, order), clipNorm }) +
                  1e-12 * rawMoment(distribution, 1),
              });
            },
            { runs: 300 },
          ),
        () =>
          tried(whole, (order) => {
            const far = order / (order - 1);
            const apart = Math.abs(valueOf(subject.ballMean, { radius: 1 }, [[far]])[0] - far);
            return differs({
              what: 'the distance over the bound',
              got: apart / subject.clippedBias({ order, moment: far ** order, clipNorm: 1 }),
              want: ((order - 1) / order) ** order,
              tolerance: 1e-9,
            });
          }),
      ),
  });

/** Row C20. */
export const clippingContracts = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/clipping-contracts',
    tier: 'search',
    statement: 'clipping to a ball never increases the variance of a vector: E‖Π_C X − EΠ_C X‖² ≤ E‖X − EX‖²',
    power: 'a relative excess of 1e-9 over 400 laws of up to six points in up to four dimensions',
    run: (env) =>
      env.forAll(
        fc.record({ distribution: discreteDistributions(), clipNorm: tenTo(-2, 2) }),
        ({ distribution, clipNorm }) =>
          exceeds({
            what: 'the variance of the clipped vector',
            got: spread(distribution, (z) => clipped(subject, clipNorm, z)),
            most: spread(distribution) + 1e-12 * rawMoment(distribution, 2),
            slack: 1e-9,
          }),
        {
          runs: 400,
          examples: [{ distribution: { points: [[3], [5]], probabilities: [0.5, 0.5] }, clipNorm: 4 }],
        },
      ),
  });

/** Row C21, as printed. */
export const expectedDistancePrinted = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/expected-distance-printed',
    tier: 'exact',
    statement:
      'as printed: the mean distance of the clipped mean from ' +
      'the mean of the distribution is at most r/((k−1)C^(k−1))',
    run: () =>
      tried(
        [
          { order: 3, clipNorm: 1, records: 1 },
          { order: 3, clipNorm: 100, records: 1 },
          { order: 2, clipNorm: 1e6, records: 4 },
        ],
        ({ order, clipNorm, records }) => {
          const distribution = { points: [[1], [-1]], probabilities: [0.5, 0.5] };
          const distance = [...samplesOf(distribution, records)].reduce(
            (sum, { sample, probability }) =>
              sum + probability * Math.abs(valueOf(subject.ballMean, { radius: clipNorm }, sample)[0]),
            0,
          );
          return exceeds({
            what: `the mean distance with ${records} records of ±1 clipped to ${clipNorm}`,
            got: distance,
            most: subject.clippedBias({
              order,
              moment: expectation(distribution, ([x]) => Math.abs(x) ** order),
              clipNorm,
            }),
          });
        },
      ),
  });

/** Row C21, corrected: (72) holds, since its bound includes the sampling error. */
export const expectedDistance = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/expected-distance',
    tier: 'search',
    statement:
      'the mean distance of the clipped mean from the mean of the distribution is at most ' +
      'r/((k−1)C^(k−1)) plus √(V/s), with V the variance of a clipped record',
    power:
      'a relative excess of 1e-9 over 100 laws of up to four points, ' +
      'by enumeration of all samples of up to four records',
    run: (env) =>
      env.forAll(
        fc.record({
          distribution: discreteDistributions({ dimensions: 2, most: 4 }),
          clipNorm: tenTo(-2, 2),
          order: orders,
          records: fc.integer({ min: 1, max: 4 }),
        }),
        ({ distribution, clipNorm, order, records }) => {
          const mean = meanVector(distribution);
          const sampling = Math.sqrt(spread(distribution, (z) => clipped(subject, clipNorm, z)) / records);
          const distance = [...samplesOf(distribution, records)].reduce(
            (sum, { sample, probability }) =>
              sum + probability * norm(minus(valueOf(subject.ballMean, { radius: clipNorm }, sample), mean)),
            0,
          );
          return exceeds({
            what: 'the mean distance',
            got: distance,
            most:
              subject.clippedBias({ order, moment: rawMoment(distribution, order), clipNorm }) +
              sampling +
              1e-12 * rawMoment(distribution, 1),
            slack: 1e-9,
          });
        },
        { runs: 100 },
      ),
  });
