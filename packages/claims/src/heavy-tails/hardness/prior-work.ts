import { integrate } from '@lethe/numerics';
import { seededRandom, type Optimizer, type Vector } from '@lethe/core';
import { defineClaimCheck, type Violation } from '@lethe/laws';
import { squaredDistance } from '@lethe/losses';
import { clippedMean, gaussian, l2Clip } from '@lethe/mechanisms';
import fc from 'fast-check';
import { both } from '../../common/compare.js';
import { listOf, powers } from '../../common/inputs.js';
import { above, differs, first } from '../../common/judging.js';
import { norm, squaredNorm } from '../../common/vectors.js';
import { curated } from '../curated.js';
import { belowExactAnswers } from './exact-answers.js';
import type { CheckOf } from './separation.js';
import type { HardnessSubject } from './subject.js';

const curvatures = fc
  .tuple(fc.integer({ min: 0, max: 12 }), fc.constantFrom(0.01, 1, 70))
  .map(([e, convexity]) => ({ convexity, smoothness: convexity * 1.5 ** e }));

/** Row C71. */
export const jensen: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/jensen',
    tier: 'search',
    statement:
      'A bound on the mean of a distance does not bound the mean of its square: with tail y^(−α), α from ' +
      '1 to 2, the mean is α/(α − 1) and the second moment is infinite. Young’s inequality does not ' +
      'help: its factor 2(1 − 2λL/(λ + L)²) is 1 or more, so the series diverges.',
    power: 'One part in 10⁹ of either.',
    run: (env) =>
      both(
        env.forAll(
          curvatures,
          ({ convexity: a, smoothness: b }) =>
            first(
              differs('the factor', subject.youngFactor(a, b), 2 * ((a * a + b * b) / (a + b) ** 2), 1e-9),
              above('1, against the factor', 1, subject.youngFactor(a, b)),
            ),
          { runs: 100 },
        ),
        env.forAll(
          fc.integer({ min: 11, max: 20 }).map((k) => k / 10),
          (shape) => {
            // Truncation at 10^(300/shape) removes at most 10^(−300(1 − 1/shape)) of the mean.
            const cut = 10 ** (300 / shape);
            const mean = subject.paretoMoment({ shape, order: 1, cut });
            const left = (shape / (shape - 1)) * cut ** (1 - shape);
            const second = [1e3, 1e6, 1e12].map((at) => subject.paretoMoment({ shape, order: 2, cut: at }));
            // By quadrature of y² times the density, over the logarithm of y.
            const growth = [
              [1e3, 1e6],
              [1e6, 1e12],
            ].map(
              ([from, to]) =>
                integrate((u) => shape * Math.exp((2 - shape) * u), Math.log(from), Math.log(to)).value,
            );
            return first(
              differs('the mean', mean + left, shape / (shape - 1)),
              differs('what the second moment gains', second[1] - second[0], growth[0]),
              differs('what it gains further', second[2] - second[1], growth[1]),
              above('a step of growth, against the next', second[1] - second[0], second[2] - second[1]),
            );
          },
        ),
      ),
  });

/**
 * One step on a diagonal quadratic with curvatures from λ to L and a gradient error: distances before and
 * after, and the error.
 */
function stepped(
  subject: HardnessSubject,
  { convexity, smoothness }: { readonly convexity: number; readonly smoothness: number },
  seed: number,
  error: number,
): { readonly before: number; readonly after: number; readonly noise: number } {
  const random = seededRandom(seed);
  const dimension = 1 + random.integer(5);
  const at = random.gaussianInto(new Float64Array(dimension));
  const noise = random.gaussianInto(new Float64Array(dimension)).map((x) => x * error);
  const curvature = at.map((_, j) =>
    j === 0 ? convexity : convexity + (smoothness - convexity) * random.uniform(),
  );
  const centre = random.gaussianInto(new Float64Array(dimension));
  const next = subject.restatedStep({
    point: centre.map((x, j) => x + at[j]),
    gradient: at.map((x, j) => curvature[j] * x + noise[j]),
    convexity,
    smoothness,
  });
  return {
    before: Math.sqrt(squaredNorm(at)),
    after: Math.sqrt(squaredNorm(next.map((x, j) => x - centre[j]))),
    noise: Math.sqrt(squaredNorm(noise)),
  };
}

