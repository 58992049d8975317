import { defined, integrate } from '@lethe/numerics';
import { seededRandom } from '@lethe/core';
import { defineClaimCheck, type Violation } from '@lethe/laws';
import fc from 'fast-check';
import { binomial } from '../../common/binomial.js';
import { both } from '../../common/compare.js';
import { above, differs, first } from '../../common/judging.js';
import type { CheckOf } from './separation.js';
import type { HardnessSubject } from './subject.js';

const biases = fc
  .tuple(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 0, max: 6 }))
  .map(([digit, e]) => (digit / 10) * 4 ** -e);
const chances = fc
  .tuple(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 0, max: 12 }))
  .map(([digit, e]) => (digit / 10) * 4 ** -e);

/** Row C65. */
export const bernoulliMoments: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/coin-moment',
    tier: 'search',
    statement:
      'E|X − δ|^k of a coin with mean δ is ½(1 − δ²)((1 + δ)^(k−1) + (1 − δ)^(k−1)): at most 1 for k ' +
      'from 2 to 3, at most (1 + δ)^k always, 1 + 2δ² − 3δ⁴ for k = 4; under A3 the shipped coins are ' +
      'scaled down by the same factor.',
    power: 'One part in 10⁹.',
    run: (env) =>
      both(
        env.forAll(
          fc.tuple(biases, fc.constantFrom(2, 2.2, 3, 3.5, 4, 7, 20)),
          ([bias, order]) => {
            const moment = subject.bernoulliMoment({ bias, order });
            const both2 = ((1 + bias) / 2) * (1 - bias) ** order + ((1 - bias) / 2) * (1 + bias) ** order;
            return first(
              differs('the centred moment', moment, both2),
              above('the centred moment', moment, order <= 3 ? 1 : (1 + bias) ** order, 1e-12),
              ...(order === 4 ? [differs('the fourth', moment, 1 + 2 * bias ** 2 - 3 * bias ** 4)] : []),
            );
          },
          { runs: 300 },
        ),
        env.forAll(
          fc.record({
            n: fc.integer({ min: 1, max: 1000 }),
            momentOrder: fc.constantFrom(2, 3, 4, 12),
            dimension: fc.constantFrom(1, 40),
          }),
          ({ n, momentOrder, dimension }) => {
            const { convexLowerBound: bound } = subject;
            const { record } = defined(bound.problem)(
              bound.params.parse({
                n,
                dimension,
                rho: 1,
                radius: 1,
                momentOrder,
                moment: 1,
                assumption: 'A3',
              }),
            );
            const side = defined(record.featureNorm) / Math.sqrt(dimension);
            const bias = subject.bernoulliBias(n);
            return first(
              above(
                'the centred moment of shipped coins',
                side ** momentOrder * subject.bernoulliMoment({ bias, order: momentOrder }),
                1,
              ),
              above('1, against their size', 1, side * (1 + bias)),
            );
          },
        ),
      ),
  });

/** Row C65, as printed: at most 1, for any k. */
export const printedBernoulliMoments: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/coin-moment-printed',
    tier: 'exact',
    statement: 'E|X − δ|⁴ of a coin with mean δ = 0.1 is at most E|X|⁴ = 1.',
    power: 'It is 1.0197.',
    run: (env) =>
      env.forAll(
        fc.constant(0.1),
        (bias) => above('the fourth centred moment', subject.bernoulliMoment({ bias, order: 4 }), 1),
        { runs: 1 },
      ),
  });

