import { LetheError, type Moment } from '@lethe/core';
import { along } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';
import { fails, holds, type Finding } from '../../law/finding.js';
import type { LawEnv } from '../../law/law.js';
import { defineMeanLaw } from './define-mean-law.js';
import { unit } from '../clip/apply.js';
import { directionsOf, meanOf, momentIn, type DiscreteDistribution } from '../clip/discrete-distribution.js';
import { biasAt, smallShapes, varianceAt, type Bounded } from './declared.js';
import { searchListed } from './listed.js';
import { biasOfLongRecords, biasUnderNoise } from './long-records.js';
import { noiseVariance } from './noise.js';
import { answersOf } from './outcomes.js';
import { declaredNorm, noShape, scaleAt, shapesOf, type CentralSubject } from './release.js';
import { crowdVariance, sampledBias, searchSampled } from './sampled.js';

function search(subject: CentralSubject, which: Bounded, env: LawEnv): Finding {
  const { finding, listed } = searchListed(subject, which, env);
  return listed ? finding : searchSampled(subject, which, env);
}

/** ‖E answer − E gradient‖ is within the declared bound. */
export const biasBound = defineMeanLaw({
  id: 'mean/bias-bound',
  tier: 'statistical',
  statement:
    'for independent records of every law with E‖z‖^order ≤ value, and within the facts that privacy ' +
    'rests on, ‖E answer − E z‖ is at most biasBound; exact over records and randomness where these can be ' +
    'listed, by betting on sampled answers where not; also under large noise, ' +
    'where it is not undone, and for records of up to 40 entries that are all the same',
  power:
    'listed: a bound 1 % too small for laws on one or two points; sampled: ' +
    'a mean off by a quarter of a standard deviation beyond the bound, in 1 500 answers',
  exempt: noShape,
  elsewhere: 1,
  check(subject, env) {
    let samples = 0;
    for (const part of [
      search(subject, 'bias', env),
      biasOfLongRecords(subject, env),
      biasUnderNoise(subject, env),
    ]) {
      samples += part.samples;
      if (part.verdict === 'fails') return { ...part, samples };
    }
    return holds(samples);
  },
});

/** E‖answer − E answer‖² is within the declared bound. */
export const varianceBound = defineMeanLaw({
  id: 'mean/variance-bound',
  tier: 'statistical',
  statement:
    'for independent records of every law with E‖z‖^order ≤ value, and within the facts that privacy ' +
    'rests on, E‖answer − E answer‖² is at most varianceBound, without noise and with; ' +
    'exact over records and randomness where these can be listed and answers are affine in the noise, ' +
    'by betting on sampled answers where not, and in 5, 40 and 200 slots',
  power:
    'listed: a bound 1 % too small for laws on one or two points, or for the noise alone, that in up to 27 ' +
    'shapes; sampled: a variance half as large again as the bound, in 1 500 pairs of answers, or twice as ' +
    'large in many slots',
  exempt: noShape,
  elsewhere: 1,
  check(subject, env) {
    const without = search(subject, 'variance', env);
    if (without.verdict === 'fails') return without;
    let { samples } = without;
    for (const part of [noiseVariance(subject, env), crowdVariance(subject, env)]) {
      samples += part.samples;
      if (part.verdict === 'fails') return { ...part, samples };
    }
    return holds(samples);
  },
});