/** Row C72. */
export const contracts: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/contraction',
    tier: 'search',
    statement:
      'A step 1/(λ + L) with gradient error e contracts the distance to an interior minimiser: ' +
      'the new distance is at most (1 − λL/(λ + L)²) times the old one, ' +
      'in fact at most L/(λ + L) times, plus ‖e‖/(λ + L); the sum over many such ' +
      'steps is the shipped bound, and the steps are those of the shipped method.',
    power:
      'A step of 1/λ, or 2/(λ + L) with its error; one part in 10¹¹ of a step of the shipped method; ' +
      'along the flattest direction L/(λ + L) is attained.',
    run: (env) =>
      both(
        env.forAll(
          fc.tuple(curvatures, fc.integer(), fc.constantFrom(0, 1e-3, 1, 1e3)),
          ([given, seed, error]) => {
            const { before, after, noise } = stepped(subject, given, seed, error * given.convexity);
            const total = given.convexity + given.smoothness;
            return first(
              ...(['printed', 'sharp'] as const).map((form) =>
                above(
                  `the distance after the step (${form})`,
                  after,
                  subject.descentContraction(given, form) * before + noise / total,
                  1e-12 * (before + noise),
                ),
              ),
            );
          },
          { runs: 500 },
        ),
        env.forAll(curvatures, (given) =>
          differs(
            'the distance along the flattest direction',
            subject.restatedStep({
              point: Float64Array.of(1),
              gradient: Float64Array.of(given.convexity),
              ...given,
            })[0],
            subject.descentContraction(given, 'sharp'),
            1e-9,
          ),
        ),
        env.forAll(
          fc.tuple(curvatures, fc.integer({ min: 1, max: 30 }), fc.constantFrom(0, 1, 50)),
          ([given, rounds, error]) => {
            let at: Vector = Float64Array.of(3);
            for (let t = 0; t < rounds; t++)
              at = subject.restatedStep({
                point: at,
                gradient: at.map((x) => given.convexity * x - error),
                ...given,
              });
            return first(
              ...(['printed', 'sharp'] as const).map((form) =>
                above(
                  `the distance after ${rounds} steps (${form})`,
                  Math.abs(at[0]),
                  subject.descentDistanceBound({ ...given, rounds, startDistance: 3, error }, form),
                ),
              ),
              differs(
                'the sharp bound, attained',
                Math.abs(at[0]),
                subject.descentDistanceBound({ ...given, rounds, startDistance: 3, error }),
              ),
            );
          },
        ),
        // The shipped method without noise on squared distances: its risk has curvature 1, and the declared
        // constants are smaller. The rounding grid of answers is fine if clip norm and noise are small.
        env.forAll(
          fc.record({
            strongConvexity: powers(-4, 0),
            rounds: fc.integer({ min: 1, max: 6 }),
            features: fc.array(
              listOf(2, -5, 5).map((all) => all.map((k) => k / 8)),
              { minLength: 6, maxLength: 6 },
            ),
          }),
          ({ strongConvexity, rounds, features }) => {
            const optimizer = subject.heavyTailedGradientDescent as Optimizer;
            const { output } = curated(
              {},
              {
                optimizer,
                records: 6,
                features,
                loss: squaredDistance,
                silent: true,
                params: {
                  rounds,
                  strongConvexity,
                  clipNorm: 4,
                  noiseMultiplier: 1e-10,
                  mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
                },
              },
            );
            const mean = [0, 1].map((j) => features.reduce((sum, x) => sum + x[j], 0) / 6);
            let at: Vector = new Float64Array(2);
            for (let t = 0; t < rounds; t++)
              at = subject.restatedStep({
                point: at,
                gradient: at.map((x, j) => x - mean[j]),
                convexity: strongConvexity,
                smoothness: 1,
              });
            return above(
              'how far the shipped method is from these steps',
              norm(output.map((x, j) => x - at[j])),
              1e-12,
              0,
            );
          },
          { runs: 40 },
        ),
      ),
  });

/** Row C72, as printed in Eq. 8: `1 − 2λL/(λ + L)²` at each step. */
export const printedContraction: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/contraction-printed',
    tier: 'exact',
    statement:
      'For λ = 1, L = 3 and without error the distance along the flattest direction is at most 1 − ' +
      '2λL/(λ + L)² times the previous one.',
    power: 'It is ¾, not ⅝.',
    run: (env) =>
      env.forAll(
        fc.constant({ convexity: 1, smoothness: 3 }),
        ({ convexity, smoothness }): Violation | undefined => {
          const after = subject.restatedStep({
            point: Float64Array.of(1),
            gradient: Float64Array.of(convexity),
            convexity,
            smoothness,
          })[0];
          return above(
            'the distance after the step',
            Math.abs(after),
            subject.printedContraction(convexity, smoothness),
          );
        },
        { runs: 1 },
      ),
  });

const settings = fc
  .record({
    records: fc.integer({ min: 4, max: 30 }).map((e) => 2 ** e),
    dimension: fc.integer({ min: 1, max: 2000 }),
    epsilon: fc.integer({ min: -6, max: 1 }).map((e) => 2 ** e),
    order: fc.constantFrom(2, 2.5, 4, 16),
    moment: fc.constantFrom(0.1, 1, 40),
    diameter: fc.constantFrom(0.1, 1, 20),
    smoothness: fc.constantFrom(0.1, 1, 50),
    ratio: fc.constantFrom(1, 3, 100),
    share: fc.constantFrom(1, 0.1),
  })
  .map(({ ratio, share, ...rest }) => ({
    ...rest,
    convexity: rest.smoothness / ratio,
    secondMoment: rest.moment * share,
  }));