/** Row C66. */
export const spikeMoments: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/spike-moment',
    tier: 'search',
    statement:
      'Rare records p^(−1/k) ν have centred moments (1 − p)^k + (1 − p)p^(k−1) ≤ 1 in each coordinate ' +
      'and E‖x‖^k = d^(k/2); shipped ones, of length r p^(−1/k), have E‖x‖^k = r^k, and the least of ' +
      'both lengths where r_2 is smaller.',
    power: 'One part in 10⁹, or a record of another length.',
    run: (env) =>
      env.forAll(
        fc.record({
          p: chances,
          order: fc.constantFrom(2, 2.5, 4, 11),
          dimension: fc.integer({ min: 1, max: 9 }),
          moment: fc.constantFrom(0.1, 1, 30),
          share: fc.integer({ min: 1, max: 8 }),
          seed: fc.integer(),
        }),
        ({ p, order, dimension, moment, share, seed }) => {
          const side = p ** (-1 / order);
          const centred = subject.spikeCoordinateMoment({ probability: p, order });
          const second = (moment * share) / 8;
          const length = subject.lengthOfHeavyTail({ order, moment, secondMoment: second, probability: p });
          const { features } = subject.privateInstance(
            { n: 40, dimension, radius: 1, length, probability: p },
            seededRandom(seed),
          );
          const lengths = Array.from({ length: 40 }, (_, i) =>
            Math.hypot(...features.subarray(i * dimension, (i + 1) * dimension)),
          );
          const odd = lengths.find((one) => one !== 0 && Math.abs(one / length - 1) > 1e-9);
          return first(
            differs(
              'the centred moment',
              centred,
              p * Math.abs(side - p * side) ** order + (1 - p) * (p * side) ** order,
              1e-9 + 1e-15 / p,
            ),
            above('the centred moment', centred, 1, 1e-12),
            differs(
              'E‖x‖^k of √d p^(−1/k)',
              p * (Math.sqrt(dimension) * side) ** order,
              dimension ** (order / 2),
            ),
            differs(
              'the larger of both moments over what is declared',
              Math.max(p * (length / moment) ** order, p * (length / second) ** 2),
              1,
            ),
            odd === undefined
              ? undefined
              : { what: `a record has length ${odd}, not 0 or ${length}`, measured: odd, allowed: length },
          );
        },
        { runs: 300 },
      ),
  });

/** Row C66, as printed: all records lie in {±1}^d. */
export const printedSpikeRecords: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/spike-records-printed',
    tier: 'exact',
    statement: 'Records of the private instance, unscaled, have entries ±1.',
    power: 'Any rare record is longer, and any other is null.',
    run: (env) =>
      env.forAll(
        fc.constant({ n: 20, dimension: 4, radius: 1, probability: 0.25, length: 2 * 0.25 ** -0.5 }),
        (given) => {
          const odd = subject
            .privateInstance(given, seededRandom('claims'))
            .features.find((x) => Math.abs(x) !== 1);
          return odd === undefined
            ? undefined
            : { what: `an entry of a record is ${odd}`, measured: Math.abs(odd), allowed: 1 };
        },
        { runs: 1 },
      ),
  });

/** Information about the sign in the ρ-zCDP noisy sum of records in {0, ν}, by quadrature. */
function gaussianInformation({
  n,
  rho,
  p,
}: {
  readonly n: number;
  readonly rho: number;
  readonly p: number;
}): number {
  const deviation = 1 / Math.sqrt(2 * rho);
  const weights = binomial(n, p);
  const density = (sign: number, y: number): number =>
    weights.reduce(
      (sum, weight, h) =>
        sum +
        (weight * Math.exp(-((y - sign * h) ** 2) / (2 * deviation ** 2))) /
          (deviation * Math.sqrt(2 * Math.PI)),
      0,
    );
  return integrate(
    (y) => {
      const up = density(1, y);
      const mean = (up + density(-1, y)) / 2;
      return up < 1e-280 || mean < 1e-280 ? 0 : up * Math.log(up / mean);
    },
    -n - 9 * deviation,
    n + 9 * deviation,
  ).value;
}

