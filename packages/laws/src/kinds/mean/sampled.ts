import type { RandomSource, Vector } from '@lethe/core';
import { along } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';
import { nonNegativeMean } from '../../evidence/non-negative-mean.js';
import { fails, holds, type Finding, type Violation } from '../../law/finding.js';
import type { LawEnv } from '../../law/law.js';
import { meanOf, momentIn, type DiscreteDistribution } from '../clip/discrete-distribution.js';
import { biasAt, smallShapes, varianceAt, type Bounded } from './declared.js';
import { drawn } from './outcomes.js';
import {
  declaredNorm,
  feed,
  keepFacts,
  scaleAt,
  sensitivityAt,
  usesRandomness,
  type CentralSubject,
  type Shape,
} from './release.js';
import { spreadMean } from './spread-mean.js';

/** Result of sampling. */
interface Sampled {
  readonly samples: number;
  readonly violation?: Violation;
}

/** Draws in a shape: fewer in the widest, where each answer takes long. */
export const drawsIn = ({ dimension }: Shape, usual: number): number => (dimension > 33 ? 50 : usual);

/** Fresh randomness for every draw. */
function* answersSampled(
  subject: CentralSubject,
  distribution: DiscreteDistribution,
  shape: Shape,
  count: number,
  random: RandomSource,
  noise = 0,
): Generator<Vector> {
  for (let i = 0; i < count; i++) {
    const randomness = random.fork(i);
    const { run, value } = feed(subject, drawn(distribution, shape.slots, randomness.fork('data')), {
      shape,
      randomness: randomness.fork('mean'),
    });
    if (noise > 0)
      randomness
        .fork('noise')
        .gaussianInto(new Float64Array(value.length))
        .forEach((x, j) => {
          value[j] += noise * x;
        });
    yield run.finish(value);
  }
}

/**
 * Bets that the mean of the answers is further from the truth than `bias`, in the direction in which it was
 * so far; with Gaussian noise of that deviation on the value.
 */
export function sampledBias(
  subject: CentralSubject,
  distribution: DiscreteDistribution,
  shape: Shape,
  bound: { readonly bias: number; readonly variance: number },
  env: LawEnv,
  name: string,
  parts: number,
  noise = 0,
): Sampled {
  const truth = meanOf(distribution.points, distribution.weights);
  const horizon = env.samples(drawsIn(shape, 1_500));
  const alpha = env.alpha / parts;
  const sum = new Float64Array(shape.dimension);
  const size = scaleAt(subject, shape);
  // A bias in another norm is at least this much in ℓ2.
  const atMost =
    bound.bias * (declaredNorm(subject) === 'linf' ? Math.sqrt(shape.dimension) : 1) + 1e-12 * size;
  const process = spreadMean({
    atMost,
    variance: Math.max(
      bound.variance * (declaredNorm(subject) === 'linf' ? shape.dimension : 1),
      1e-24 * size * size,
    ),
    horizon,
    alpha,
  });
  // The first answers only say in which direction to bet.
  const first = Math.min(50, horizon);
  let seen = 0;
  for (const answer of answersSampled(
    subject,
    distribution,
    shape,
    horizon + first,
    env.random(name),
    noise,
  )) {
    const off = answer.map((x, j) => x - truth[j]);
    const length = normOf('l2', sum);
    if (!off.every(Number.isFinite))
      return {
        samples: seen + 1,
        violation: {
          what: `an answer is not finite: [${answer.join(', ')}]`,
          input: { distribution, shape },
        },
      };
    if (seen++ >= first)
      process.push(length === 0 ? 0 : off.reduce((total, x, j) => total + (x * sum[j]) / length, 0));
    for (let j = 0; j < sum.length; j++) sum[j] += off[j];
    if (process.rejects(alpha)) {
      const mean = sum.map((x) => x / seen);
      return {
        samples: seen,
        violation: {
          what:
            `the mean of ${seen} answers is off by [${mean.join(', ')}], ${normOf('l2', mean)} in ℓ2; ` +
            `biasBound says at most ${bound.bias}, varianceBound ${bound.variance}`,
          measured: normOf('l2', mean),
          allowed: bound.bias,
          logE: process.peak + Math.log(1 / parts),
          input: { distribution, shape },
        },
      };
    }
  }
  return { samples: seen };
}

/**
 * Half of `‖a − b‖²`, a quarter in norms other than ℓ2: for independent answers of one law it is at most
 * `E‖answer − E answer‖²` on average, since `‖a − b‖² ≤ 2‖a − m‖² + 2‖b − m‖²`.
 */
export const pairVariance = (subject: CentralSubject, a: Vector, b: Vector): number => {
  const norm = declaredNorm(subject);
  return (
    normOf(
      norm,
      a.map((x, j) => x - b[j]),
    ) **
      2 /
    (norm === 'l2' ? 2 : 4)
  );
};

