import { seededRandom, type RiskLowerBound } from '@lethe/core';
import { defineClaimCheck, type Violation } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { both } from '../../common/compare.js';
import { differs, first } from '../../common/judging.js';
import { squaredNorm } from '../../common/vectors.js';
import { shapes, type CheckOf } from './separation.js';
import type { HardnessSubject } from './subject.js';

const points = (dimension: number, seed: number): Float64Array =>
  seededRandom(seed).gaussianInto(new Float64Array(dimension));

/** Risk of a scaled instance, risk of the unscaled one at the rescaled point, and the factor of the paper. */
function scaledRisks(
  subject: HardnessSubject,
  {
    n,
    dimension,
    radius,
    moment,
    convexity,
    order,
    probability,
    seed,
  }: {
    readonly n: number;
    readonly dimension: number;
    readonly radius: number;
    readonly moment: number;
    readonly convexity: number;
    readonly order: number;
    readonly probability: number;
    readonly seed: number;
  },
): readonly Violation[] {
  const root = Math.sqrt(dimension);
  const random = seededRandom(seed);
  const w = points(dimension, seed);
  const times = (factor: number): Float64Array => w.map((x) => x * factor);
  const rare = probability ** (-1 / order);
  const part = (what: string, risk: number, unscaled: number, factor: number): Violation | undefined =>
    differs(`the risk of ${what}`, risk, factor * unscaled, 1e-9);
  const [linear, quadratic] = [moment / root, moment / (2 * convexity * root)];
  const given = { n, dimension, rho: 1, momentOrder: order, moment };
  const shipped = (
    bound: 'convexLowerBound' | 'stronglyConvexLowerBound',
    own: object,
    instance: string,
    assumption = 'A1',
  ) => {
    const plugin: RiskLowerBound = subject[bound];
    return defined(plugin.instance)(plugin.params.parse({ ...given, ...own, instance, assumption }), random);
  };
  const chance = subject.probabilityOfHeavyTail({ n, dimension, rho: 1, coupling: 0.25 });
  const spike = root * chance ** (-1 / order);
  const one = { n, dimension, radius: 1 };
  const mean = { n, dimension, convexity: 1 };
  return [
    part(
      'signs over a ball',
      subject.nonPrivateInstance({ ...one, radius, moment }, random).excessRisk(times(radius)),
      subject.nonPrivateInstance({ ...one, moment: root }, random).excessRisk(w),
      radius * linear,
    ),
    part(
      'rare records over a ball',
      subject
        .privateInstance({ ...one, radius, length: moment * rare, probability }, random)
        .excessRisk(times(radius)),
      subject.privateInstance({ ...one, length: root * rare, probability }, random).excessRisk(w),
      radius * linear,
    ),
    part(
      'the bound’s signs',
      shipped('convexLowerBound', { radius }, 'non-private').excessRisk(times(radius)),
      subject.nonPrivateInstance({ ...one, moment: root }, random).excessRisk(w),
      radius * linear,
    ),
    part(
      'the bound’s rare records, by coordinates',
      shipped('convexLowerBound', { radius }, 'private', 'A3').excessRisk(times(radius)),
      subject.privateInstance({ ...one, length: spike, probability: chance }, random).excessRisk(w),
      radius * moment,
    ),
    part(
      'squared distances from signs',
      shipped('stronglyConvexLowerBound', { convexity }, 'non-private').excessRisk(times(quadratic)),
      subject.nonPrivateMeanInstance({ ...mean, length: root }, random).excessRisk(w),
      moment ** 2 / (4 * convexity * dimension),
    ),
    // The printed factors, which ask for smaller records than the domain that ships.
    ...[3, 2].map((share) =>
      part(
        `squared distances from signs, shorter by ${share}μ√d/r`,
        subject
          .nonPrivateMeanInstance({ n, dimension, convexity, length: moment / (share * convexity) }, random)
          .excessRisk(times(moment / (share * convexity * root))),
        subject.nonPrivateMeanInstance({ ...mean, length: root }, random).excessRisk(w),
        moment ** 2 / (share ** 2 * convexity * dimension),
      ),
    ),
    part(
      'squared distances from rare records',
      shipped('stronglyConvexLowerBound', { convexity }, 'private').excessRisk(times(quadratic)),
      subject.privateMeanInstance({ ...mean, length: spike, probability: chance }, random).excessRisk(w),
      moment ** 2 / (4 * convexity * dimension),
    ),
    part(
      'squared distances, by coordinates',
      shipped('stronglyConvexLowerBound', { convexity }, 'private', 'A3').excessRisk(
        times(moment / (2 * convexity)),
      ),
      subject.privateMeanInstance({ ...mean, length: spike, probability: chance }, random).excessRisk(w),
      moment ** 2 / (4 * convexity),
    ),
  ].filter((violation) => violation !== undefined);
}

