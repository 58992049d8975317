import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import fc from 'fast-check';
import { both, differs, exceeds, firstOf, tried } from '../../common/compare.js';
import { tenTo } from '../../common/inputs.js';
import {
  expectation,
  discreteDistributions,
  orders,
  type DiscreteDistribution,
} from './discrete-distributions.js';
import type { OracleSubject } from './subject.js';

const lines = discreteDistributions({ dimensions: 1 });

/** A number clipped to `[−limit, limit]` by the clip of the median of means. */
function held({ coordinateClip }: OracleSubject, limit: number, x: number): number {
  const out = Float64Array.of(x);
  coordinateClip.clipInPlace({ radius: limit }, out);
  return out[0];
}
const centralMoment = (
  distribution: DiscreteDistribution,
  order: number,
  of: (x: number) => number = (x) => x,
): number => {
  const mean = expectation(distribution, ([x]) => of(x));
  return expectation(distribution, ([x]) => Math.abs(of(x) - mean) ** order);
};

/** Row C22. */
export const entryBias = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/entry-bias',
    tier: 'search',
    statement:
      'clipping a number with mean ν and centred k-th moment γ to [−τ, τ] with τ ≥ 2|ν| changes its mean ' +
      'by at most (k−1)^(k−1)/k^k · γ(2/τ)^(k−1), which improves on 10 times that power; for τ far below ' +
      '2|ν| the change is larger',
    power:
      'a relative excess of 1e-9 over 300 distributions and over symmetric two-point distributions ' +
      'around means up to half the limit; for limits below half of |ν| the constant ν violates the bound',
    run: (env) =>
      both(
        () =>
          env.forAll(
            fc.record({
              distribution: lines,
              order: orders,
              slack: fc.constantFrom(1, 1.5, 10),
              floor: tenTo(-2, 2),
            }),
            ({ distribution, order, slack, floor }) => {
              const mean = expectation(distribution, ([x]) => x);
              const limit = slack * Math.max(subject.leastLimit(mean), floor * (mean === 0 ? 1 : 0));
              const size = expectation(distribution, ([x]) => Math.abs(x));
              return exceeds({
                what: 'how far the mean moves',
                got: Math.abs(mean - expectation(distribution, ([x]) => held(subject, limit, x))),
                most:
                  subject.entryBias({ order, moment: centralMoment(distribution, order), limit }) +
                  1e-11 * size,
                slack: 1e-9,
              });
            },
            { runs: 300 },
          ),
        // At mean limit/2 the outliers above are at distance k/(k − 1) ·
        // limit/2: the bound is the excess of half of the mass, twice.
        () =>
          tried(
            [2, 2.5, 3, 4, 8].flatMap((order) => [0.5, 0.25].map((share) => ({ order, share }))),
            ({ order, share }) => {
              const limit = 1;
              const mean = limit / 2;
              const far = ((order / (order - 1)) * limit) / 2;
              const distribution = {
                points: [[mean - (far * share) / (1 - share)], [mean + far]],
                probabilities: [1 - share, share],
              };
              const moved = Math.abs(expectation(distribution, ([x]) => held(subject, limit, x)) - mean);
              const most = subject.entryBias({ order, moment: centralMoment(distribution, order), limit });
              return firstOf([
                differs({
                  what: 'how far the mean moves',
                  got: moved,
                  want:
                    share * (far - limit / 2) -
                    (1 - share) * Math.max(0, -(mean - (far * share) / (1 - share)) - limit),
                  tolerance: 1e-9,
                  size: 1,
                }),
                exceeds({ what: 'how far the mean moves', got: moved, most, slack: 1e-9 }),
                exceeds({
                  what: 'the bound, by the share of it that outliers above have',
                  got: subject.sharpConstant(order) * share * far ** order * 2 ** (order - 1),
                  most: moved,
                  slack: 1e-9,
                }),
              ]);
            },
          ),
        () =>
          tried([1, 7, 300], (mean) => {
            const distribution = { points: [[mean]], probabilities: [1] };
            const limit = subject.leastLimit(mean);
            return (
              differs({
                what: `how far the constant ${mean} moves at the least limit allowed`,
                got: expectation(distribution, ([x]) => held(subject, limit, x)),
                want: mean,
              }) ??
              exceeds({
                what: 'the bound for a constant',
                got: subject.entryBias({ order: 2, moment: 0, limit: mean / 2 }),
                most: mean - held(subject, mean / 2, mean) - mean / 4,
              })
            );
          }),
      ),
  });

/** Row C23. */
export const entryMoments = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/entry-moments',
    tier: 'search',
    statement:
      'clipping a number to an interval around 0 does not increase its centred moments of any order from 1',
    power: 'a relative excess of 1e-9 over 500 distributions at orders 1, 1.5, 2, 3 and 6',
    run: (env) =>
      env.forAll(
        fc.record({ distribution: lines, limit: tenTo(-2, 3) }),
        ({ distribution, limit }) =>
          firstOf(
            [1, 1.5, 2, 3, 6].map((order) => {
              const size = expectation(distribution, ([x]) => Math.abs(x) ** order);
              return exceeds({
                what: `the centred moment of order ${order}`,
                got: centralMoment(distribution, order, (x) => held(subject, limit, x)),
                most: centralMoment(distribution, order) + 1e-12 * size,
                slack: 1e-9,
              });
            }),
          ),
        { runs: 500 },
      ),
  });