/** No bias where records need no bounding. */
export const unbiased = defineMeanLaw({
  id: 'mean/unbiased',
  tier: 'statistical',
  onClaim: true,
  statement:
    'for records far within the bound, the expected answer over the randomness is the mean of the records; ' +
    'exact where randomness can be listed',
  power:
    'listed: any bias beyond rounding; sampled: ' +
    'a bias of a quarter of a standard deviation, in 1 500 answers',
  exempt: noShape,
  check(subject, env) {
    let samples = 0;
    for (const shape of smallShapes(subject)) {
      const scale = scaleAt(subject, shape);
      const distributions = directionsOf(shape.dimension).flatMap((direction) =>
        [1 / 64, 1 / 100].flatMap((by): DiscreteDistribution[] => {
          const point = along(direction, by * scale);
          const other = along(direction.toReversed(), (-by / 3) * scale);
          return [
            { points: [point], weights: [1] },
            { points: [point, other], weights: [0.5, 0.5] },
          ];
        }),
      );
      for (const [i, distribution] of distributions.entries()) {
        const truth = meanOf(distribution.points, distribution.weights);
        const answers = answersOf(subject, distribution, shape);
        if (answers === null) {
          // One law for each direction is enough to sample.
          if (i % 4 !== 0) continue;
          const moment = { order: 2, value: momentIn(distribution, 2, declaredNorm(subject)) };
          const { samples: more, violation } = sampledBias(
            subject,
            distribution,
            shape,
            { bias: 0, variance: varianceAt(subject, shape, moment, 0) },
            env,
            `unbiased ${shape.dimension} ${shape.slots} ${i}`,
            3 * distributions.length,
          );
          samples += more;
          if (violation !== undefined) return fails(samples, violation);
          continue;
        }
        samples += answers.outcomes;
        const mean = meanOf(answers.values, answers.weights);
        const largest = Math.max(...answers.values.map((value) => normOf('linf', value)));
        const measured = normOf(
          'linf',
          mean.map((x, j) => x - truth[j]),
        );
        const allowed = 1024 * unit * (largest + normOf('linf', truth));
        if (!(measured <= allowed))
          return fails(samples, {
            what:
              `the expected answer over all ${answers.outcomes} outcomes is [${mean.join(', ')}]; ` +
              `the mean of the records is [${truth.join(', ')}]`,
            measured,
            allowed,
            input: { distribution, shape },
          });
      }
    }
    return holds(samples);
  },
});

/** Bounds refuse what is no moment and no variance. */
export const momentsChecked = defineMeanLaw({
  id: 'mean/moments-checked',
  tier: 'exact',
  statement:
    'biasBound and varianceBound refuse an order below 2, a negative value or noise variance and NaN by ' +
    'a typed error; for all else they are numbers from 0 to Infinity',
  power: 'any bad moment or variance that is answered, and any NaN or negative bound',
  exempt: noShape,
  check(subject) {
    let samples = 0;
    const shape = shapesOf(subject)[0];
    const scale = scaleAt(subject, shape);
    const unitMoment = { order: 2, value: scale * scale };
    const answer = (of: () => number): number | LetheError => {
      samples++;
      try {
        return of();
      } catch (error) {
        if (error instanceof LetheError) return error;
        throw error;
      }
    };
    const bad: readonly Moment[] = [
      ...[NaN, 1.999, 1, 0, -2].map((order) => ({ order, value: 1 })),
      ...[NaN, -1e-300, -1].map((value) => ({ order: 2, value })),
    ];
    const refused: readonly (readonly [string, () => number])[] = [
      ...bad.map(
        (moment) =>
          [
            `biasBound for order ${moment.order}, value ${moment.value}`,
            () => biasAt(subject, shape, moment),
          ] as const,
      ),
      ...bad.map(
        (moment) =>
          [
            `varianceBound for order ${moment.order}, value ${moment.value}`,
            () => varianceAt(subject, shape, moment, 1),
          ] as const,
      ),
      ...[NaN, -1e-300, -1].map(
        (noise) =>
          [
            `varianceBound for noise of variance ${noise}`,
            () => varianceAt(subject, shape, unitMoment, noise),
          ] as const,
      ),
    ];
    for (const [what, of] of refused) {
      const result = answer(of);
      if (!(result instanceof LetheError))
        return fails(samples, {
          what: `${what} is answered with ${result}; it must be refused by InvalidParameter`,
        });
    }
    for (const order of [2, 2.5, 3, 10])
      for (const by of [0, 0.1, 1, 10]) {
        const moment = { order, value: (by * scale) ** order };
        if (!(moment.value < 1e280)) continue;
        for (const result of [
          answer(() => biasAt(subject, shape, moment)),
          ...[0, 1e-9, 1, 1e9].map((noise) => answer(() => varianceAt(subject, shape, moment, noise))),
        ]) {
          if (result instanceof LetheError || !(result >= 0))
            return fails(samples, {
              what:
                `a bound is ${result instanceof LetheError ? `refused (${result.message})` : result} for ` +
                `order ${order} and value ${moment.value}; it must be a number of at least 0`,
              input: moment,
            });
        }
      }
    return holds(samples);
  },
});