/** Scaling of a term of part 3 with the moment: records and points scale linearly, the risk quadratically. */
function coordinateViolation(
  term: HardnessSubject['coordinateTerm'],
  order: number,
  factor: number,
): Violation | undefined {
  const given = { secondMoment: 1.5, dimension: 40, n: 100, convexity: 2, order };
  return differs(
    'the statistical term when all records are scaled',
    term({ ...given, secondMoment: 1.5 * factor }),
    factor ** 2 * term(given),
  );
}
const orders = fc.tuple(fc.constantFrom(2, 3, 4, 10), fc.constantFrom(0.1, 2, 100));

/** Row C62. */
export const scaling: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/hard-scaling',
    tier: 'search',
    statement:
      'Multiplying records and iterates scales risks: linear ones by D r/√d, or D γ^(1/k) by ' +
      'coordinates; squared distances by r²/(4μd) or r²/(9μd), or by γ^(2/k)/(4μ). The bounds of part 3 ' +
      'scale alike, with γ_2 in their statistical term.',
    power: 'A factor that differs by one part in 10⁹.',
    run: (env) =>
      both(
        env.forAll(shapes, (given) => scaledRisks(subject, given)[0], { runs: 200 }),
        env.forAll(orders, ([order, factor]) => {
          const { stronglyConvexLowerBound: bound } = subject;
          const given = {
            n: 100,
            dimension: 40,
            rho: 1,
            convexity: 2,
            momentOrder: order,
            secondMoment: 1.5,
            moment: 3,
            assumption: 'A3',
            constants: 'hidden',
          } as const;
          return first(
            coordinateViolation(subject.coordinateTerm, order, factor),
            differs(
              'the bound’s statistical term',
              bound.evaluate(bound.params.parse(given)).terms['nonPrivate'],
              subject.coordinateTerm({ ...given, order }),
            ),
          );
        }),
      ),
  });

/** Row C62, as printed: part 3 with `γ_2^(2/k)`. */
export const printedScaling: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/coordinate-scaling-printed',
    tier: 'exact',
    statement: 'The statistical term of part 3, with γ_2^(2/k), scales as the risk does.',
    power: 'Every k other than 2.',
    run: (env) =>
      env.forAll(fc.constant(4), (order) => coordinateViolation(subject.printedCoordinateTerm, order, 2), {
        runs: 1,
      }),
  });

/** Row C63. */
export const meanRisk: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/mean-risk',
    tier: 'search',
    statement:
      'For squared distances from any finite distribution the excess risk over its mean is μ times half ' +
      'the squared distance to the mean; the shipped instances return this value.',
    power: 'One part in 10⁹ of the risk.',
    run: (env) =>
      both(
        env.forAll(
          fc.record({
            seed: fc.integer(),
            atoms: fc.integer({ min: 1, max: 6 }),
            dimension: fc.integer({ min: 1, max: 5 }),
            scale: fc.constantFrom(0.1, 1, 30),
          }),
          ({ seed, atoms, dimension, scale }) => {
            const random = seededRandom(seed);
            const records = Array.from({ length: atoms }, () =>
              random.gaussianInto(new Float64Array(dimension)),
            );
            const weights = records.map(() => random.exponential());
            const total = weights.reduce((a, b) => a + b, 0);
            const params = subject.squaredDistance.params.parse({ scale });
            const risk = (w: Float64Array): number =>
              records.reduce(
                (sum, features, i) =>
                  sum +
                  (weights[i] / total) * subject.squaredDistance.value(params, w, { features, label: 0 }),
                0,
              );
            const mean = Float64Array.from({ length: dimension }, (_, j) =>
              records.reduce((sum, record, i) => sum + (weights[i] / total) * record[j], 0),
            );
            const w = random.gaussianInto(new Float64Array(dimension));
            return differs(
              'the excess risk',
              risk(w) - risk(mean),
              (scale / 2) * squaredNorm(w.map((x, j) => x - mean[j])),
              1e-9,
            );
          },
          { runs: 300 },
        ),
        env.forAll(shapes, ({ n, dimension, convexity, moment, probability, seed }) => {
          const given = { n, dimension, convexity, length: moment };
          const w = points(dimension, seed).map((x) => x * moment);
          const cases = [
            [subject.nonPrivateMeanInstance(given, seededRandom(seed)), subject.meanBernoulliBias(n)],
            [subject.privateMeanInstance({ ...given, probability }, seededRandom(seed)), probability],
          ] as const;
          return first(
            ...cases.flatMap(([{ optimum, excessRisk }, share]) => [
              differs('the length of the mean', Math.sqrt(squaredNorm(optimum)), share * moment),
              differs(
                'the excess risk of an instance',
                excessRisk(w),
                (convexity / 2) * squaredNorm(w.map((x, j) => x - optimum[j])),
              ),
            ]),
          );
        }),
      ),
  });