/** Row C67. */
export const divergences: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/divergences',
    tier: 'search',
    statement:
      'Coins of bias δ and −δ are δ ln((1 + δ)/(1 − δ)) ≤ 3δ² apart, for δ ≤ ½. A Gaussian sum of rare ' +
      'records tells no more of ν than ρ E H² for a binomial H, which is (c² + c√(ρ/d)(1 − p)) d with ' +
      'the shipped chance; n of the first and this leave an alignment below 1.',
    power: 'One part in 10⁹ of the divergence; half of E H² where the noise is large.',
    run: (env) =>
      both(
        env.forAll(
          biases.filter((bias) => bias <= 0.5),
          (bias) => {
            const [up, down] = [(1 + bias) / 2, (1 - bias) / 2];
            const own = subject.coinDivergence(bias);
            return first(
              differs(
                'the divergence',
                own,
                up * Math.log(up / down) + down * Math.log(down / up),
                1e-9 + 1e-15 / bias ** 2,
              ),
              above('the divergence', own, 3 * bias ** 2),
            );
          },
          { runs: 200 },
        ),
        env.forAll(
          fc.constantFrom(
            { n: 1, rho: 0.0005, p: 1 },
            { n: 3, rho: 0.0005, p: 1 },
            { n: 4, rho: 0.02, p: 0.25 },
            { n: 8, rho: 0.2, p: 0.1 },
            { n: 3, rho: 1, p: 0.02 },
          ),
          ({ n, rho, p }) => {
            const told = gaussianInformation({ n, rho, p });
            const most = subject.informationOfHeavyTails({ n, dimension: 1, rho, probability: p });
            return first(
              above('what the Gaussian mechanism tells', told, most),
              above(
                'the alignment that it allows',
                Math.sqrt(2 * told) * (1 - told),
                subject.alignmentOfInformation(most),
              ),
              ...(p === 1 ? [above('the bound, where it is attained', most, told * 1.01)] : []),
            );
          },
          { runs: 20 },
        ),
        env.forAll(
          fc.record({
            n: fc.integer({ min: 1, max: 1e6 }),
            dimension: fc.integer({ min: 1, max: 500 }),
            e: fc.integer({ min: 0, max: 20 }),
            coupling: fc.constantFrom(0.1, 0.25),
          }),
          ({ n, dimension, e, coupling }) => {
            const rho = dimension * 2 ** -e;
            const probability = subject.probabilityOfHeavyTail({ n, dimension, rho, coupling });
            const information = subject.informationOfHeavyTails({ n, dimension, rho, probability });
            return first(
              ...(probability < 1
                ? [
                    differs(
                      'the information for each sign',
                      information,
                      coupling ** 2 + coupling * Math.sqrt(rho / dimension) * (1 - probability),
                    ),
                  ]
                : []),
              above('the information for each sign', information, coupling ** 2 + coupling),
              above('the alignment', subject.alignmentOfInformation(information), 0.75),
            );
          },
          { runs: 200 },
        ),
      ),
  });

/** Row C67, as printed: the chance `√d/(n√ρ)` keeps Fano's inequality over the code of use. */
export const printedCoupling: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/spike-coupling-printed',
    tier: 'exact',
    statement:
      'With p = √d/(n√ρ), at d = 40, ρ = 1 and n = 10⁴, group privacy bounds the divergence between ' +
      'words by less than ln|V| = (d/20) ln 2.',
    power: 'The divergence is d for the square alone, 29 times as much.',
    run: (env) =>
      env.forAll(
        fc.constant({ n: 10_000, dimension: 40, rho: 1 }),
        (given) => printedBudget(subject, given),
        { runs: 1 },
      ),
  });

function printedBudget(
  subject: HardnessSubject,
  given: { readonly n: number; readonly dimension: number; readonly rho: number },
): Violation | undefined {
  const probability = subject.probabilityOfHeavyTail({ ...given, coupling: 1 });
  return above(
    'ρ E H²',
    given.dimension * subject.informationOfHeavyTails({ ...given, probability }),
    (given.dimension / 20) * Math.LN2,
  );
}