/** Row C73. */
export const ratesAgree: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'lowy/rates',
    tier: 'search',
    statement:
      'Rates of methods are above the lower-bound rates, up to the factor 2^((k−1)/2k) of ρ = ε²/2; ' +
      'private terms differ by the factor (κ ln n)^((k−1)/k) in the strongly convex case, and by ' +
      'min{(n/d)^(1/16), (εn/d^(3/2))^(1/18)} in the convex case of Remark 10. The shipped lower bounds ' +
      'have these rates, and their proved constants are smaller; up to 10⁶ records they are at most what ' +
      'the best answer without privacy and a step along a sum that is ρ-zCDP under zero-out leave, exactly.',
    power:
      'One part in 10⁹ of a rate; an exponent that is wrong; a proved term that is 1.05 times too high ' +
      'without privacy, 1.04 times with it.',
    run: (env) =>
      both(
        () => belowExactAnswers(subject),
        env.forAll(
          settings,
          (setting) => {
            const { heavyTailsRates: rates } = subject;
            const share = (setting.order - 1) / setting.order;
            const rate = (name: keyof typeof rates, changed: object = {}): number =>
              rates[name].value({ ...setting, ...changed });
            const slack = 1e-9;
            const [convex, strong] = [rate('convex-lower-bound'), rate('strongly-convex-lower-bound')];
            const price = Math.sqrt(setting.dimension) / (setting.epsilon * setting.records);
            const alone = { secondMoment: 1e-120 };
            const apart =
              rate('strongly-convex-linear-time', alone) / rate('strongly-convex-lower-bound', alone);
            const {
              order: momentOrder,
              records: n,
              dimension,
              epsilon,
              moment,
              secondMoment,
              diameter,
              convexity,
            } = setting;
            const rho = epsilon ** 2 / 2;
            const given = { n, dimension, rho, momentOrder, moment, secondMoment };
            const shape = { constants: 'hidden', regime: 'ignored' } as const;
            const [c, s] = [subject.convexLowerBound, subject.stronglyConvexLowerBound];
            return first(
              above(
                'the convex lower rate',
                convex,
                2 ** (share / 2) * rate('convex-linear-time') * (1 + slack),
              ),
              above(
                'the strongly convex lower rate',
                strong,
                2 ** share * rate('strongly-convex-linear-time') * (1 + slack),
              ),
              above(
                'the rate of affine losses',
                rate('convex-optimal'),
                rate('convex-linear-time') * (1 + slack),
              ),
              differs(
                'the rate of affine losses',
                rate('convex-linear-time', { smoothness: 0 }),
                rate('convex-optimal'),
              ),
              ...(Math.SQRT2 * price <= 1
                ? [
                    differs(
                      'how far strongly convex rates are apart',
                      apart,
                      (((setting.smoothness / convexity) * Math.max(1, Math.log(n))) / 2) ** share,
                    ),
                  ]
                : []),
              differs(
                'the convex bound’s shape',
                c.evaluate(c.params.parse({ ...given, radius: diameter, ...shape })).value,
                convex,
              ),
              differs(
                'the strongly convex bound’s shape',
                s.evaluate(s.params.parse({ ...given, convexity, ...shape })).value,
                strong,
              ),
              above(
                'the convex bound’s height',
                c.evaluate(c.params.parse({ ...given, radius: diameter })).value,
                convex,
              ),
              above(
                'the strongly convex bound’s height',
                s.evaluate(s.params.parse({ ...given, convexity })).value,
                strong,
              ),
            );
          },
          { runs: 300 },
        ),
        env.forAll(
          fc.record({
            records: fc.integer({ min: 6, max: 40 }).map((e) => 2 ** e),
            dimension: fc.integer({ min: 1, max: 300 }),
            epsilon: fc.constantFrom(0.1, 1),
          }),
          ({ records: n, dimension: d, epsilon }) => {
            const at = (smoothness: number): number =>
              subject.heavyTailsRates['convex-linear-time'].value({
                records: n,
                dimension: d,
                epsilon,
                order: 2,
                moment: Math.sqrt(d),
                diameter: 1,
                smoothness,
              });
            const extra = (at(1) - at(0)) / (d ** 0.75 / Math.sqrt(epsilon * n));
            return differs(
              'Remark 10’s ratio',
              extra,
              Math.min((n / d) ** (1 / 16), ((epsilon * n) / d ** 1.5) ** (1 / 18)),
              1e-6,
            );
          },
          { runs: 200 },
        ),
      ),
  });