function sampledVariance(
  subject: CentralSubject,
  distribution: DiscreteDistribution,
  shape: Shape,
  bound: number,
  env: LawEnv,
  { name, parts, count }: { readonly name: string; readonly parts: number; readonly count: number },
): Sampled {
  const alpha = env.alpha / parts;
  const process = nonNegativeMean({ atMost: bound + 1e-24 * scaleAt(subject, shape) ** 2 });
  let seen = 0;
  let total = 0;
  let last: Vector | undefined;
  for (const answer of answersSampled(subject, distribution, shape, 2 * count, env.random(name))) {
    if (last === undefined) {
      last = answer.slice();
      continue;
    }
    const half = pairVariance(subject, answer, last);
    last = undefined;
    if (!Number.isFinite(half))
      return {
        samples: seen + 1,
        violation: {
          what: `an answer is not finite: [${answer.join(', ')}]`,
          input: { distribution, shape },
        },
      };
    process.push(half);
    total += half;
    seen++;
    if (process.rejects(alpha))
      return {
        samples: seen,
        violation: {
          what:
            `half the mean squared distance of ${seen} pairs of answers is ${total / seen}; ` +
            `varianceBound says at most ${bound}`,
          measured: total / seen,
          allowed: bound,
          logE: process.peak - Math.log(parts),
          input: { distribution, shape },
        },
      };
  }
  return { samples: seen };
}

/** Laws for sampling: three sizes along an uneven direction, of either sign, and of both. */
const sampledLaws = (shape: Shape, scale: number): readonly DiscreteDistribution[] =>
  [0.05, 0.45, 1.7].flatMap((by): DiscreteDistribution[] => {
    const negative = along(
      Array.from({ length: shape.dimension }, (_, j) => -1 - 0.37 * j),
      by * scale,
    );
    const positive = negative.map((x) => -x);
    return [
      { points: [negative], weights: [1] },
      { points: [positive], weights: [1] },
      { points: [negative, positive], weights: [0.5, 0.5] },
    ];
  });

export function searchSampled(subject: CentralSubject, which: Bounded, env: LawEnv): Finding {
  const shape = smallShapes(subject).find(({ dimension }) => dimension > 1) ?? smallShapes(subject)[0];
  const scale = scaleAt(subject, shape);
  // Half of what may be spent is left for what else the law samples.
  const distributions = sampledLaws(shape, scale).filter(({ points }) => keepFacts(subject, points));
  const parts = 2 * distributions.length;
  let samples = 0;
  for (const [i, distribution] of distributions.entries()) {
    const moment = { order: 2, value: momentIn(distribution, 2, declaredNorm(subject)) };
    const variance = varianceAt(subject, shape, moment, 0);
    const { samples: more, violation } =
      which === 'variance'
        ? sampledVariance(subject, distribution, shape, variance, env, {
            name: `law ${i}`,
            parts,
            count: env.samples(drawsIn(shape, 1_500)),
          })
        : sampledBias(
            subject,
            distribution,
            shape,
            { bias: biasAt(subject, shape, moment), variance },
            env,
            `law ${i}`,
            parts,
          );
    samples += more;
    if (violation !== undefined) return fails(samples, violation);
  }
  return holds(samples, 'randomness was sampled: it has too many values to be listed');
}

/** Many slots, in which what few records show may be otherwise; many entries, which vary less together. */
const crowds: readonly Shape[] = [5, 40, 200].map((slots) => ({ dimension: 16, slots }));
/** Pairs of answers in which a variance twice the bound is seen, at whatever effort. */
const crowdPairs = 80;

const ones = (bits: number): number => (bits === 0 ? 0 : (bits & 1) + ones(bits >> 1));
/** Corners of a cube that are orthogonal to one another, and their opposites. */
const corners = Array.from({ length: 32 }, (_, i) =>
  Array.from({ length: 16 }, (_unused, j) => ((ones(i & j & 15) + (i >> 4)) % 2 === 0 ? 1 : -1)),
);

/** The variance of records in many slots, spread over all directions, by answers drawn. */
export function crowdVariance(subject: CentralSubject, env: LawEnv): Finding {
  let samples = 0;
  // Where answers take long, one number of slots.
  const isRandom = usesRandomness(subject, env.random('coins'));
  for (const shape of isRandom ? crowds.slice(1, 2) : crowds) {
    if (sensitivityAt(subject, shape) === undefined) continue;
    const length = 0.97 * (subject.plugin.privacyRestsOn === 'clip' ? scaleAt(subject, shape) : 1);
    const points = corners.map((corner) => along(corner, length, declaredNorm(subject)));
    if (!keepFacts(subject, points)) continue;
    const distribution = { points, weights: points.map(() => 1 / points.length) };
    const moment = { order: 2, value: momentIn(distribution, 2, declaredNorm(subject)) };
    const bound = varianceAt(subject, shape, moment, 0);
    const found = sampledVariance(subject, distribution, shape, bound, env, {
      name: `crowd ${shape.slots}`,
      parts: 20,
      count: crowdPairs,
    });
    samples += found.samples;
    if (found.violation !== undefined) return fails(samples, found.violation);
  }
  return holds(samples);
}
